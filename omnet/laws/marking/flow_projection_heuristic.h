// SPDX-License-Identifier: Apache-2.0
// Marking by projected arrivals, the heuristic (christin2003 section 3).
//
// The flows on list L2 are projected (followed_flows.h: filter, lists, rho). By the time the last of their next rounds
// begins, they bring P bytes, from X flows with the mean window Omega and the mean MSS S:
//   l1 = Q + P - C max(tau_i, 0) - B
// If l1 > 0, ceil(l1 / (rho (Omega / 2 + S))) flows are marked, which removes l1. These are the flows with the
// largest windows among those of L2 that have a packet in the queue (counted since they are followed) and no
// mark in their round. Ties go to the lower flow. The mark is set on the flow's next packet to leave. Rounds and
// marks are counted as in flow_projection.h.
#ifndef ECNOMY_LAWS_MARKING_FLOW_PROJECTION_HEURISTIC_H_
#define ECNOMY_LAWS_MARKING_FLOW_PROJECTION_HEURISTIC_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "followed_flows.h"
#include "marking.h"
#include "multistage_filter.h"
#include "rounds.h"

namespace ecnomy {

class FlowProjectionHeuristic : public MarkingLaw {
 public:
  static constexpr const char* kName = "flow-projection-heuristic";
  static constexpr About kAbout{
      "As flow-projection, but only for large flows, which a multistage filter finds.",
      "christin2003 section 3"};
  static constexpr MarkingTraits kTraits{
      .departures = true, .clock = true, .drops = true, .link_buffer = true, .late = "1"};
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
      {"interval_s", "s", 1, 1e-6, 1e6, "",
       "Interval at which the flows to follow are chosen again (christin2003 section 3)."},
      {"least_bytes", "bytes", 25000, 0, 1e15, "",
       "Number of bytes per interval above which a flow is followed."},
      {"filter", "choice", 0, 0, 1, "serial,parallel",
       "Multistage filter that finds large flows: stages in series or in parallel."},
      {"stages", "whole", 3, 1, 16, "", "Number of hash tables of the filter."},
      {"buckets", "whole", 8, 1, 65536, "",
       "Number of buckets of a stage, to which flows are hashed."},
  };

  explicit FlowProjectionHeuristic(const double* values) { configure(values); }

  // May be called between packets. The flows are kept; a changed filter starts empty.
  void configure(const double* values) {
    check_parameters(this, values);
    limit_bytes_ = values[0] * values[1];
    rules_ = {values[2], values[3], values[4], values[5] != 0};
    interval_ = picoseconds(values[6]);
    const std::vector<double> filter(values + 7, values + 11);
    if (filter == filter_values_) return;
    filter_values_ = filter;
    flows_.use(MultistageFilter(static_cast<std::size_t>(filter[2]),
                                static_cast<std::size_t>(filter[3]), filter[0], filter[1] != 0));
  }

  template <class Uniform>
  Decision on_arrival(const QueueView& queue, const PacketView& packet, Time now,
                      Uniform&&) noexcept {
    flows_.arrives(0, packet, now, rules_);
    const double bytes_per_ps = static_cast<double>(queue.rate_bps) / (8.0 * kPsPerSecond);
    excess_bytes_ = static_cast<double>(queue.bytes + packet.bytes) + flows_.projected() -
                    bytes_per_ps * flows_.wait_ps(now) - limit_bytes_;
    if (excess_bytes_ > 0 && flows_.sums().flows > 0) mark_largest();
    return {};
  }

  template <class Uniform>
  Decision on_departure(const QueueView&, const PacketView& packet, Time, Uniform&&) noexcept {
    return {flows_.leaves(packet) ? Action::mark : Action::pass, kNoFlow};
  }
  bool watches_departures() const noexcept { return true; }

  void on_drop(const PacketView& packet, Time) noexcept { flows_.is_dropped(packet, true); }

  Time first_timer() const noexcept { return interval_; }
  Time on_timer(const QueueView&, Time now) noexcept {
    flows_.end_interval();
    return now + interval_;
  }

  // l1 at the last arrival. A negative value is free space.
  double excess_bytes() const noexcept { return excess_bytes_; }
  double rho() const noexcept { return flows_.rho(); }

  double probability() const noexcept { return 0.0; }

 private:
  void mark_largest() noexcept {
    const FollowedFlows::Sums& all = flows_.sums();
    const double relief = flows_.rho() * (all.mean_window() / 2 + all.mean_mss());
    const double wanted = std::ceil(excess_bytes_ / relief);
    FollowedFlows::Candidates& chosen = flows_.candidates();
    if (wanted < static_cast<double>(chosen.size())) {
      const auto cut = chosen.begin() + static_cast<std::ptrdiff_t>(wanted);
      std::nth_element(chosen.begin(), cut, chosen.end());
      chosen.erase(cut, chosen.end());
    }
    for (const auto& [window, id] : chosen) flows_.mark(id);
  }

  double limit_bytes_;
  RoundRules rules_;
  Time interval_;
  std::vector<double> filter_values_;
  FollowedFlows flows_;
  double excess_bytes_ = 0.0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_FLOW_PROJECTION_HEURISTIC_H_
