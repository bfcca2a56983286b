// SPDX-License-Identifier: Apache-2.0
// The far end of a link, where packets are lost or held back as the wire decides (laws/wire.h).
#ifndef ECNOMY_ENGINE_FAR_END_H_
#define ECNOMY_ENGINE_FAR_END_H_

#include <cstdint>

#include "engine/core.h"
#include "host/plan.h"

namespace ecnomy::engine {

// Packets that the wire holds back, in the order of their arrivals. A `late` event is at the arrival of the first one.
// When the delay falls, a packet arrives before the others that wait. It then gets a further event, and one event finds
// no packet at its time.
class FarEnd {
 public:
  FarEnd(std::uint32_t link, const LinkPlan& plan, std::uint64_t seed)
      : link_(link), wire_(make_wire(plan, seed)) {}

  // The time of the next late arrival, or kNever if no packet waits.
  Time next() const noexcept { return late_.empty() ? kNever : late_.first->delivered; }

  // Returns true if a packet that the link has delivered arrives now. Otherwise the packet is lost or held.
  template <class AnyLink>
  [[gnu::noinline]] bool passes(AnyLink& link, Core& core, PacketId id, Time now) {
    const Time held = wire_.held(now);
    if (held == 0) return true;
    held == kNever ? link.lose(core, id, now) : hold(core, id, now + held);
    return false;
  }

  // Called at a `late` event, which is on top of the event list. Returns the packet that arrives, or kNoPacket.
  PacketId release(Core& core, Time now) {
    if (next() != now) {
      core.events.pop();
      return kNoPacket;
    }
    const PacketId id = late_.pop();
    late_.empty() ? core.events.pop() : core.events.replace_top(next());
    if (id->has(kCe)) --core.hops[id->hop].ce_in_flight;
    return id;
  }

 private:
  void hold(Core& core, PacketId id, Time arrival) {
    id->delivered = arrival;
    if (id->has(kCe)) ++core.hops[id->hop].ce_in_flight;
    if (next() == kNever || arrival < next()) core.events.push(arrival, EventKind::late, link_);
    late_.insert(id);
  }

  std::uint32_t link_;
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
