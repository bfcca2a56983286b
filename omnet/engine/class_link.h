// SPDX-License-Identifier: Apache-2.0
// One direction of a link with a class scheduler: a queue per class, a transmitter, propagation.
//
// Whose packet goes next is known only when the transmitter is free. Like a link with one queue (link.h)
// it is caught up with before anything looks at it: between two arrivals nothing else tells on the
// choices, so that the delivery is its only event. A transmission that begins at t has begun for an
// arrival at the same t.
#ifndef ECNOMY_ENGINE_CLASS_LINK_H_
#define ECNOMY_ENGINE_CLASS_LINK_H_

#include <cstdint>
#include <vector>

#include "engine/core.h"
#include "host/plan.h"
#include "host/queue/link_queue.h"
#include "host/scheduler_host.h"
#include "laws/wire_loss.h"

namespace ecnomy::engine {

class ClassLink {
 public:
  ClassLink(std::int32_t index, const LinkPlan& plan, std::uint64_t seed);

  // A packet arrives at the near end; it or others may be dropped and released.
  void enqueue(Core& core, PacketId id, Time now);
  // The oldest packet under way reaches the far end; due when the link's event comes.
  PacketId deliver(Core& core, Time now);
  // When the next delivery is due; kNever with nothing under way.
  Time next_delivery() const noexcept {
    return under_way_.first == kNoPacket ? kNever : under_way_.first->delivered;
  }

  // See Link.
  bool loses() noexcept { return loss_.loses(); }
  void lose(Core& core, PacketId id, Time now);

  void catch_up(Core& core, Time now) {
    while (queue_.packets > 0 && queue_.free_at <= now) begin_next(core, queue_.free_at);
  }
  void settle(Core& core, Time now);

  const LinkStats& stats() const noexcept { return queue_.stats; }
  LinkState state(Time now) const noexcept;

 private:
  struct Fifo {
    PacketId first = kNoPacket, last = kNoPacket;

    void push(PacketId id) noexcept;
    PacketId pop() noexcept;
    PacketId pop_last() noexcept;  // walks the list: only what is dropped is sought so
  };

  void begin_next(Core& core, Time started);
  void apply_mark(Core& core, Packet& packet, std::size_t service, Time now);
  void drop(Core& core, std::size_t service, PacketId id, bool by_law, Time now);
  void count_drop(Core& core, PacketId id, bool by_law, Time now);

  const std::int32_t index_;
  const LinkPlan* plan_;
  SchedulerHost law_;
  WireLoss loss_;
  LinkQueue queue_;
  std::vector<Fifo> waiting_;  // by class
  Fifo under_way_;             // in service or propagating
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_CLASS_LINK_H_
