// SPDX-License-Identifier: Apache-2.0
// Marking by projected arrivals, the heuristic (christin2003 section 3).
//
// Only flows that a multistage filter lets pass in an interval of `interval_s` (multistage_filter.h) are
// followed. They are put on list L1; at the interval's end L1 becomes L2 and a flow on neither is
// forgotten. What is projected is L2, all X flows with the mean window Omega and the mean MSS S (bytes;
// m of them marked or hit by a loss in their round), arriving by the beginning of the last next round:
//   l1 = Q + rho ((X - m)(Omega + S) + m Omega / 2) - C max(tau_i, 0) - B
//   rho = bytes of the last interval / bytes in it of flows then on L1, from when each was followed
// (rho corrects what is projected, not what has arrived already). If l1 > 0, as many flows are marked
// as take it away, ceil(l1 / (rho (Omega / 2 + S))): those with the largest windows among the flows of
// L2 that have a packet in the queue (counted from when they are followed) and no mark in their round,
// ties to the lower flow, each in its next packet to leave. Rounds and what counts as a mark are those of flow_projection.h.
//
// No packet costs more for there being more flows: sums over L2 are kept up to date and the latest
// next round is kept as a maximum, both taken anew at each interval's end; flows with packets in the
// queue are listed, so that marking is bounded by the queue.
#ifndef ECNOMY_LAWS_MARKING_FLOW_PROJECTION_HEURISTIC_H_
#define ECNOMY_LAWS_MARKING_FLOW_PROJECTION_HEURISTIC_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flow_projection.h"
#include "marking.h"
#include "multistage_filter.h"
#include "rounds.h"

namespace ecnomy {

class FlowProjectionHeuristic : public MarkingLaw {
 public:
  static constexpr const char* kName = "flow-projection-heuristic";
  static constexpr Parameter kParameters[] = {
      {"buffer_packets", "packets", NAN, 0, 1e12, ""},
      {"mean_packet_bytes", "bytes", 1000, 1, 1e9, ""},
      {"gap_divisor", "", 10, 1e-3, 1e9, ""},
      {"rtt_memory", "", 0.9, 0, 1, ""},
      {"forget_rtts", "", 4, 0, 1e9, ""},
      {"estimator", "choice", 0, 0, 1, "rounds,screened"},
      {"interval_s", "s", 1, 1e-6, 1e6, ""},
      {"least_bytes", "bytes", 25000, 0, 1e15, ""},
      {"filter", "choice", 0, 0, 1, "serial,parallel"},
      {"stages", "", 3, 1, 16, ""},
      {"buckets", "", 8, 1, 65536, ""},
  };

  explicit FlowProjectionHeuristic(const double* values) { configure(values); }

  // Also between packets: flows stay known; another filter starts empty.
  void configure(const double* values) {
    check_parameters(kName, kParameters, values);
    for (const std::size_t i : {std::size_t{9}, std::size_t{10}}) {
      if (values[i] == std::floor(values[i])) continue;
      throw BadParameter(std::string(kName) + ": " + kParameters[i].name + " is not whole");
    }
    limit_bytes_ = values[0] * values[1];
    rules_ = {values[2], values[3], values[4], values[5] != 0};
    interval_ = picoseconds(values[6]);
    const std::vector<double> filter(values + 7, values + 11);
    if (filter == filter_values_) return;
    filter_values_ = filter;
    filter_ = MultistageFilter(static_cast<std::size_t>(filter[2]),
                               static_cast<std::size_t>(filter[3]), filter[0], filter[1] != 0);
  }

  template <class Uniform>
  Decision on_arrival(const QueueView& queue, const PacketView& packet, Time now,
                      Uniform&&) noexcept {
    arrived_bytes_ += packet.bytes;
    if (packet.flow >= 0) follow(packet, now);
    const double bytes_per_ps = static_cast<double>(queue.rate_bps) / (8.0 * kPsPerSecond);
    const double wait_ps = std::max(latest_ps_ - static_cast<double>(now), 0.0);
    excess_bytes_ = static_cast<double>(queue.bytes + packet.bytes) + projected() -
                    bytes_per_ps * wait_ps - limit_bytes_;
    if (excess_bytes_ > 0 && sums_.flows > 0) mark_largest();
    return {};
  }

  template <class Uniform>
  Decision on_departure(const QueueView&, const PacketView& packet, Time, Uniform&&) noexcept {
    const auto found = followed_.find(packet.flow);
    if (found == followed_.end()) return {};
    Followed& flow = found->second;
    flow.leaves();
    if (flow.waiting == 0) unlist(flow);
    return {flow.pays(packet) ? Action::mark : Action::pass, kNoFlow};
  }
  bool watches_departures() const noexcept { return true; }

  void on_drop(const PacketView& packet, Time) noexcept {
    arrived_bytes_ -= packet.bytes;
    const auto found = followed_.find(packet.flow);
    if (found == followed_.end()) return;
    Followed& flow = found->second;
    count(flow, -1);
    flow.is_dropped();
    flow.interval_bytes -= packet.bytes;
    count(flow, 1);
    if (flow.waiting == 0) unlist(flow);
  }

  Time first_timer() const noexcept { return interval_; }

