// SPDX-License-Identifier: Apache-2.0
#include "engine/class_link.h"

#include <utility>

#include "host/class_tally.h"

namespace ecnomy::engine {

void ClassLink::Ring::push(PacketId id) {
  if (tail_ - head_ == slots_.size()) {
    std::vector<PacketId> bigger(slots_.empty() ? 8 : 2 * slots_.size());
    for (std::size_t i = head_; i != tail_; ++i) {
      bigger[i & (bigger.size() - 1)] = slots_[i & (slots_.size() - 1)];
    }
    slots_ = std::move(bigger);
  }
  slots_[tail_++ & (slots_.size() - 1)] = id;
}

ClassLink::ClassLink(std::int32_t index, const LinkPlan& plan, std::uint64_t seed)
    : index_(index), plan_(&plan), law_(plan, seed), waiting_(law_.queues()) {}

LinkState ClassLink::state(Time now) const noexcept {
  return {queue_.stats, queue_.busy_ps(now), queue_.packets, queue_.bytes, law_.probability()};
}

void ClassLink::settle(Core& core, Time now) {
  catch_up(core, now);
  queue_.account(now);
  law_.pass_time(now);
}

void ClassLink::begin_next(Core& core, Time started) {
  queue_.account(started);
  const Service service = law_.next(started);
  if (service.drop) {
    return drop(core, service.service, waiting_[service.service].pop(), true, started);
  }
  const PacketId id = waiting_[service.service].pop();
  const std::int32_t wire_bytes = id->bytes + plan_->framing_bytes;
  queue_.leave(wire_bytes);
  queue_.depart(id->bytes);
  if (core.classes) {
    core.classes->departed(index_, law_.class_of(service.service), id->bytes, service.waited,
                           started);
  }
  if (service.mark) apply_mark(core, *id, service.service, started);
  const Time duration = transmission_ps(wire_bytes, plan_->rate_bps);
  queue_.work += duration;
  queue_.free_at = started + duration;
  id->started = started;
  id->delivered = queue_.free_at + plan_->delay_ps;
  if (under_way_.first == kNoPacket) {
    core.events.push(id->delivered, EventKind::class_deliver, static_cast<std::uint32_t>(index_));
  }
  under_way_.push(id);
}

void ClassLink::apply_mark(Core& core, Packet& packet, std::size_t queue, Time now) {
  if (packet.has(kCe) || !packet.has(kEct)) return;
  packet.flags = static_cast<std::uint16_t>(packet.flags | kCe);
  Hop& hop = core.hops[packet.hop];
  ++hop.ce_in_flight;
  queue_.marked(index_, {&hop, nullptr, core.tally}, now);
  if (core.classes) core.classes->marked(index_, law_.class_of(queue), now);
  if (core.trace) core.note(TraceEvent::mark, index_, packet, now);
}

// Called after the packet has left its queue.
void ClassLink::drop(Core& core, std::size_t queue, PacketId id, bool by_law, Time now) {
  queue_.account(now);
  queue_.leave(id->bytes + plan_->framing_bytes);
  if (id->has(kCe)) --core.hops[id->hop].ce_in_flight;
  if (core.classes) {
    core.classes->dropped(index_, law_.class_of(queue), id->bytes, law_.busy_period(queue), now);
  }
  count_drop(core, id, by_law, now);
}

void ClassLink::count_drop(Core& core, PacketId id, bool by_law, Time now) {
  queue_.dropped(index_, id->bytes, by_law, id->has(kEct), id->has(kCe), core.accounts_of(*id),
                 now);
  if (core.trace) core.note(TraceEvent::drop, index_, *id, now);
  core.packets.release(id);
}

void ClassLink::lose(Core& core, PacketId id, Time now) { count_drop(core, id, false, now); }

void ClassLink::enqueue(Core& core, PacketId id, Time now) {
  catch_up(core, now);
  Packet& packet = core.packets[id];
  Hop& hop = core.hops[packet.hop];
  const bool waits = queue_.free_at > now;
  const std::int32_t wire_bytes = packet.bytes + plan_->framing_bytes;
  const PacketView view = packet.view(wire_bytes);
  queue_.arrived(index_, packet.bytes, {&hop, nullptr, core.tally}, now);
  if (packet.has(kCe)) ++hop.ce_in_flight;
  if (core.trace) core.note(TraceEvent::enqueue, index_, packet, now);
  queue_.account(now);
  queue_.join(wire_bytes);
  const std::size_t of = law_.queue_of(view, static_cast<std::size_t>(hop.service_class));
  const std::size_t queue = law_.arrive(of, view, waits, now);
  waiting_[queue].push(id);
  if (core.classes) {
    core.classes->arrived(index_, law_.class_of(queue), packet.bytes, law_.busy_period(queue), now);
  }
  queue_.make_room(law_, *plan_, waits, now, [&](std::size_t victim, bool by_law) {
    Ring& ring = waiting_[victim];
    drop(core, victim, law_.drops_oldest() ? ring.pop() : ring.pop_last(), by_law, now);
  });
  if (law_.marks_arrival()) apply_mark(core, packet, queue, now);
  law_.settle(now);
  if (waits) return queue_.peak();
  while (queue_.packets > 0 && queue_.free_at <= now) begin_next(core, now);
}

PacketId ClassLink::deliver(Core& core, Time now) {
  catch_up(core, now);
  const PacketId id = under_way_.pop();
  if (id->has(kCe)) --core.hops[id->hop].ce_in_flight;
  return id;
}

}  // namespace ecnomy::engine
