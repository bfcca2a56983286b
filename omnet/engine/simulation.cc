// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>

namespace ecnomy::engine {
namespace {

constexpr std::int64_t kEventsPerLook = 1 << 14;  // a few ms of computing

std::int64_t wall_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

std::string stream_name(const SourcePlan& source, std::int32_t member, const char* use) {
  return "source/" + source.name + "/" + std::to_string(member) + "/" + use;
}

}  // namespace

Simulation::Simulation(const Plan& plan, bridge::Client* client)
    : plan_(&plan), client_(client), recorder_(plan.record, client), last_alive_ns_(wall_ns()) {
  core_.trace = recorder_.trace();
  core_.delay_thresholds = plan.record.delay_thresholds;
  for (std::size_t i = 0; i < plan.links.size(); ++i) {
    core_.links.emplace_back(static_cast<std::int32_t>(i), plan.links[i], plan.seed);
  }
  sources_.reserve(plan.sources.size());
  for (const SourcePlan& source : plan.sources) build_source(source);
  core_.flows.resize(flows_.size());
  core_.late.resize(flows_.size() * core_.delay_thresholds.size());
  started_.resize(flows_.size());
  last_rates_.resize(flows_.size());
  start_flows();
}

std::uint32_t Simulation::add_path(const std::vector<std::int32_t>& path, std::int32_t source) {
  const std::uint32_t first = static_cast<std::uint32_t>(core_.hops.size());
  for (const std::int32_t link : path) {
    core_.hops.push_back({link, false});
    hop_source_.push_back(source);
  }
  if (!path.empty()) core_.hops.back().last = true;
  return first;
}

void Simulation::build_source(const SourcePlan& source) {
  const std::int32_t index = static_cast<std::int32_t>(sources_.size());
  const std::uint32_t path = add_path(source.path, index);
  const std::uint32_t ack_path = add_path(source.ack_path, index);
  sources_.push_back({&source, path, ack_path});
  for (std::int32_t member = 0; member < source.count; ++member) {
    const std::int32_t flow = static_cast<std::int32_t>(flows_.size());
    const Outbox outbox(source.send_overhead_ps,
                        Stream(plan_->seed, stream_name(source, member, "overhead")));
    const Stream traffic(plan_->seed, stream_name(source, member, "traffic"));
    if (source.transport.tcp) {
      flows_.push_back({true, static_cast<std::uint32_t>(tcp_.size())});
      tcp_.emplace_back(sources_.back(), flow, outbox, traffic, &recorder_);
    } else {
      flows_.push_back({false, static_cast<std::uint32_t>(udp_.size())});
      udp_.emplace_back(sources_.back(), flow, outbox, traffic);
    }
  }
}

void Simulation::start_flows() {
  std::uint32_t flow = 0;
  for (const SourcePlan& source : plan_->sources) {
    const StartLaw law{source.start_at, source.start_stagger, source.start_spread};
    for (std::int32_t member = 0; member < source.count; ++member, ++flow) {
      Stream stream(plan_->seed, stream_name(source, member, "start"));
      core_.events.push(law.draw(member, stream), EventKind::application, flow);
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

RunTotals Simulation::run() {
  std::int64_t epoch = 0;
  exchange(0, epoch);
  while (now_ < plan_->duration) {
    const Time end = next_boundary(now_);
    run_until(end);
    now_ = end;
    for (Link& link : core_.links) link.settle(core_, end);
    recorder_.flush();
    exchange(end, ++epoch);
  }
  recorder_.flush();
  return totals();
}

Time Simulation::next_boundary(Time now) const noexcept {
  Time next = std::min((now / plan_->epoch + 1) * plan_->epoch, plan_->duration);
  if (plan_->warmup > now) next = std::min(next, plan_->warmup);
  return next;
}

void Simulation::run_until(Time end) {
  while (!core_.events.empty()) {
    const Event event = core_.events.top();
    if (event.time >= end) return;
    if (++events_ % kEventsPerLook == 0) look_up(event.time);
    dispatch(event);
  }
}

void Simulation::dispatch(const Event& event) {
  const Time now = event.time;
  const std::uint32_t subject = event.subject;
  switch (event.kind) {
    case EventKind::deliver:
      return deliver(event);
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

void Simulation::deliver(const Event& event) {
  Link& link = core_.links[event.subject];
  const PacketId id = link.deliver(core_, event.time);
  const Time next = link.next_delivery();
  if (next == kNever) {
    core_.events.pop();
  } else {
    core_.events.replace_top(next);
  }
  Packet& packet = core_.packets[id];
  if (core_.hops[packet.hop].last) return host_receive(id, event.time);
  ++packet.hop;
  core_.enter(id, event.time);
}

void Simulation::host_receive(PacketId id, Time now) {
  const FlowRef flow = flows_[static_cast<std::size_t>(core_.packets[id].flow)];
  if (flow.tcp) return tcp_[flow.slot].receive(core_, id, now);
  udp_[flow.slot].receive(core_, id, now);
}

void Simulation::application(const Event& event) {
  const FlowRef flow = flows_[event.subject];
  const bool first = !started_[event.subject];
  started_[event.subject] = true;
  if (flow.tcp) {
    TcpFlow& tcp = tcp_[flow.slot];
    return first ? tcp.start(core_, event.time) : tcp.on_application(core_, event.time);
  }
  UdpFlow& udp = udp_[flow.slot];
  return first ? udp.start(core_, event.time) : udp.on_application(core_, event.time);
}

// Several times a wall second: is the market still there, and does it know that we are?
void Simulation::look_up(Time now) {
  if (!client_) return;
  if (client_->hung_up()) client_->throw_gone();
  recorder_.flush_if_many();
  const std::int64_t wall = wall_ns();
  if (wall - last_alive_ns_ < 1'000'000'000) return;
  last_alive_ns_ = wall;
  client_->alive(now, events_);
}

void Simulation::sample(Time now) {
  const std::vector<std::string>& series = plan_->record.series;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::int64_t name = static_cast<std::int64_t>(i);
    const bool queue = series[i] == "queue";
    if (!queue && series[i] != "marking_probability") {
      sample_flows(now, name, series[i]);
      continue;
    }
    for (std::size_t at = 0; at < core_.links.size(); ++at) {
      Link& link = core_.links[at];
      link.catch_up(core_, now);
      const double value = queue ? static_cast<double>(link.queue_packets()) : link.probability();
      recorder_.add_sample(now, name, static_cast<std::int64_t>(at), value);
    }
  }
  recorder_.flush_if_many();
}

// cwnd [packets], rtt [s], rate [bit/s acknowledged since the last sample].
void Simulation::sample_flows(Time now, std::int64_t name, const std::string& what) {
  for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
    double value = 0;
    if (what == "rate") {
      const double bytes = static_cast<double>(core_.flows[flow].acked_bytes);
      value = (bytes - last_rates_[flow]) * 8 / seconds(plan_->record.every_ps);
      last_rates_[flow] = bytes;
    } else if (flows_[flow].tcp) {
      const TcpFlow& tcp = tcp_[flows_[flow].slot];
      value = what == "cwnd" ? tcp.cwnd() : tcp.srtt_s();
    }
    recorder_.add_sample(now, name, static_cast<std::int64_t>(flow), value);
  }
}

std::vector<FlowState> Simulation::states(Time now) const {
  std::vector<FlowState> out;
  out.reserve(flows_.size());
  for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
    const FlowStats& stats = core_.flows[flow];
    if (flows_[flow].tcp) {
      const TcpFlow& tcp = tcp_[flows_[flow].slot];
      out.push_back({stats.under_way(), tcp.active(now), tcp.cwnd(), tcp.cwnd_integral(now),
                     tcp.srtt_s(), tcp.weight()});
    } else {
      const bool active = udp_[flows_[flow].slot].active(now);
      out.push_back({stats.under_way(), active, 0, 0, 0, 0});
    }
  }
  return out;
}

void Simulation::exchange(Time now, std::int64_t epoch) {
  if (!client_) return;
  const bridge::Decide decide =
      recorder_.report(core_, core_.links, states(now), hop_source_, now, epoch);
  last_alive_ns_ = wall_ns();
  if (now < plan_->duration) apply(decide, now);
}

// Links first: what the orders let out already meets the new laws.
void Simulation::apply(const bridge::Decide& decide, Time now) {
  std::map<std::size_t, std::vector<std::pair<std::size_t, double>>> changes;
  for (std::size_t i = 0; i < decide.links.link.size(); ++i) {
    changes[static_cast<std::size_t>(decide.links.link[i])].emplace_back(
        static_cast<std::size_t>(decide.links.param[i]), decide.links.value[i]);
  }
  for (const auto& [link, values] : changes) core_.links[link].reconfigure(values);
  const bridge::FlowDecisions& rows = decide.flows;
  for (std::size_t i = 0; i < rows.flow.size(); ++i) {
    const FlowOrder order{rows.mark_rate[i], rows.rate_cap_bps[i], rows.mark_cap[i],
                          rows.active[i] != 0};
    const FlowRef flow = flows_[static_cast<std::size_t>(rows.flow[i])];
    if (flow.tcp) {
      tcp_[flow.slot].order(core_, order, now);
    } else {
      udp_[flow.slot].order(order);
    }
  }
}

RunTotals Simulation::totals() const {
  RunTotals totals;
  totals.events = events_;
  for (const FlowStats& flow : core_.flows) totals.data_packets += flow.delivered;
  for (const Link& link : core_.links) totals.packet_hops += link.stats().departures;
  return totals;
}

}  // namespace ecnomy::engine