  // An interval ends: L1 becomes L2.
  Time on_timer(const QueueView&, Time now) noexcept {
    std::int64_t identified_bytes = 0;
    sums_ = {};
    latest_ps_ = 0.0;
    for (auto at = followed_.begin(); at != followed_.end();) {
      Followed& flow = at->second;
      flow.projected = std::exchange(flow.recent, false);
      if (flow.projected) identified_bytes += flow.interval_bytes;
      flow.interval_bytes = 0;
      count(flow, 1);
      if (flow.projected || flow.owed > 0) {
        ++at;
      } else {
        unlist(flow);
        at = followed_.erase(at);
      }
    }
    rho_ = identified_bytes > 0
               ? static_cast<double>(arrived_bytes_) / static_cast<double>(identified_bytes)
               : 1.0;
    arrived_bytes_ = 0;
    filter_.clear();
    return now + interval_;
  }

  // l1 at the last arrival; negative: the room left.
  double excess_bytes() const noexcept { return excess_bytes_; }
  double rho() const noexcept { return rho_; }

 private:
  struct Followed : ProjectedFlow {
    bool recent = false;     // on L1
    bool projected = false;  // on L2
    std::int64_t interval_bytes = 0;
    std::size_t place = kUnlisted;  // in listed_
  };
  // Of the flows on L2 whose rounds are known.
  struct Sums {
    std::int64_t flows = 0, marked = 0, mss_bytes = 0, window_bytes = 0;
  };
  static constexpr std::size_t kUnlisted = static_cast<std::size_t>(-1);

  void follow(const PacketView& packet, Time now) noexcept {
    const bool passed = filter_.passes(packet.flow, packet.bytes);
    auto found = followed_.find(packet.flow);
    if (found == followed_.end()) {
      if (!passed) return;
      found = followed_.try_emplace(packet.flow).first;
    }
    Followed& flow = found->second;
    flow.recent = flow.recent || passed;
    flow.interval_bytes += packet.bytes;
    count(flow, -1);
    flow.arrives(packet, now, rules_);
    count(flow, 1);
    if (flow.place == kUnlisted) {
      flow.place = listed_.size();
      listed_.push_back(packet.flow);
    }
  }

  void count(const Followed& flow, std::int64_t sign) noexcept {
    if (!flow.projected || !flow.rounds.known()) return;
    sums_.flows += sign;
    sums_.marked += flow.marked ? sign : 0;
    sums_.mss_bytes += sign * flow.mss_bytes;
    sums_.window_bytes += sign * flow.mss_bytes * flow.rounds.window();
    if (sign > 0) latest_ps_ = std::max(latest_ps_, flow.rounds.next_ps());
  }

  // Bytes expected beyond those that have arrived.
  double projected() const noexcept {
    if (sums_.flows == 0) return 0.0;
    const double unmarked = static_cast<double>(sums_.flows - sums_.marked);
    return rho_ * (unmarked * (mean_window() + mean_mss()) +
                   static_cast<double>(sums_.marked) * mean_window() / 2);
  }

  double mean_window() const noexcept {
    return static_cast<double>(sums_.window_bytes) / static_cast<double>(sums_.flows);
  }
  double mean_mss() const noexcept {
    return static_cast<double>(sums_.mss_bytes) / static_cast<double>(sums_.flows);
  }

  void mark_largest() noexcept {
    chosen_.clear();
    for (const std::int32_t id : listed_) {
      const Followed& flow = followed_.find(id)->second;
      if (flow.projected && flow.rounds.known() && !flow.marked && flow.ect) {
        chosen_.push_back({-flow.rounds.window(), id});
      }
    }
    const double wanted = std::ceil(excess_bytes_ / (rho_ * (mean_window() / 2 + mean_mss())));
    if (wanted < static_cast<double>(chosen_.size())) {
      const auto cut = chosen_.begin() + static_cast<std::ptrdiff_t>(wanted);
      std::nth_element(chosen_.begin(), cut, chosen_.end());
      chosen_.erase(cut, chosen_.end());
    }
    for (const auto& [window, id] : chosen_) followed_.find(id)->second.mark();
    sums_.marked += static_cast<std::int64_t>(chosen_.size());
  }

  void unlist(Followed& flow) noexcept {
    if (flow.place == kUnlisted) return;
    const std::int32_t last = listed_.back();
    listed_[flow.place] = last;
    listed_.pop_back();
    followed_.find(last)->second.place = flow.place;
    flow.place = kUnlisted;
  }

  double limit_bytes_;
  RoundRules rules_;
  Time interval_;
  std::vector<double> filter_values_;
  MultistageFilter filter_;
  std::unordered_map<std::int32_t, Followed> followed_;
  std::vector<std::int32_t> listed_;                           // with packets in the queue
  std::vector<std::pair<std::int64_t, std::int32_t>> chosen_;  // -window, flow: scratch
  Sums sums_;
  double latest_ps_ = 0.0;  // when the last of the next rounds begins
  double rho_ = 1.0;
  std::int64_t arrived_bytes_ = 0;  // in this interval
  double excess_bytes_ = 0.0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_FLOW_PROJECTION_HEURISTIC_H_
