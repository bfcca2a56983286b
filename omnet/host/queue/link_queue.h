// SPDX-License-Identifier: Apache-2.0
// The queue of one direction of a link, in both engines: decisions on entry, marks and drops, and counters. The
// engines store the packets and determine the times of transmissions.
#ifndef ECNOMY_HOST_QUEUE_LINK_QUEUE_H_
#define ECNOMY_HOST_QUEUE_LINK_QUEUE_H_

#include <algorithm>
#include <cstdint>

#include "host/accounts.h"
#include "host/plan.h"
#include "host/tally.h"
#include "laws/marking/marking.h"
#include "laws/wire.h"

namespace ecnomy {

// Transmission time of a frame at a link's rate, rounded to the nearest picosecond.
inline Time transmission_ps(std::int32_t wire_bytes, std::int64_t rate_bps) noexcept {
  return (std::int64_t{wire_bytes} * 8'000'000'000'000 + rate_bps / 2) / rate_bps;
}

// The wire of a link, with its streams.
inline Wire make_wire(const LinkPlan& plan, std::uint64_t seed) {
  const ReorderingPlan& late = plan.reordering;
  return {plan.loss,
          Stream(seed, plan.loss_stream),
          {late.probability, late.delay_ps, Stream(seed, late.stream)},
          plan.delay_profile};
}

// The counters of a packet's source and flow at a link, in addition to the link's own. nullptr means that they do not
// exist.
struct PacketAccounts {
  Hop* hop = nullptr;         // its source's counters at this link
  FlowStats* flow = nullptr;  // the flow's counters, for a data packet
  Tally* tally = nullptr;
};

// `pair`: refused, and the waiting packet `victim` is dropped as well.
enum class Entry : std::uint8_t { pass, mark, refused, full, pair };

// The waiting packets, without the packet in service. Callers call account() before they change the numbers.
struct LinkQueue {
  LinkStats stats;
  std::int64_t packets = 0, bytes = 0;  // bytes: as on this link's wire
  Time free_at = 0;                     // end of the transmissions that were accepted or have begun
  Time work = 0;                        // sum of their durations
  std::int32_t victim = 0;              // position of a waiting packet, see Entry::pair

  // Updates the queue's integral up to now.
  void account(Time now) noexcept {
    stats.queue_integral_ps += static_cast<double>(packets) * static_cast<double>(now - changed_);
    changed_ = now;
  }
  void join(std::int32_t wire_bytes) noexcept {
    ++packets;
    bytes += wire_bytes;
  }
  void leave(std::int32_t wire_bytes) noexcept {
    --packets;
    bytes -= wire_bytes;
  }
  void peak() noexcept { stats.queue_max = std::max(stats.queue_max, packets); }
  void depart(std::int32_t ip_bytes) noexcept {
    ++stats.departures;
    stats.departed_bytes += ip_bytes;
  }

  void arrived(std::int32_t link, std::int32_t ip_bytes, const PacketAccounts& of,
               Time now) noexcept {
    ++stats.arrivals;
    stats.arrived_bytes += ip_bytes;
    if (of.hop) ++of.hop->arrivals;
    if (of.tally) of.tally->arrived(link, packets, now);
  }
  void marked(std::int32_t link, const PacketAccounts& of, Time now) noexcept {
    ++stats.marks;
    if (of.hop) ++of.hop->marks;
    if (of.tally) of.tally->marked(link, now);
  }
  void dropped(std::int32_t link, std::int32_t ip_bytes, bool by_law, bool ect, bool ce,
               const PacketAccounts& of, Time now) noexcept {
    stats.dropped(ip_bytes, by_law, ect, ce);
    if (of.hop) {
      ++of.hop->drops;
      of.hop->ce_dropped += ce ? 1 : 0;
    }
    if (of.flow) ++of.flow->lost;
    if (of.tally) of.tally->dropped(link, now);
  }

  Time busy_ps(Time now) const noexcept { return work - std::max<Time>(free_at - now, 0); }

  // True if the buffer has no room for another packet, or is above its limit.
  bool full(const LinkPlan& plan, std::int32_t wire_bytes) const noexcept {
    return (plan.buffer_packets >= 0 && packets >= plan.buffer_packets) ||
           (plan.buffer_bytes >= 0 && bytes + wire_bytes > plan.buffer_bytes);
  }
  bool overflows(const LinkPlan& plan) const noexcept {
    return (plan.buffer_packets >= 0 && packets > plan.buffer_packets) ||
           (plan.buffer_bytes >= 0 && bytes > plan.buffer_bytes);
  }

  // Decides on a packet's entry, first by the marking law and then by the buffer. An idle link's buffer accepts every
  // packet. The caller sets a mark. `ip` is true if the packet has an ECN field. view() returns the packet's view for a
  // law, and mark_waiting(flow) marks waiting packets.
  template <class Law, class View, class MarkWaiting>
  [[gnu::always_inline]] Entry admit(Law& law, const LinkPlan& plan, bool busy,
                                     std::int32_t wire_bytes, bool ip, Time now, View&& view,
                                     MarkWaiting&& mark_waiting) {
    bool mark = false;
    if (!law.drop_tail()) {
      const QueueView queue{packets, bytes, plan.rate_bps, busy ? kNever : free_at};
      const PacketView packet = view();
      const Decision decision = law.on_arrival(queue, packet, now);
      if (decision.waiting != kNoFlow) {
        if (decision.action == Action::drop_pair) {
          victim = decision.waiting;
          return Entry::pair;
        }
        mark_waiting(decision.waiting);
      }
      const bool marks = decision.action == Action::mark;
      mark = marks && packet.ect;
      if (decision.action == Action::drop || (marks && ip && !packet.ect && plan.drop_not_ect)) {
        return Entry::refused;
      }
    }
    if (busy && full(plan, wire_bytes)) {
      law.on_drop(view(), now);
      return Entry::full;
    }
    return mark ? Entry::mark : Entry::pass;
  }

  // Called after an arrival at a link with classes. Calls drop(queue, by_law) for each drop that the scheduler
  // requests.
  template <class Scheduler, class Drop>
  void make_room(Scheduler& scheduler, const LinkPlan& plan, bool waits, Time now, Drop&& drop) {
    for (;;) {
      const auto victim = scheduler.drop(waits && overflows(plan), now);
      if (victim.service == Scheduler::kNone) return;
      drop(static_cast<std::size_t>(victim.service), victim.by_law);
    }
  }

 private:
  Time changed_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_QUEUE_LINK_QUEUE_H_
