// SPDX-License-Identifier: Apache-2.0
// One direction of a link with a class scheduler: a queue per class or per flow, a transmitter, and propagation.
//
// The scheduler chooses the next packet only when the transmitter is free. As in a link with one queue
// (link.h), changes are computed only when the link is accessed. Between two arrivals nothing else affects the
// scheduler's choices, so the delivery is the link's only event. For an arrival at t, a transmission that begins at the
// same t has already begun.
#ifndef ECNOMY_ENGINE_CLASS_LINK_H_
#define ECNOMY_ENGINE_CLASS_LINK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core.h"
#include "host/plan.h"
#include "host/queue/link_queue.h"
#include "host/scheduler_host.h"

namespace ecnomy::engine {

class ClassLink {
 public:
  ClassLink(std::int32_t index, const LinkPlan& plan, std::uint64_t seed);

  // A packet arrives at the near end. This packet or others may be dropped and released.
  void enqueue(Core& core, PacketId id, Time now);
  // Called at the link's event: the oldest packet under way reaches the far end.
  PacketId deliver(Core& core, Time now);
  // The time of the next delivery, or kNever if no packet is under way.
  Time next_delivery() const noexcept {
    return under_way_.first == kNoPacket ? kNever : under_way_.first->delivered;
  }

  // As in class Link.
  bool perfect() const noexcept { return plan_->perfect(); }
  void lose(Core& core, PacketId id, Time now);

  void catch_up(Core& core, Time now) {
    while (queue_.packets > 0 && queue_.free_at <= now) begin_next(core, queue_.free_at);
  }
  void settle(Core& core, Time now);

  const LinkStats& stats() const noexcept { return queue_.stats; }
  LinkState state(Time now) const noexcept;

 private:
  // The packets of a queue. It is a ring and not a chain, because a full buffer drops the last packet.
  class Ring {
   public:
    void push(PacketId id);
    PacketId pop() noexcept { return slots_[head_++ & (slots_.size() - 1)]; }
    PacketId pop_last() noexcept { return slots_[--tail_ & (slots_.size() - 1)]; }

   private:
    std::vector<PacketId> slots_;  // its size is a power of two
    std::size_t head_ = 0, tail_ = 0;
  };

  void begin_next(Core& core, Time started);
  void apply_mark(Core& core, Packet& packet, std::size_t queue, Time now);
  void drop(Core& core, std::size_t queue, PacketId id, bool by_law, Time now);
  void count_drop(Core& core, PacketId id, bool by_law, Time now);

  const std::int32_t index_;
  const LinkPlan* plan_;
  SchedulerHost law_;
  LinkQueue queue_;
  std::vector<Ring> waiting_;  // by queue
  PacketFifo under_way_;       // packets in service or propagating
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_CLASS_LINK_H_
