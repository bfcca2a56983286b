// SPDX-License-Identifier: Apache-2.0
// The interface of marking laws: inputs, hooks and decisions. A law is a plain class with
//
//   on_arrival(queue, packet, now, uniform)    a packet is offered, before the buffer is checked
//   on_departure(queue, packet, now, uniform)  its transmission begins; `queue` excludes the packet, which may only pass
//                                              or be marked
//   on_timer(queue, now)                       a timer expires; returns the next time, or kNever
//   on_drop(packet, now)                       the buffer had no room for the packet just offered, which the law had not
//                                              dropped itself
//   watches_departures()                       true if the current parameters need on_departure
//   first_timer()                              the first time of on_timer
//   probability()                              the probability last used, for tables and pictures only
//   configure(values)                          new parameters, also between packets; the state is kept
//
// A new law is a header in this folder and its name in host/marking_laws.h. omnet/tools/law_tables.py then writes
// its NED type and the table of laws, from which the keys in YAML follow.
//
// kName, kAbout and kParameters describe the law. kTraits names the hooks that the law defines itself; MarkingLaw
// has defaults for all others. A law whose hooks and traits differ does not compile (MarkingHooks).
//
// A law with the trait link_buffer has a parameter buffer_packets, which is the link's buffer unless the user sets it,
// and mean_packet_bytes, which converts a buffer in bytes.
//
// `uniform()` draws from the law's own stream and is called only when the decision needs a draw. The host marks
// only ECT packets. The queue's `not_ect`, not the law, determines the treatment of other packets.
#ifndef ECNOMY_LAWS_MARKING_MARKING_H_
#define ECNOMY_LAWS_MARKING_MARKING_H_

#include <array>
#include <concepts>
#include <cstdint>

#include "../parameter.h"

namespace ecnomy {

// The waiting packets, without the frame in service and without a packet that is being offered. Bytes are counted as
// on this link's wire.
struct QueueView {
  std::int64_t packets;
  std::int64_t bytes;
  std::int64_t rate_bps;
  Time idle_since;  // time at which the transmitter became idle; kNever while it is busy
};

// The ECN field of an IP header, in its wire form (RFC 3168 section 5, RFC 9331 section 2).
enum class Codepoint : std::uint8_t { not_ect = 0, ect_1 = 1, ect_0 = 2, ce = 3 };

struct PacketView {
  std::int32_t flow;   // from 0; an ACK has its flow's number, and a packet of no source kNoFlow
  std::int32_t bytes;  // as on this link's wire, with framing
  bool ect = true;
  bool ce = false;     // marked by an earlier link
  bool ect_1 = false;  // sent as ECT(1); ignored if `ect` is false

  Codepoint codepoint() const noexcept {
    if (!ect) return Codepoint::not_ect;
    if (ce) return Codepoint::ce;
    return ect_1 ? Codepoint::ect_1 : Codepoint::ect_0;
  }
  // The identifier of L4S traffic: ECT(1), or CE, which hides the sent codepoint (RFC 9331 section 5.1).
  bool l4s() const noexcept { return (static_cast<unsigned>(codepoint()) & 1U) != 0; }
};

enum class Action : std::uint8_t { pass, mark, drop, drop_pair };

inline constexpr std::int32_t kNoFlow = -2;
inline constexpr std::int32_t kAllFlows = -1;

// The action on the current packet, and the waiting packets that are also marked:
// none (kNoFlow), all (kAllFlows), or those of one flow. With drop_pair, `waiting` is instead the position of a waiting
// packet, from 0, that is dropped beside the current one. Only a law that watches departures may use it.
struct Decision {
  Action action = Action::pass;
  std::int32_t waiting = kNoFlow;
};

struct MarkingTraits {
  bool departures = false;   // acts when a transmission begins: on_departure, watches_departures
  bool clock = false;        // acts at times that it sets: first_timer, on_timer
  bool drops = false;        // is called for packets that find the buffer full: on_drop
  bool link_buffer = false;  // uses the link's buffer if the user gives no buffer
  // The law's equilibrium, for `check` and the analysis. Each text is an expression of parameters: names, numbers, + -
  // * ( ), and `name == choice`, which is 1 or 0. Marks set a price as long as the probability follows the load. RED has
  // ceiling max_probability, and saturates; `fixed` has ceiling probability and per_load 0; load-based has per_load
  // slope and ceiling slope * (1 - threshold).
  const char* ceiling = "1";  // the largest probability of early marking that sets a price
  const char* per_load =
      "";  // change of the probability per unit of offered load / capacity; "": depends on the queue
  bool saturates = false;  // marks every packet once the probability is above the ceiling
  const char* late =
      "0";  // other than 0: it decides only as packets depart, so it marks ECT packets and drops none

  // True if the law acts only on arrivals, so that it also works on the queue of a class under deficit-round-robin.
  constexpr bool arrivals_only() const { return !departures && !clock && !drops && !link_buffer; }
};

// Default hooks, which most laws keep.
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

// Placeholder for a host's random stream.
struct AnyUniform {
  double operator()() const noexcept { return 0.0; }
};

// True if a law defines the hook itself; false if it has MarkingLaw's default.
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

// A complete marking law has a description and all hooks, and defines itself exactly the hooks that its traits name.
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
