// SPDX-License-Identifier: Apache-2.0
// Marking by projected arrivals, the reference algorithm (christin2003 section 2, Eq. 5 to 10).
//
// For each flow i the router estimates the round-trip time, the window W and the beginning of its round
// (rounds.h). Its next round is expected after tau_i (at least 0). The projection assumes that this round arrives at
// once, with W~ packets:
//   W~ = W + 1  if no packet of the flow was marked or dropped in this round, otherwise  W / 2   (Eq. 5)
// of MSS_i bytes each, the largest packet of the flow so far. Q is the backlog after an arrival. On every arrival,
// while
//   Q + sum over tau_j <= tau_i of MSS_j W~_j - C tau_i > B   for some i                 (Eq. 7, 9)
// and a flow exists without a mark or a loss in its round, the one with the largest window is marked
// (Eq. 10): the oldest of its packets in the queue. In a FIFO queue this is its next packet to leave.
// Flows with packets in the queue go first; for any other flow the next packet is marked. Ties go to the
// lower flow. Flows without any ECT packet are projected but never marked.
//
// The paper leaves two points open. Here a flow that has been silent for more than `forget_rtts` RTTs
// is left out until it sends again, and a packet that arrives marked counts as a mark in its round.
#ifndef ECNOMY_LAWS_MARKING_FLOW_PROJECTION_H_
#define ECNOMY_LAWS_MARKING_FLOW_PROJECTION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "marking.h"
#include "rounds.h"

namespace ecnomy {

// A flow's state in the reference algorithm and in the heuristic: its rounds, packets and marks.
struct ProjectedFlow {
  Rounds rounds;
  std::int32_t mss_bytes = 0;
  std::int32_t waiting = 0;  // its packets in the queue
  std::int32_t owed = 0;     // marks decided, but not yet set on a departing packet
  bool marked = false;       // a mark or a loss in this round
  bool ect = false;

  void arrives(const PacketView& packet, Time now, const RoundRules& rules) noexcept {
    if (rounds.on_packet(now, rules)) marked = false;
    marked = marked || packet.ce;
    ect = ect || packet.ect;
    mss_bytes = std::max(mss_bytes, packet.bytes);
    ++waiting;
  }
  void leaves() noexcept { waiting = std::max(waiting - 1, 0); }
  void is_dropped() noexcept {
    leaves();
    marked = true;
  }
  bool pays(const PacketView& packet) noexcept {
    if (owed == 0 || !packet.ect || packet.ce) return false;
    --owed;
    return true;
  }
  void mark() noexcept {
    marked = true;
    ++owed;
  }
};

class FlowProjection : public MarkingLaw {
 public:
  static constexpr const char* kName = "flow-projection";
  static constexpr About kAbout{
      "Marks flows whose projected next rounds would overflow the buffer.",
      "christin2003 section 2, Eq. 5 to 10"};
  static constexpr MarkingTraits kTraits{
      .departures = true, .drops = true, .link_buffer = true, .late = "1"};
  static constexpr Parameter kParameters[] = {
      {"buffer_packets", "packets", NAN, 0, 1e12, "",
       "Limit B of the projected backlog, in packets of the mean size (christin2003 Eq. 7)."},
      {"mean_packet_bytes", "bytes", 1000, 1, 1e9, "",
       "Size of the packets in which the buffer is counted."},
      {"gap_divisor", "", 10, 1e-3, 1e9, "",
       "A gap longer than RTT / gap_divisor begins a new round: K (christin2003 Eq. 4)."},
      {"rtt_memory", "", 0.9, 0, 1, "",
       "Weight of the previous estimate in the smoothed RTT: m (christin2003 section 2.1)."},
      {"forget_rtts", "", 4, 0, 1e9, "",
       "Silence in RTTs after which a flow is left out of the projection until it sends again."},
      {"estimator", "choice", 0, 0, 1, "rounds,screened",
       "RTT samples: all rounds, or (screened) only rounds that end with a gap of at most "
       "forget_rtts RTTs."},
  };

  explicit FlowProjection(const double* values) { configure(values); }

  // May be called between packets; the state is kept.
  void configure(const double* values) {
    check_parameters(this, values);
    limit_bytes_ = values[0] * values[1];
    rules_ = {values[2], values[3], values[4], values[5] != 0};
  }

