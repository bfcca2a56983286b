// SPDX-License-Identifier: Apache-2.0
// The exchange with the market: the states of flows and links in reports, and the orders in decisions.
#include "engine/simulation.h"
#include "host/row_states.h"

namespace ecnomy::engine {

FlowState Simulation::state(std::size_t flow, Time now) const {
  const FlowRef ref = flows_[flow];
  const std::int64_t under_way = core_.flows[flow].under_way();
  switch (ref.kind) {
    case FlowKind::tcp: {
      FlowState state = tcp_[ref.slot].state(now);
      state.in_flight = under_way;
      return state;
    }
    case FlowKind::udp:
      return {under_way, udp_[ref.slot].active(now), 0, 0, 0, 0, {}};
    case FlowKind::call:
      return {under_way, calls_[ref.slot].active(now), 0, 0, 0, 0, {}};
  }
  return {};
}

std::vector<FlowState> Simulation::states(Time now) const {
  return merge_states(recorder_.rows(), [&](std::size_t flow) { return state(flow, now); });
}

void Simulation::order(std::size_t flow, const FlowOrder& order, Time now) {
  const FlowRef ref = flows_[flow];
  switch (ref.kind) {
    case FlowKind::tcp:
      return tcp_[ref.slot].order(core_, order, now);
    case FlowKind::udp:
      return udp_[ref.slot].order(order);
    case FlowKind::call:
      return calls_[ref.slot].order(order);
  }
}

void Simulation::exchange(Time now, std::int64_t epoch) {
  if (!client_) return;
  const bridge::Decide decide =
      recorder_.report(core_, core_.link_states(now), states(now), now, epoch);
  last_alive_ns_ = wall_ns();
  if (now >= plan_->duration) return;
  hand_out(
      decide, recorder_.rows(),
      [&](std::size_t link, const auto& values) { core_.links[link].reconfigure(values); },
      [&](std::size_t flow, const FlowOrder& part) { order(flow, part, now); });
}

void Simulation::sample(Time now) {
  core_.catch_up_links(now);
  recorder_.sample(core_, core_.link_states(now), states(now), now);
  recorder_.flush_if_many();
}

}  // namespace ecnomy::engine
