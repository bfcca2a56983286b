// SPDX-License-Identifier: Apache-2.0
#include "engine/class_link.h"

#include <algorithm>

#include "host/class_tally.h"
#include "host/tally.h"

namespace ecnomy::engine {

void ClassLink::Fifo::push(PacketId id) noexcept {
  id->next = kNoPacket;
  (first == kNoPacket ? first : last->next) = id;
  last = id;
}

PacketId ClassLink::Fifo::pop() noexcept {
  const PacketId id = first;
  first = id->next;
  return id;
}

PacketId ClassLink::Fifo::pop_last() noexcept {
  const PacketId id = last;
  if (id == first) return pop();
  PacketId before = first;
  while (before->next != id) before = before->next;
  before->next = kNoPacket;
  last = before;
  return id;
}

ClassLink::ClassLink(std::int32_t index, const LinkPlan& plan, std::uint64_t seed)
    : index_(index),
      plan_(&plan),
      law_(plan, seed),
      loss_(plan.loss, Stream(seed, plan.loss_stream)),
      waiting_(plan.scheduler.classes.size()) {}

Time ClassLink::transmission(std::int32_t wire_bytes) const noexcept {
  const std::int64_t bit_ps = std::int64_t{wire_bytes} * 8'000'000'000'000;
  return (bit_ps + plan_->rate_bps / 2) / plan_->rate_bps;
}

void ClassLink::account_queue(Time now) noexcept {
  stats_.queue_integral_ps +=
      static_cast<double>(waiting_packets_) * static_cast<double>(now - queue_changed_);
  queue_changed_ = now;
}

LinkState ClassLink::state(Time now) const noexcept {
  const Time busy = work_ - (free_at_ > now ? free_at_ - now : 0);
  return {stats_, busy, waiting_packets_, waiting_bytes_, 0.0};
}

void ClassLink::settle(Core& core, Time now) {
  catch_up(core, now);
  account_queue(now);
}

void ClassLink::begin_next(Core& core, Time started) {
  account_queue(started);
  const Service service = law_.next(started);
  const PacketId id = waiting_[service.service].pop();
  const std::int32_t wire_bytes = id->bytes + plan_->framing_bytes;
  --waiting_packets_;
  waiting_bytes_ -= wire_bytes;
  ++stats_.departures;
  stats_.departed_bytes += id->bytes;
  if (core.classes) {
    core.classes->departed(index_, service.service, id->bytes, service.waited, started);
  }
  if (service.mark) apply_mark(core, *id, service.service, started);
  const Time duration = transmission(wire_bytes);
  work_ += duration;
  free_at_ = started + duration;
  id->started = started;
  id->delivered = free_at_ + plan_->delay_ps;
  if (under_way_.first == kNoPacket) {
    core.events.push(id->delivered, EventKind::class_deliver, static_cast<std::uint32_t>(index_));
  }
  under_way_.push(id);
}

void ClassLink::apply_mark(Core& core, Packet& packet, std::size_t service, Time now) {
  if (packet.has(kCe) || !packet.has(kEct)) return;
  packet.flags = static_cast<std::uint16_t>(packet.flags | kCe);
  ++stats_.marks;
  Hop& hop = core.hops[packet.hop];
  ++hop.marks;
  ++hop.ce_in_flight;
  if (core.tally) core.tally->marked(index_, now);
  if (core.classes) core.classes->marked(index_, service, now);
  if (core.trace) core.note(TraceEvent::mark, index_, packet, now);
}

void ClassLink::drop(Core& core, std::size_t service, bool by_law, Time now) {
  const PacketId id = waiting_[service].pop_last();
  account_queue(now);
  --waiting_packets_;
  waiting_bytes_ -= id->bytes + plan_->framing_bytes;
  if (id->has(kCe)) --core.hops[id->hop].ce_in_flight;
  if (core.classes) {
    core.classes->dropped(index_, service, id->bytes, law_.queue(service), now);
  }
  count_drop(core, id, by_law, now);
}

void ClassLink::count_drop(Core& core, PacketId id, bool by_law, Time now) {
  stats_.dropped(id->bytes, by_law, id->has(kEct), id->has(kCe));
  Hop& hop = core.hops[id->hop];
  ++hop.drops;
  hop.ce_dropped += id->has(kCe) ? 1 : 0;
  if (!id->has(kAck) && !id->has(kSyn)) ++core.flows[id->flow].lost;
  if (core.tally) core.tally->dropped(index_, now);
  if (core.trace) core.note(TraceEvent::drop, index_, *id, now);
  core.packets.release(id);
}

void ClassLink::lose(Core& core, PacketId id, Time now) { count_drop(core, id, false, now); }

bool ClassLink::overflows() const noexcept {
  return (plan_->buffer_packets >= 0 && waiting_packets_ > plan_->buffer_packets) ||
         (plan_->buffer_bytes >= 0 && waiting_bytes_ > plan_->buffer_bytes);
}

void ClassLink::enqueue(Core& core, PacketId id, Time now) {
  catch_up(core, now);
  Packet& packet = core.packets[id];
  Hop& hop = core.hops[packet.hop];
  const std::size_t service = static_cast<std::size_t>(hop.service_class);
  const bool waits = free_at_ > now;
  const std::int32_t wire_bytes = packet.bytes + plan_->framing_bytes;
  ++stats_.arrivals;
  stats_.arrived_bytes += packet.bytes;
  ++hop.arrivals;
  if (core.tally) core.tally->arrived(index_, waiting_packets_, now);
  if (packet.has(kCe)) ++hop.ce_in_flight;
  if (core.trace) core.note(TraceEvent::enqueue, index_, packet, now);
  account_queue(now);
  waiting_[service].push(id);
  ++waiting_packets_;
  waiting_bytes_ += wire_bytes;
  law_.arrive(service, {packet.flow, wire_bytes, packet.has(kEct), packet.has(kCe)}, waits, now);
  if (core.classes) {
    core.classes->arrived(index_, service, packet.bytes, law_.queue(service), now);
  }
  make_room(core, waits, now);
  if (law_.marks_arrival()) apply_mark(core, packet, service, now);
  law_.settle(now);
  if (!waits) {
    if (waiting_packets_ > 0) begin_next(core, now);
    return;
  }
  stats_.queue_max = std::max(stats_.queue_max, waiting_packets_);
}

void ClassLink::make_room(Core& core, bool waits, Time now) {
  for (;;) {
    const SchedulerHost::Dropped victim = law_.drop(waits && overflows(), now);
    if (victim.service == SchedulerHost::kNone) return;
    drop(core, static_cast<std::size_t>(victim.service), victim.by_law, now);
  }
}

PacketId ClassLink::deliver(Core& core, Time now) {
  catch_up(core, now);
  const PacketId id = under_way_.pop();
  if (id->has(kCe)) --core.hops[id->hop].ce_in_flight;
  return id;
}

}  // namespace ecnomy::engine