  template <class Uniform>
  Decision on_arrival(const QueueView& queue, const PacketView& packet, Time now,
                      Uniform&&) noexcept {
    if (packet.flow >= 0) {
      const std::size_t flow = static_cast<std::size_t>(packet.flow);
      if (flow >= flows_.size()) flows_.resize(flow + 1);
      line_up(flow, packet, now);
    }
    forget(now);
    const double backlog = static_cast<double>(queue.bytes + packet.bytes);
    excess_bytes_ = backlog + projected(queue.rate_bps, now) - limit_bytes_;
    for (double excess = excess_bytes_; excess > 0;) {
      ProjectedFlow* chosen = choose();
      if (chosen == nullptr) break;
      chosen->mark();
      excess = backlog + projected(queue.rate_bps, now) - limit_bytes_;
    }
    return {};
  }

  template <class Uniform>
  Decision on_departure(const QueueView&, const PacketView& packet, Time, Uniform&&) noexcept {
    if (packet.flow < 0) return {};
    ProjectedFlow& flow = flows_[static_cast<std::size_t>(packet.flow)];
    flow.leaves();
    return {flow.pays(packet) ? Action::mark : Action::pass, kNoFlow};
  }
  bool watches_departures() const noexcept { return true; }

  void on_drop(const PacketView& packet, Time) noexcept {
    if (packet.flow >= 0) flows_[static_cast<std::size_t>(packet.flow)].is_dropped();
  }

  // Projected bytes beyond the buffer at the last arrival, before marks. A negative value is free space.
  double excess_bytes() const noexcept { return excess_bytes_; }

  double probability() const noexcept { return 0.0; }

 private:
  // Each packet of a flow may change the flow's place in the order of next rounds.
  void line_up(std::size_t flow, const PacketView& packet, Time now) noexcept {
    const auto id = static_cast<std::int32_t>(flow);
    const auto old = find(id);
    if (old != order_.end() && *old == id) order_.erase(old);
    flows_[flow].arrives(packet, now, rules_);
    if (flows_[flow].rounds.known()) order_.insert(find(id), id);
  }

  std::vector<std::int32_t>::iterator find(std::int32_t id) noexcept {
    return std::lower_bound(order_.begin(), order_.end(), id,
                            [this](std::int32_t a, std::int32_t b) { return sooner(a, b); });
  }

  bool sooner(std::int32_t a, std::int32_t b) const noexcept {
    const double first = flows_[static_cast<std::size_t>(a)].rounds.next_ps();
    const double second = flows_[static_cast<std::size_t>(b)].rounds.next_ps();
    return first != second ? first < second : a < b;
  }

  void forget(Time now) noexcept {
    order_.erase(std::remove_if(order_.begin(), order_.end(),
                                [&](std::int32_t id) {
                                  return flows_[static_cast<std::size_t>(id)].rounds.paused(now,
                                                                                            rules_);
                                }),
                 order_.end());
  }

  // The maximum, over the beginnings of all next rounds, of projected arrivals minus departures.
  double projected(std::int64_t rate_bps, Time now) const noexcept {
    const double bytes_per_ps = static_cast<double>(rate_bps) / (8.0 * kPsPerSecond);
    double most = -kUnlimited, arrived = 0.0;
    for (const std::int32_t id : order_) {
      const ProjectedFlow& flow = flows_[static_cast<std::size_t>(id)];
      const double window = static_cast<double>(flow.rounds.window());
      arrived += flow.mss_bytes * (flow.marked ? window / 2 : window + 1);
      const double tau_ps = flow.rounds.next_ps() - static_cast<double>(now);
      most = std::max(most, arrived - bytes_per_ps * std::max(tau_ps, 0.0));
    }
    return most;
  }

  ProjectedFlow* choose() noexcept {
    ProjectedFlow* best = nullptr;
    std::int32_t best_id = 0;
    for (const std::int32_t id : order_) {
      ProjectedFlow& flow = flows_[static_cast<std::size_t>(id)];
      if (flow.marked || !flow.ect || (best && !precedes(flow, id, *best, best_id))) continue;
      best = &flow;
      best_id = id;
    }
    return best;
  }

  static bool precedes(const ProjectedFlow& a, std::int32_t a_id, const ProjectedFlow& b,
                       std::int32_t b_id) noexcept {
    if ((a.waiting > 0) != (b.waiting > 0)) return a.waiting > 0;
    if (a.rounds.window() != b.rounds.window()) return a.rounds.window() > b.rounds.window();
    return a_id < b_id;
  }

  double limit_bytes_;
  RoundRules rules_;
  double excess_bytes_ = 0.0;
  std::vector<ProjectedFlow> flows_;
  std::vector<std::int32_t> order_;  // flows in a round, in the order of their next rounds
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_FLOW_PROJECTION_H_
