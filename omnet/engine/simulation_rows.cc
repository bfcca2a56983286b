// SPDX-License-Identifier: Apache-2.0
// What the market is told of flows and tells them, row by row: a row is a flow, or all flows of a
// source that are reported together (rows.h).
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "engine/simulation.h"

namespace ecnomy::engine {

// cwnd [packets], rtt [s], rate [bit/s acknowledged since the last sample].
void Simulation::sample_flows(Time now, std::int64_t name, const std::string& what) {
  const Rows& rows = recorder_.rows();
  std::vector<double> values;
  if (what == "rate") {
    rows.sum(values,
             [&](std::size_t flow) { return static_cast<double>(core_.flows[flow].acked_bytes); });
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const double bytes = std::exchange(last_rates_[row], values[row]);
      values[row] = (values[row] - bytes) * 8 / seconds(plan_->record.every_ps);
    }
  } else {
    for (const FlowState& state : states(now)) {
      values.push_back(what == "cwnd" ? state.cwnd : state.srtt_s);
    }
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    recorder_.add_sample(now, name, static_cast<std::int64_t>(row), values[row]);
  }
}

FlowState Simulation::state(std::size_t flow, Time now) const {
  const FlowRef ref = flows_[flow];
  const std::int64_t under_way = core_.flows[flow].under_way();
  switch (ref.kind) {
    case FlowKind::tcp: {
      const TcpFlow& tcp = tcp_[ref.slot];
      return {under_way,    tcp.active(now), tcp.cwnd(), tcp.cwnd_integral(now),
              tcp.srtt_s(), tcp.weight()};
    }
    case FlowKind::udp:
      return {under_way, udp_[ref.slot].active(now), 0, 0, 0, 0};
    case FlowKind::call:
      return {under_way, calls_[ref.slot].active(now), 0, 0, 0, 0};
  }
  return {};
}

// Of flows together the sums, but for the RTT: the mean of those that have one.
std::vector<FlowState> Simulation::states(Time now) const {
  std::vector<FlowState> out;
  out.reserve(recorder_.rows().size());
  for (const Rows::Row& row : recorder_.rows()) {
    FlowState sum{};
    std::int64_t timed = 0;
    for (std::size_t flow = row.first; flow < row.end; ++flow) {
      const FlowState one = state(flow, now);
      sum.in_flight += one.in_flight;
      sum.active += one.active;
      sum.cwnd += one.cwnd;
      sum.cwnd_integral += one.cwnd_integral;
      sum.srtt_s += one.srtt_s;
      sum.weight += one.weight;
      timed += one.srtt_s > 0 ? 1 : 0;
    }
    sum.srtt_s /= static_cast<double>(std::max<std::int64_t>(timed, 1));
    out.push_back(sum);
  }
  return out;
}

// Links first: what the orders let out already meets the new laws.
void Simulation::apply(const bridge::Decide& decide, Time now) {
  std::map<std::size_t, std::vector<std::pair<std::size_t, double>>> changes;
  for (std::size_t i = 0; i < decide.links.link.size(); ++i) {
    changes[static_cast<std::size_t>(decide.links.link[i])].emplace_back(
        static_cast<std::size_t>(decide.links.param[i]), decide.links.value[i]);
  }
  for (const auto& [link, values] : changes) core_.links[link].reconfigure(values);
  const bridge::FlowDecisions& orders = decide.flows;
  for (std::size_t i = 0; i < orders.flow.size(); ++i) {
    const FlowOrder whole{orders.mark_rate[i], orders.rate_cap_bps[i], orders.mark_cap[i],
                          orders.active[i] != 0};
    order(recorder_.rows()[static_cast<std::size_t>(orders.flow[i])], whole, now);
  }
}

// Rates and caps of a row are shared out evenly among its flows, the marks that are left over one each
// to the first ones.
void Simulation::order(const Rows::Row& row, const FlowOrder& whole, Time now) {
  const std::int64_t flows = static_cast<std::int64_t>(row.end - row.first);
  FlowOrder part = whole;
  if (whole.mark_rate >= 0) part.mark_rate = whole.mark_rate / row.flows();
  if (whole.rate_cap_bps >= 0) part.rate_cap_bps = whole.rate_cap_bps / row.flows();
  std::int64_t left = whole.mark_cap >= 0 ? whole.mark_cap % flows : 0;
  for (std::size_t flow = row.first; flow < row.end; ++flow, --left) {
    if (whole.mark_cap >= 0) part.mark_cap = whole.mark_cap / flows + (left > 0 ? 1 : 0);
    const FlowRef ref = flows_[flow];
    switch (ref.kind) {
      case FlowKind::tcp:
        tcp_[ref.slot].order(core_, part, now);
        break;
      case FlowKind::udp:
        udp_[ref.slot].order(part);
        break;
      case FlowKind::call:
        calls_[ref.slot].order(part);
        break;
    }
  }
}

}  // namespace ecnomy::engine
