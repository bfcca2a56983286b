// SPDX-License-Identifier: Apache-2.0
// The far end of a link, where packets are lost or late by the fate that the wire gives them (laws/wire.h).
#ifndef ECNOMY_ENGINE_FAR_END_H_
#define ECNOMY_ENGINE_FAR_END_H_

#include <cstdint>

#include "engine/core.h"
#include "host/plan.h"

namespace ecnomy::engine {

// Late packets wait equally long, so they keep their order among themselves. The link's `late` event is at the arrival
// of the oldest one.
class FarEnd {
 public:
  FarEnd(std::uint32_t link, const LinkPlan& plan, std::uint64_t seed)
      : link_(link), delay_(plan.reordering.delay_ps), wire_(make_wire(plan, seed)) {}

  // The time of the next late arrival, or kNever if no packet waits.
  Time next() const noexcept { return late_.empty() ? kNever : late_.first->delivered; }

  // Returns true if a packet that the link has delivered arrives now. Otherwise the packet is lost or held.
  template <class AnyLink>
  [[gnu::noinline]] bool passes(AnyLink& link, Core& core, PacketId id, Time now) {
    const Wire::Fate fate = wire_.fate();
    if (fate == Wire::Fate::lost) link.lose(core, id, now);
    if (fate == Wire::Fate::late) hold(core, id, now);
    return fate == Wire::Fate::arrives;
  }

  // Called at the `late` event, which is on top of the event list. Returns the packet that arrives.
  PacketId release(Core& core) {
    const PacketId id = late_.pop();
    late_.empty() ? core.events.pop() : core.events.replace_top(next());
    if (id->has(kCe)) --core.hops[id->hop].ce_in_flight;
    return id;
  }

 private:
  void hold(Core& core, PacketId id, Time now) {
    id->delivered = now + delay_;
    if (id->has(kCe)) ++core.hops[id->hop].ce_in_flight;
    if (late_.empty()) core.events.push(id->delivered, EventKind::late, link_);
    late_.push(id);
  }

  std::uint32_t link_;
  Time delay_;
  Wire wire_;
  PacketFifo late_;
};

// Takes the oldest packet from a link at its delivery, which is on top of the event list. Calls arrive(id) unless the
// packet is lost or late.
template <class AnyLink, class Arrive>
[[gnu::always_inline]] inline void deliver(AnyLink& link, Core& core, std::uint32_t index, Time now,
                                           Arrive&& arrive) {
  const PacketId id = link.deliver(core, now);
  const Time next = link.next_delivery();
  next == kNever ? core.events.pop() : core.events.replace_top(next);
  if (link.perfect() || core.far_ends[index].passes(link, core, id, now)) arrive(id);
}

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_FAR_END_H_
