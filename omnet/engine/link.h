// SPDX-License-Identifier: Apache-2.0
// One direction of a link: marking law, FIFO queue, transmitter and propagation.
//
// In a FIFO with a known rate, a packet's departure is known when the packet arrives. So a link needs only one event
// per packet, the delivery at the far end. Changes in between (a transmission begins, the queue shrinks) are computed,
// in order, only when the link is accessed. For an arrival at t, a transmission that begins at the same t has already
// begun. If the law drops a waiting packet, those behind it begin earlier.
#ifndef ECNOMY_ENGINE_LINK_H_
#define ECNOMY_ENGINE_LINK_H_

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "engine/core.h"
#include "host/marking_host.h"
#include "host/plan.h"
#include "host/queue/link_queue.h"

namespace ecnomy::engine {

class Link {
 public:
  Link(std::int32_t index, const LinkPlan& plan, std::uint64_t seed);

  // A packet arrives at the near end, and is queued, or dropped and released. It is inline, since only Core::enter
  // calls it.
  inline void enqueue(Core& core, PacketId id, Time now);

  // Called at the link's deliver event: the oldest packet reaches the far end.
  PacketId deliver(Core& core, Time now);
  // The time of the next delivery, or kNever if no packet is under way.
  Time next_delivery() const noexcept { return first_ == kNoPacket ? kNever : first_->delivered; }

  bool perfect() const noexcept { return perfect_; }  // see LinkPlan
  // The wire has lost the packet just delivered: counts and releases it.
  void lose(Core& core, PacketId id, Time now);

  Time first_timer() const noexcept { return law_.first_timer(); }
  Time on_timer(Core& core, Time now);

  void catch_up(Core& core, Time now) {
    while (begins_at_ <= now) begin_next(core);
  }
  void settle(Core& core, Time now);  // brings all accounts up to now, for a report
  // Sets several parameters of the marking law at once. Throws BadParameter.
  void reconfigure(const std::vector<std::pair<std::size_t, double>>& changes);

  LinkStats stats() const noexcept;
  LinkState state(Time now) const noexcept {
    return {stats(), queue_.busy_ps(now), queue_.packets, queue_.bytes, law_.probability()};
  }

 private:
  static constexpr Time kNothingWaits = std::numeric_limits<Time>::max();

  QueueView view(Time now) const noexcept;
  Time transmission(std::int32_t wire_bytes) noexcept;
  [[gnu::noinline]] void begin_next(Core& core);  // inlined, it would make arrivals spill registers
  void begin_transmission(Core& core, Packet& packet);
  void line_up(Core& core, PacketId id);
  void queue_up(PacketId id, std::int32_t wire_bytes, Time now) noexcept;
  bool admitted(Core& core, PacketId id, Packet& packet, std::int32_t wire_bytes, Time now);
  void apply_mark(Core& core, Packet& packet, Time now) noexcept;
  void mark_inside(Core& core, Packet& packet, Time now) noexcept;
  void mark_waiting(Core& core, std::int32_t flow, Time now) noexcept;
  [[gnu::cold, gnu::noinline]] void drop_waiting(Core& core, std::int32_t position, Time now);
  void drop(Core& core, PacketId id, bool by_law, Time now);

  const std::int32_t index_;
  const bool perfect_;
  const LinkPlan* plan_;
  MarkingHost law_;
  std::int64_t lost_ = 0, lost_bytes_ = 0;  // lost by the wire, after departure
  std::vector<double> law_values_;
  LinkQueue queue_;             // does not count departures and their bytes: see stats()
  PacketId first_ = kNoPacket;  // first packet: waiting, in service or propagating
  PacketId last_ = kNoPacket;
  PacketId waiting_ = kNoPacket;    // the first packet whose transmission has not begun
  Time begins_at_ = kNothingWaits;  // when its transmission begins
  std::int32_t cached_bytes_ = -1;
  Time cached_transmission_ = 0;
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_LINK_H_
