// SPDX-License-Identifier: Apache-2.0
// What a marking law sees and says. A law is a plain class with
//
//   on_arrival(queue, packet, now, uniform)    a packet is offered, before the buffer is checked
//   on_departure(queue, packet, now, uniform)  its transmission begins; `queue` is what it leaves behind
//   on_timer(queue, now)                       returns the next time, kNever for no more
//   on_drop(packet, now)                       the host had no room for the packet just offered
//   watches_departures()                       whether on_departure does anything, as it is configured
//   first_timer()                              the first time for on_timer
//   probability()                              the probability last used
//   configure(values)                          new parameters, also between packets; the state is kept
//
// A new law is a header in this folder and its name in host/marking_laws.h; omnet/tools/law_tables.py then writes
// its NED type and the table of laws, from which the keys in YAML follow.
//
// kName, kAbout and kParameters describe it, kTraits says which hooks it has of those that MarkingLaw has for
// all. A hook that its traits lack, and one that they name and it lacks, do not compile (MarkingHooks).
//
// `uniform()` draws from the law's own stream and is called only when the decision needs it. The host
// marks only ECT packets; what becomes of others is the queue's `not_ect`, not the law's.
#ifndef ECNOMY_LAWS_MARKING_MARKING_H_
#define ECNOMY_LAWS_MARKING_MARKING_H_

#include <array>
#include <concepts>
#include <cstdint>

#include "../parameter.h"

namespace ecnomy {

// The waiting room: the frame in service is excluded. Bytes are those on this wire.
struct QueueView {
  std::int64_t packets;
  std::int64_t bytes;
  std::int64_t rate_bps;
  Time idle_since;  // when the transmitter fell idle; kNever while it is busy
};

// The ECN field of an IP header, in its wire form (RFC 3168 section 5, RFC 9331 section 2).
enum class Codepoint : std::uint8_t { not_ect = 0, ect_1 = 1, ect_0 = 2, ce = 3 };

struct PacketView {
  std::int32_t flow;
  std::int32_t bytes;
  bool ect = true;
  bool ce = false;     // marked by a link before this one
  bool ect_1 = false;  // sent as ECT(1); says nothing where `ect` is false

  Codepoint codepoint() const noexcept {
    if (!ect) return Codepoint::not_ect;
    if (ce) return Codepoint::ce;
    return ect_1 ? Codepoint::ect_1 : Codepoint::ect_0;
  }
  // The identifier of L4S traffic: ECT(1), or CE, which hides what it was (RFC 9331 section 5.1).
  bool l4s() const noexcept { return (static_cast<unsigned>(codepoint()) & 1U) != 0; }
};

enum class Action : std::uint8_t { pass, mark, drop };

inline constexpr std::int32_t kNoFlow = -2;
inline constexpr std::int32_t kAllFlows = -1;

// What becomes of the packet at hand, and which waiting packets are marked besides:
// kNoFlow none, kAllFlows every one, otherwise those of that flow.
struct Decision {
  Action action = Action::pass;
  std::int32_t mark_queued = kNoFlow;
};

struct MarkingTraits {
  bool departures = false;   // may act as a transmission begins: on_departure, watches_departures
  bool clock = false;        // acts at times of its own: first_timer, on_timer
  bool drops = false;        // hears of packets that find the buffer full: on_drop
  bool link_buffer = false;  // its buffer is the link's where the user gives none

  // Needs a queue at arrivals and nothing else of its link, as each class under deficit-round-robin has one.
  constexpr bool arrivals_only() const { return !departures && !clock && !drops && !link_buffer; }
};

// The hooks that most laws leave alone.
struct MarkingLaw {
  static constexpr MarkingTraits kTraits{};
  static constexpr std::array<Parameter, 0> kParameters{};
  template <class Uniform>
  Decision on_departure(const QueueView&, const PacketView&, Time, Uniform&&) noexcept {
    return {};
  }
  void on_drop(const PacketView&, Time) noexcept {}
  bool watches_departures() const noexcept { return false; }
  Time first_timer() const noexcept { return kNever; }
  Time on_timer(const QueueView&, Time) noexcept { return kNever; }
};

// Stands for whatever a host draws from.
struct AnyUniform {
  double operator()() const noexcept { return 0.0; }
};

// Whether a law has a hook of its own, and not MarkingLaw's.
template <class Law>
inline constexpr bool kOwnDeparture =
    !std::same_as<decltype(&Law::template on_departure<AnyUniform&>),
                  decltype(&MarkingLaw::on_departure<AnyUniform&>)>;
template <class Law>
inline constexpr bool kOwnWatch =
    !std::same_as<decltype(&Law::watches_departures), decltype(&MarkingLaw::watches_departures)>;
template <class Law>
inline constexpr bool kOwnFirst =
    !std::same_as<decltype(&Law::first_timer), decltype(&MarkingLaw::first_timer)>;
template <class Law>
inline constexpr bool kOwnTimer =
    !std::same_as<decltype(&Law::on_timer), decltype(&MarkingLaw::on_timer)>;
template <class Law>
inline constexpr bool kOwnDrop =
    !std::same_as<decltype(&Law::on_drop), decltype(&MarkingLaw::on_drop)>;

// A marking law that is whole: described, with all hooks, and with exactly those that its traits name.
template <class Law>
concept MarkingHooks =
    std::derived_from<Law, MarkingLaw> && Described<Law> &&
    kOwnDeparture<Law> == Law::kTraits.departures && kOwnWatch<Law> == Law::kTraits.departures &&
    kOwnFirst<Law> == Law::kTraits.clock && kOwnTimer<Law> == Law::kTraits.clock &&
    kOwnDrop<Law> == Law::kTraits.drops &&
    requires(Law& law, const Law& it, const QueueView& queue, const PacketView& packet,
             AnyUniform& uniform, const double* values) {
      { law.on_arrival(queue, packet, Time{}, uniform) } noexcept -> std::same_as<Decision>;
      { law.on_departure(queue, packet, Time{}, uniform) } noexcept -> std::same_as<Decision>;
      { law.on_timer(queue, Time{}) } noexcept -> std::same_as<Time>;
      { law.on_drop(packet, Time{}) } noexcept;
      { it.watches_departures() } noexcept -> std::same_as<bool>;
      { it.first_timer() } noexcept -> std::same_as<Time>;
      { it.probability() } noexcept -> std::same_as<double>;
      law.configure(values);
    };

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_MARKING_H_
