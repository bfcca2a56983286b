// SPDX-License-Identifier: Apache-2.0
// What a marking law sees and says. A law is a plain class with
//
//   on_arrival(queue, packet, now, uniform)    a packet is offered, before the buffer is checked
//   on_departure(queue, packet, now, uniform)  its transmission begins; `queue` is what it leaves behind
//   on_timer(queue, now)                       returns the next time, kNever for no more
//   watches_departures()                       whether on_departure may do anything
//   first_timer()                              kNever where the law has no clock
//   probability()                              the probability last used
//
// `uniform()` draws from the law's own stream and is called only when the decision needs it. The host
// marks only ECT packets; what becomes of others is the queue's `not_ect`, not the law's.
#ifndef ECNOMY_LAWS_MARKING_MARKING_H_
#define ECNOMY_LAWS_MARKING_MARKING_H_

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

struct PacketView {
  std::int32_t flow;
  std::int32_t bytes;
  bool ect = true;
  bool ce = false;  // marked by a link before this one
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

// The hooks that most laws leave alone.
struct MarkingLaw {
  template <class Uniform>
  Decision on_departure(const QueueView&, const PacketView&, Time, Uniform&&) noexcept {
    return {};
  }
  bool watches_departures() const noexcept { return false; }
  Time first_timer() const noexcept { return kNever; }
  Time on_timer(const QueueView&, Time) noexcept { return kNever; }
  double probability() const noexcept { return 0.0; }
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_MARKING_H_
