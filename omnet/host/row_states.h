// SPDX-License-Identifier: Apache-2.0
// Converts between flows and rows: a row's state from its flows' states, and a flow's part of its row's order.
#ifndef ECNOMY_HOST_ROW_STATES_H_
#define ECNOMY_HOST_ROW_STATES_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "bridge/messages.h"
#include "host/accounts.h"
#include "host/rows.h"

namespace ecnomy {

// A row's state consists of the sums over its flows, and of the mean RTT of those flows that have one. `state(flow)`
// returns the state of a flow.
template <class State>
std::vector<FlowState> merge_states(const Rows& rows, State&& state) {
  std::vector<FlowState> out;
  out.reserve(rows.size());
  rows.each([&](const Rows::Row& row) {
    FlowState sum{};
    std::int64_t timed = 0;
    for (std::size_t flow = row.first; flow < row.end; ++flow) {
      const FlowState one = state(flow);
      sum.in_flight += one.in_flight;
      sum.active += one.active;
      sum.cwnd += one.cwnd;
      sum.cwnd_integral += one.cwnd_integral;
      sum.srtt_s += one.srtt_s;
      sum.weight += one.weight;
      sum.files.finished += one.files.finished;
      sum.files.bytes += one.files.bytes;
      sum.files.left += one.files.left;
      timed += one.srtt_s > 0 ? 1 : 0;
    }
    sum.srtt_s /= static_cast<double>(std::max<std::int64_t>(timed, 1));
    out.push_back(sum);
  });
  return out;
}

// Divides rates, weights and caps of a row evenly among its flows. The first flows get one more mark each if the
// marks cannot be divided evenly.
inline FlowOrder share(const Rows::Row& row, const FlowOrder& whole, std::size_t flow) noexcept {
  FlowOrder part = whole;
  if (whole.mark_rate >= 0) part.mark_rate = whole.mark_rate / row.flows();
  if (whole.weight >= 0) part.weight = whole.weight / row.flows();
  if (whole.rate_cap_bps >= 0) part.rate_cap_bps = whole.rate_cap_bps / row.flows();
  if (whole.mark_cap >= 0) {
    const std::int64_t flows = static_cast<std::int64_t>(row.end - row.first);
    const std::int64_t place = static_cast<std::int64_t>(flow - row.first);
    part.mark_cap = whole.mark_cap / flows + (place < whole.mark_cap % flows ? 1 : 0);
  }
  return part;
}

// Applies a decision: first new law parameters (all parameters of a link at once), then orders of flows. Packets that
// an order releases thus meet the new laws.
template <class Reconfigure, class Order>
void hand_out(const bridge::Decide& decide, const Rows& rows, Reconfigure&& reconfigure,
              Order&& order) {
  std::map<std::size_t, std::vector<std::pair<std::size_t, double>>> changes;
  for (std::size_t i = 0; i < decide.links.link.size(); ++i) {
    changes[static_cast<std::size_t>(decide.links.link[i])].emplace_back(
        static_cast<std::size_t>(decide.links.param[i]), decide.links.value[i]);
  }
  for (const auto& [link, values] : changes) reconfigure(link, values);
  const bridge::FlowDecisions& orders = decide.flows;
  for (std::size_t i = 0; i < orders.flow.size(); ++i) {
    const FlowOrder whole{orders.mark_rate[i], orders.rate_cap_bps[i], orders.mark_cap[i],
                          orders.active[i] != 0, orders.weight.empty() ? -1 : orders.weight[i]};
    const Rows::Row row = rows[static_cast<std::size_t>(orders.flow[i])];
    for (std::size_t flow = row.first; flow < row.end; ++flow) order(flow, share(row, whole, flow));
  }
}

}  // namespace ecnomy

#endif  // ECNOMY_HOST_ROW_STATES_H_
