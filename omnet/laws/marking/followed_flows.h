// SPDX-License-Identifier: Apache-2.0
// The flows that a link follows (christin2003 section 3): those that pass a multistage filter in an interval
// (multistage_filter.h). They are put on list L1. At the interval's end L1 becomes L2, and flows on neither list
// are removed. The flows of L2 are projected in groups (service classes, or one group). X flows of a group have
// known rounds, with the mean window Omega and the mean MSS S (bytes), and m of them had a mark or a loss in
// their round. By the time the last of their next rounds begins, the group brings
//   rho ((X - m)(Omega + S) + m Omega / 2)   bytes
//   rho = bytes of the last interval / bytes in it of flows then on L1, counted since each was followed
// (rho corrects the projection, not the bytes that have already arrived).
//
// The cost per packet does not grow with the number of flows. Sums over L2 and the maximum of the next rounds
// are updated with each packet and recomputed at each interval's end. Flows with packets in the queue are
// listed, so the queue bounds the cost of marking.
#ifndef ECNOMY_LAWS_MARKING_FOLLOWED_FLOWS_H_
#define ECNOMY_LAWS_MARKING_FOLLOWED_FLOWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flow_projection.h"
#include "multistage_filter.h"
#include "rounds.h"

namespace ecnomy {

class FollowedFlows {
 public:
  // Sums over a group's flows on L2 whose rounds are known.
  struct Sums {
    std::int64_t flows = 0, marked = 0, mss_bytes = 0, window_bytes = 0;

    double mean_window() const noexcept { return over_flows(window_bytes); }
    double mean_mss() const noexcept { return over_flows(mss_bytes); }

   private:
    double over_flows(std::int64_t sum) const noexcept {
      return static_cast<double>(sum) / static_cast<double>(flows);
    }
  };
  using Candidates = std::vector<std::pair<std::int64_t, std::int32_t>>;  // -window, flow

  explicit FollowedFlows(std::size_t groups = 1) : sums_(groups) {}

  // Replaces the filter by an empty one; the flows are kept.
  void use(MultistageFilter filter) { filter_ = std::move(filter); }

  // Counts a packet that joins the queue. A flow stays in the group in which it is first followed.
  void arrives(std::size_t group, const PacketView& packet, Time now,
               const RoundRules& rules) noexcept {
    arrived_bytes_ += packet.bytes;
    if (packet.flow < 0) return;
    const bool passed = filter_.passes(packet.flow, packet.bytes);
    auto found = followed_.find(packet.flow);
    if (found == followed_.end()) {
      if (!passed) return;
      found = followed_.try_emplace(packet.flow).first;
      found->second.group = group;
    }
    Followed& flow = found->second;
    flow.recent = flow.recent || passed;
    flow.interval_bytes += packet.bytes;
    count(flow, -1);
    flow.arrives(packet, now, rules);
    count(flow, 1);
    if (flow.place != kUnlisted) return;
    flow.place = listed_.size();
    listed_.push_back(packet.flow);
  }

  // Called when the packet's transmission begins. Returns true if the packet is to be marked.
  bool leaves(const PacketView& packet) noexcept {
    const auto found = followed_.find(packet.flow);
    if (found == followed_.end()) return false;
    Followed& flow = found->second;
    flow.leaves();
    if (flow.waiting == 0) unlist(flow);
    return flow.pays(packet);
  }

  // Called when the packet is dropped. If `just_came` is true, the packet arrived in this interval, which then no
  // longer counts it.
  void is_dropped(const PacketView& packet, bool just_came) noexcept {
    const std::int64_t uncounted = just_came ? packet.bytes : 0;
    arrived_bytes_ -= uncounted;
    const auto found = followed_.find(packet.flow);
    if (found == followed_.end()) return;
    Followed& flow = found->second;
    count(flow, -1);
    flow.is_dropped();
    flow.interval_bytes -= uncounted;
    count(flow, 1);
    if (flow.waiting == 0) unlist(flow);
  }

  // Ends the interval: L1 becomes L2.
  void end_interval() noexcept {
    std::int64_t identified_bytes = 0;
    std::fill(sums_.begin(), sums_.end(), Sums{});
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
  }

  // True if no flow is followed and no packet has arrived, so that the end of an interval changes nothing.
  bool idle() const noexcept { return followed_.empty() && arrived_bytes_ == 0; }

  // Flows of L2 that can be marked now, because they have a packet in the queue and no mark in their round. The order
  // is arbitrary. The caller may sort and shorten the list, which is valid until the next call.
  Candidates& candidates() noexcept {
    candidates_.clear();
    for (const std::int32_t id : listed_) {
      const Followed& flow = followed_.find(id)->second;
      if (flow.projected && flow.rounds.known() && !flow.marked && flow.ect) {
        candidates_.push_back({-flow.rounds.window(), id});
      }
    }
    return candidates_;
  }
  std::size_t group(std::int32_t id) const noexcept { return followed_.find(id)->second.group; }
  // Marks a candidate's next packet to leave.
  void mark(std::int32_t id) noexcept {
    Followed& flow = followed_.find(id)->second;
    flow.mark();
    ++sums_[flow.group].marked;
  }

  // Bytes expected from a group, in addition to those that have arrived.
  double projected(std::size_t group = 0) const noexcept {
    const Sums& sums = sums_[group];
    if (sums.flows == 0) return 0.0;
    const double unmarked = static_cast<double>(sums.flows - sums.marked);
    return rho_ * (unmarked * (sums.mean_window() + sums.mean_mss()) +
                   static_cast<double>(sums.marked) * sums.mean_window() / 2);
  }
  const Sums& sums(std::size_t group = 0) const noexcept { return sums_[group]; }
  double rho() const noexcept { return rho_; }
  // Time until the last of the next rounds begins; 0 if all have begun.
  double wait_ps(Time now) const noexcept {
    return std::max(latest_ps_ - static_cast<double>(now), 0.0);
  }

 private:
  struct Followed : ProjectedFlow {
    bool recent = false;     // on L1
    bool projected = false;  // on L2
    std::int64_t interval_bytes = 0;
    std::size_t group = 0;
    std::size_t place = kUnlisted;  // in listed_
  };
  static constexpr std::size_t kUnlisted = static_cast<std::size_t>(-1);

  void count(const Followed& flow, std::int64_t sign) noexcept {
    if (!flow.projected || !flow.rounds.known()) return;
    Sums& sums = sums_[flow.group];
    sums.flows += sign;
    sums.marked += flow.marked ? sign : 0;
    sums.mss_bytes += sign * flow.mss_bytes;
    sums.window_bytes += sign * flow.mss_bytes * flow.rounds.window();
    if (sign > 0) latest_ps_ = std::max(latest_ps_, flow.rounds.next_ps());
  }

  void unlist(Followed& flow) noexcept {
    if (flow.place == kUnlisted) return;
    const std::int32_t last = listed_.back();
    listed_[flow.place] = last;
    listed_.pop_back();
    followed_.find(last)->second.place = flow.place;
    flow.place = kUnlisted;
  }

  MultistageFilter filter_;
  std::vector<Sums> sums_;  // by group
  std::unordered_map<std::int32_t, Followed> followed_;
  std::vector<std::int32_t> listed_;  // flows with packets in the queue
  Candidates candidates_;
  double latest_ps_ = 0.0;  // start of the last of the next rounds
  double rho_ = 1.0;
  std::int64_t arrived_bytes_ = 0;  // in this interval
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_FOLLOWED_FLOWS_H_
