// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "engine/far_end.h"

namespace ecnomy::engine {
namespace {

constexpr std::int64_t kEventsPerLook = 1 << 14;  // a few ms of computing

}  // namespace

std::int64_t Simulation::wall_ns() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

Simulation::Simulation(const Plan& plan, bridge::Client* client)
    : plan_(&plan),
      client_(client),
      recorder_(plan, client),
      tally_(plan),
      class_tally_(plan),
      last_alive_ns_(wall_ns()) {
  core_.trace = recorder_.trace();
  if (plan.warmup == 0) begin_tally();
  core_.delay_thresholds = plan.record.delay_thresholds;
  for (const LinkPlan& link : plan.links) core_.add_link(link, plan.seed);
  if (client && plan.record.classes_every > 0) core_.classes = &class_tally_;
  make_room();
  for (const SourcePlan& source : plan.sources) build_source(source);
  core_.open(flows_.size());
  started_.resize(flows_.size());
  start_flows();
}

// Reserves exactly one entry per flow. With many flows, a vector that doubles its capacity would waste up to
// half of the memory.
void Simulation::make_room() {
  sources_.reserve(plan_->sources.size());
  std::size_t tcp = 0, udp = 0, calls = 0;
  for (const SourcePlan& source : plan_->sources) {
    const bool call = source.traffic.law == Voip::kName;
    (source.transport.tcp ? tcp : call ? calls : udp) += static_cast<std::size_t>(source.count);
  }
  tcp_.reserve(tcp);
  udp_.reserve(udp);
  calls_.reserve(calls);
  flows_.reserve(tcp + udp + calls);
  core_.events.reserve(tcp + udp + calls + plan_->links.size());
}

// Gives a law that needs random draws one stream per flow.
void Simulation::draw_rtt_errors(SourceConfig& source) {
  if (!source.sender || !source.sender->law.noisy()) return;
  source.rtt_errors = std::make_unique<std::vector<Stream>>();
  for (std::int32_t member = 0; member < source.plan->count; ++member) {
    source.rtt_errors->emplace_back(plan_->seed, stream_name(*source.plan, member, "rtt"));
  }
}

void Simulation::build_source(const SourcePlan& source) {
  const std::int32_t index = static_cast<std::int32_t>(sources_.size());
  const std::uint32_t path = core_.add_path(source.path, source.classes, index);
  const std::uint32_t ack_path = core_.add_path(source.ack_path, source.ack_classes, index);
  sources_.emplace_back(source, path, ack_path, static_cast<std::int32_t>(flows_.size()),
                        &recorder_);
  draw_rtt_errors(sources_.back());
  sources_.back().prepare_calls(*plan_);
  for (std::int32_t member = 0; member < source.count; ++member) {
    const std::int32_t flow = static_cast<std::int32_t>(flows_.size());
    const Outbox outbox(source.send_overhead_ps,
                        Stream(plan_->seed, stream_name(source, member, "overhead")));
    const Stream traffic(plan_->seed, stream_name(source, member, "traffic"));
    if (source.transport.tcp) {
      flows_.push_back({FlowKind::tcp, static_cast<std::uint32_t>(tcp_.size())});
      tcp_.emplace_back(sources_.back(), flow, outbox, traffic);
    } else if (source.traffic.law == Voip::kName) {
      flows_.push_back({FlowKind::call, static_cast<std::uint32_t>(calls_.size())});
      const Stream speech(plan_->seed, stream_name(source, member, "speech"));
      calls_.emplace_back(sources_.back(), flow, member, outbox, traffic, speech, &recorder_);
    } else {
      flows_.push_back({FlowKind::udp, static_cast<std::uint32_t>(udp_.size())});
      udp_.emplace_back(sources_.back(), flow, outbox, traffic);
    }
  }
}

void Simulation::start_flows() {
  std::uint32_t flow = 0;
  for (const SourcePlan& source : plan_->sources) {
    const StartLaw law{source.start_at, source.start_stagger, source.start_spread};
    const bool in_profile = source.traffic.law == OneFile::kName;  // the start is the only draw
    for (std::int32_t member = 0; member < source.count; ++member, ++flow) {
      Stream stream(plan_->seed, stream_name(source, member, "start"));
      Time start = law.draw(member, stream);
      if (in_profile) start = later(law.at, source.profile.stretch(law.at, start - law.at));
      core_.events.push(start, EventKind::application, flow);
    }
  }
  for (std::size_t i = 0; i < core_.links.size(); ++i) {
    const Time first = core_.links[i].first_timer();
    if (first != kNever) {
      core_.events.push(first, EventKind::law_timer, static_cast<std::uint32_t>(i));
    }
  }
  if (client_ && plan_->record.every_ps > 0) core_.events.push(0, EventKind::sample, 0);
}

// From now on, links and hosts count into the tally.
void Simulation::begin_tally() noexcept {
  if (client_ && tally_.wanted()) core_.tally = &tally_;
}

RunTotals Simulation::run() {
  while (step()) {
  }
  return totals();
}

bool Simulation::step() {
  exchange(now_, epoch_++);
  if (now_ >= plan_->duration) {
    recorder_.flush();
    if (core_.tally) tally_.tell_histograms(*client_);
    return false;
  }
  now_ = plan_->next_report(now_);
  run_until(now_);
  core_.settle_links(now_);
  settle_calls(now_);
  recorder_.flush();
  if (core_.tally) tally_.tell_counts(*client_, now_);
  if (core_.classes) class_tally_.tell(*client_, now_);
  if (now_ == plan_->warmup) begin_tally();
  return true;
}

// A packet reaches the far end of its link.
[[gnu::always_inline]] inline void Simulation::arrive(PacketId id, Time now) {
  if (core_.hops[id->hop].last) return host_receive(id, now);
  ++id->hop;
  core_.enter(id, now);
}

[[gnu::noinline]] void Simulation::deliver_other(const Event& event) {
  const std::uint32_t link = event.subject;
  const Time now = event.time;
  if (event.kind == EventKind::late) {
    const PacketId id = core_.far_ends[link].release(core_, now);
    return id == kNoPacket ? void() : arrive(id, now);
  }
  deliver(*core_.class_links[link], core_, link, now, [&](PacketId id) { arrive(id, now); });
}

[[gnu::always_inline]] inline void Simulation::dispatch(const Event& event) {
  const Time now = event.time;
  const std::uint32_t subject = event.subject;
  switch (event.kind) {
    case EventKind::deliver:
      return deliver(core_.links[subject], core_, subject, now,
                     [&](PacketId id) { arrive(id, now); });
    case EventKind::class_deliver:
    case EventKind::late:
      return deliver_other(event);
    case EventKind::depart: {
      const Time next = tcp_[flows_[subject].slot].depart(core_, now);
      return next == kNever ? core_.events.pop() : core_.events.replace_top(next);
    }
    case EventKind::law_timer: {
      const Time next = core_.links[subject].on_timer(core_, now);
      return next == kNever ? core_.events.pop() : core_.events.replace_top(next);
    }
    case EventKind::sample:
      core_.events.replace_top(now + plan_->record.every_ps);
      return sample(now);
    case EventKind::pace:
      core_.events.pop();
      return tcp_[flows_[subject].slot].on_pace(core_, now);
    case EventKind::timeout:
      core_.events.pop();
      return tcp_[flows_[subject].slot].on_timeout(core_, now);
    case EventKind::delayed_ack:
      core_.events.pop();
      return tcp_[flows_[subject].slot].on_delayed_ack(core_, now);
    case EventKind::application:
      core_.events.pop();
      return application(event);
  }
}

void Simulation::run_until(Time end) {
  while (core_.events.due(end)) {
    const Event event = core_.events.top();
    if (++events_ % kEventsPerLook == 0) look_up(event.time);
    dispatch(event);
  }
}

void Simulation::host_receive(PacketId id, Time now) {
  const FlowRef flow = flows_[static_cast<std::size_t>(core_.packets[id].flow)];
  switch (flow.kind) {
    case FlowKind::tcp:
      return tcp_[flow.slot].receive(core_, id, now);
    case FlowKind::udp:
      return udp_[flow.slot].receive(core_, id, now);
    case FlowKind::call:
      return calls_[flow.slot].receive(core_, id, now);
  }
}

void Simulation::application(const Event& event) {
  const FlowRef flow = flows_[event.subject];
  const bool first = !started_[event.subject];
  started_[event.subject] = true;
  const auto act = [&](auto& host) {
    first ? host.start(core_, event.time) : host.on_application(core_, event.time);
  };
  switch (flow.kind) {
    case FlowKind::tcp:
      return act(tcp_[flow.slot]);
    case FlowKind::udp:
      return act(udp_[flow.slot]);
    case FlowKind::call:
      return act(calls_[flow.slot]);
  }
}

// Hands in the calls that found no free line, and the calls whose packets have all arrived or been lost. At the end of
// the run it hands in all calls.
void Simulation::settle_calls(Time now) {
  for (const SourceConfig& source : sources_) {
    if (source.callers) source.callers->lose(now, recorder_);
  }
  for (CallFlow& flow : calls_) {
    now < plan_->duration ? flow.settle(core_, now) : flow.finish(core_, now);
  }
}

// Called several times per second of wall time. Checks that the market is connected, and sends it an `alive`.
void Simulation::look_up(Time now) {
  if (!client_) return;
  if (client_->hung_up()) client_->throw_gone();
  recorder_.flush_if_many();
  if (core_.tally && tally_.many()) {
    core_.catch_up_links(now);
    tally_.tell_counts(*client_, now);
  }
  const std::int64_t wall = wall_ns();
  if (wall - last_alive_ns_ < 1'000'000'000) return;
  last_alive_ns_ = wall;
  client_->alive(now, events_);
}

RunTotals Simulation::totals() const {
  RunTotals totals;
  totals.events = events_;
  for (const FlowStats& flow : core_.flows) totals.data_packets += flow.delivered;
  totals.packet_hops = core_.transmissions();
  return totals;
}

}  // namespace ecnomy::engine
