// SPDX-License-Identifier: Apache-2.0
#include "engine/link.h"

#include <stdexcept>
#include <string>

#include "engine/class_link.h"
#include "engine/far_end.h"

namespace ecnomy::engine {
namespace {

constexpr Time kEndOfTime = Time{1} << 62;  // 53 days; sums with delays still fit

// Prefetches the packet after the next one: if a link holds thousands of packets, it is no longer in the cache.
void prefetch(PacketId id) noexcept { __builtin_prefetch(id); }

}  // namespace

Link::Link(std::int32_t index, const LinkPlan& plan, std::uint64_t seed)
    : index_(index),
      perfect_(plan.perfect()),
      plan_(&plan),
      law_(make_marking(plan.marking.law, plan.marking.values), Stream(seed, plan.stream)),
      law_values_(plan.marking.values) {}

Time Link::transmission(std::int32_t wire_bytes) noexcept {
  if (wire_bytes != cached_bytes_) {
    cached_bytes_ = wire_bytes;
    cached_transmission_ = transmission_ps(wire_bytes, plan_->rate_bps);
  }
  return cached_transmission_;
}

QueueView Link::view(Time now) const noexcept {
  return {queue_.packets, queue_.bytes, plan_->rate_bps,
          queue_.free_at <= now ? queue_.free_at : kNever};
}

void Link::begin_next(Core& core) {
  begin_transmission(core, *waiting_);
  waiting_ = waiting_->next;
  begins_at_ = kNothingWaits;
  if (waiting_ == kNoPacket) return;
  begins_at_ = waiting_->started;
  prefetch(waiting_->next);
}

LinkStats Link::stats() const noexcept {
  LinkStats stats = queue_.stats;
  const std::int64_t waiting_ip_bytes = queue_.bytes - queue_.packets * plan_->framing_bytes;
  stats.departures = stats.arrivals - (stats.drops - lost_) - queue_.packets;
  stats.departed_bytes =
      stats.arrived_bytes - (stats.dropped_bytes - lost_bytes_) - waiting_ip_bytes;
  return stats;
}

void Link::settle(Core& core, Time now) {
  catch_up(core, now);
  queue_.account(now);
}

void Link::begin_transmission(Core& core, Packet& packet) {
  const std::int32_t wire_bytes = packet.bytes + plan_->framing_bytes;
  queue_.account(packet.started);
  queue_.leave(wire_bytes);
  if (!law_.watches_departures()) return;
  const QueueView queue{queue_.packets, queue_.bytes, plan_->rate_bps, kNever};
  const Decision decision = law_.on_departure(queue, packet.view(wire_bytes), packet.started);
  if (decision.action == Action::mark) mark_inside(core, packet, packet.started);
}

void Link::apply_mark(Core& core, Packet& packet, Time now) noexcept {
  if (packet.has(kCe)) return;
  packet.flags = static_cast<std::uint16_t>(packet.flags | kCe);
  queue_.marked(index_, core.accounts_of(packet), now);
  if (core.trace) core.note(TraceEvent::mark, index_, packet, now);
}

void Link::mark_inside(Core& core, Packet& packet, Time now) noexcept {
  if (packet.has(kCe) || !packet.has(kEct)) return;
  ++core.hops[packet.hop].ce_in_flight;
  apply_mark(core, packet, now);
}

void Link::mark_waiting(Core& core, std::int32_t flow, Time now) noexcept {
  for (PacketId id = waiting_; id != kNoPacket; id = id->next) {
    if (flow == kAllFlows || id->flow == flow) mark_inside(core, *id, now);
  }
}

// Drops a waiting packet by the law. All packets behind it begin and arrive earlier, by its transmission time. No event
// refers to a waiting packet: the packet in service precedes it on the link.
void Link::drop_waiting(Core& core, std::int32_t position, Time now) {
  PacketId before = first_;
  while (before->next != waiting_) before = before->next;
  for (; position > 0; --position) before = before->next;
  const PacketId id = before->next;
  const std::int32_t wire_bytes = id->bytes + plan_->framing_bytes;
  const Time saved = transmission_ps(wire_bytes, plan_->rate_bps);
  before->next = id->next;
  if (last_ == id) last_ = before;
  if (waiting_ == id) waiting_ = id->next;
  for (PacketId later = id->next; later != kNoPacket; later = later->next) {
    later->started -= saved;
    later->delivered -= saved;
  }
  begins_at_ = waiting_ == kNoPacket ? kNothingWaits : waiting_->started;
  queue_.account(now);
  queue_.leave(wire_bytes);
  queue_.free_at -= saved;
  queue_.work -= saved;
  if (id->has(kCe)) --core.hops[id->hop].ce_in_flight;
  drop(core, id, true, now);
}

void Link::drop(Core& core, PacketId id, bool by_law, Time now) {
  const Packet& packet = core.packets[id];
  queue_.dropped(index_, packet.bytes, by_law, packet.has(kEct), packet.has(kCe),
                 core.accounts_of(packet), now);
  if (core.trace) core.note(TraceEvent::drop, index_, packet, now);
  core.packets.release(id);
}

bool Link::admitted(Core& core, PacketId id, Packet& packet, std::int32_t wire_bytes, Time now) {
  const Entry entry = queue_.admit(
      law_, *plan_, queue_.free_at > now, wire_bytes, true, now,
      [&] { return packet.view(wire_bytes); },
      [&](std::int32_t flow) { mark_waiting(core, flow, now); });
  if (entry > Entry::mark) {
    if (entry == Entry::pair) drop_waiting(core, queue_.victim, now);
    drop(core, id, entry != Entry::full, now);
    return false;
  }
  if (entry == Entry::mark) apply_mark(core, packet, now);
  return true;
}

void Link::enqueue(Core& core, PacketId id, Time now) {
  catch_up(core, now);
  Packet& packet = core.packets[id];
  Hop& hop = core.hops[packet.hop];
  queue_.arrived(index_, packet.bytes, {&hop, nullptr, core.tally}, now);
  const std::int32_t wire_bytes = packet.bytes + plan_->framing_bytes;
  if (!admitted(core, id, packet, wire_bytes, now)) return;
  if (packet.has(kCe)) ++hop.ce_in_flight;
  if (core.trace) core.note(TraceEvent::enqueue, index_, packet, now);

  const Time duration = transmission(wire_bytes);
  const bool idle = queue_.free_at <= now;
  packet.started = idle ? now : queue_.free_at;
  queue_.free_at = packet.started + duration;
  if (queue_.free_at > kEndOfTime) {
    throw std::overflow_error("link " + plan_->name + ": its backlog reaches beyond 50 days");
  }
  queue_.work += duration;
  packet.delivered = queue_.free_at + plan_->delay_ps;
  line_up(core, id);
  // On an idle link the transmission begins now. If the law watches departures, the packet passes through the queue
  // nevertheless, since begin_next reports departures to the law.
  if (!idle || law_.watches_departures()) queue_up(id, wire_bytes, now);
}

void Link::queue_up(PacketId id, std::int32_t wire_bytes, Time now) noexcept {
  queue_.account(now);
  queue_.join(wire_bytes);
  if (id->started > now) queue_.peak();
  if (waiting_ != kNoPacket) return;
  waiting_ = id;
  begins_at_ = id->started;
}

void Link::line_up(Core& core, PacketId id) {
  id->next = kNoPacket;
  if (first_ == kNoPacket) {
    first_ = id;
    core.events.push(id->delivered, EventKind::deliver, static_cast<std::uint32_t>(index_));
  } else {
    last_->next = id;
  }
  last_ = id;
}

PacketId Link::deliver(Core& core, Time now) {
  catch_up(core, now);
  const PacketId id = first_;
  first_ = id->next;
  if (first_ != kNoPacket) prefetch(first_->next);
  if (id->has(kCe)) --core.hops[id->hop].ce_in_flight;
  return id;
}

void Link::lose(Core& core, PacketId id, Time now) {
  ++lost_;
  lost_bytes_ += id->bytes;
  drop(core, id, false, now);
}

Time Link::on_timer(Core& core, Time now) {
  catch_up(core, now);
  return law_.on_timer(view(now), now);
}

void Link::reconfigure(const std::vector<std::pair<std::size_t, double>>& changes) {
  std::vector<double> values = law_values_;
  for (const auto& [parameter, value] : changes) values.at(parameter) = value;
  law_.configure(values);
  law_values_ = std::move(values);
}

Core::Core() = default;
Core::~Core() = default;

void Core::add_link(const LinkPlan& plan, std::uint64_t seed) {
  const std::int32_t index = static_cast<std::int32_t>(links.size());
  links.emplace_back(index, plan, seed);
  class_links.push_back(
      plan.scheduler.classes.empty() ? nullptr : std::make_unique<ClassLink>(index, plan, seed));
  far_ends.emplace_back(static_cast<std::uint32_t>(index), plan, seed);
}

void Core::enter(PacketId id, Time now) {
  const Hop& hop = hops[packets[id].hop];
  const std::size_t link = static_cast<std::size_t>(hop.link);
  if (hop.service_class >= 0) return class_links[link]->enqueue(*this, id, now);
  links[link].enqueue(*this, id, now);
}

void Core::settle_links(Time now) {
  for (Link& link : links) link.settle(*this, now);
  for (const auto& link : class_links) {
    if (link) link->settle(*this, now);
  }
}

void Core::catch_up_links(Time now) {
  for (Link& link : links) link.catch_up(*this, now);
  for (const auto& link : class_links) {
    if (link) link->catch_up(*this, now);
  }
}

std::vector<LinkState> Core::link_states(Time now) const {
  std::vector<LinkState> out;
  out.reserve(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    out.push_back(class_links[i] ? class_links[i]->state(now) : links[i].state(now));
  }
  return out;
}

std::int64_t Core::transmissions() const {
  std::int64_t sum = 0;
  for (const Link& link : links) sum += link.stats().departures;
  for (const auto& link : class_links) {
    if (link) sum += link->stats().departures;
  }
  return sum;
}

}  // namespace ecnomy::engine
