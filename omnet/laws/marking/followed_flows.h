// SPDX-License-Identifier: Apache-2.0
// The flows that a link follows (christin2003 section 3): those that a multistage filter lets pass in an
// interval (multistage_filter.h). They are put on list L1; at the interval's end L1 becomes L2 and a flow on
// neither is forgotten. What is projected is L2, in groups (service classes, or one): of a group's X flows whose
// rounds are known, with the mean window Omega and the mean MSS S (bytes), m of them marked or hit by a loss in
// their round, arrive by the beginning of the last next round
//   rho ((X - m)(Omega + S) + m Omega / 2)   bytes
//   rho = bytes of the last interval / bytes in it of flows then on L1, from when each was followed
// (rho corrects what is projected, not what has arrived already).
//
// No packet costs more for there being more flows: sums over L2 are kept up to date and the latest next round
// is kept as a maximum, both taken anew at each interval's end; flows with packets in the queue are listed, so
// that marking is bounded by the queue.
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
  // Of a group's flows on L2 whose rounds are known.
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

  // Another filter, which starts empty; flows stay known.
  void use(MultistageFilter filter) { filter_ = std::move(filter); }

  // A packet joins the queue; a flow stays in the group in which it is first followed.
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

  // Its transmission begins; true if it is to be marked.
  bool leaves(const PacketView& packet) noexcept {
    const auto found = followed_.find(packet.flow);
    if (found == followed_.end()) return false;
    Followed& flow = found->second;
    flow.leaves();
    if (flow.waiting == 0) unlist(flow);
    return flow.pays(packet);
  }

  // It came in this interval if `just_came`, and is then no longer counted in it.
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

  // L1 becomes L2.
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

  // Nothing is known and nothing has arrived: intervals end alike.
  bool idle() const noexcept { return followed_.empty() && arrived_bytes_ == 0; }

  // Flows of L2 that can be marked now: with a packet in the queue and no mark in their round. In no order;
  // may be sorted and cut, and holds until it is asked for again.
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
  // A candidate is marked, in its next packet to leave.
  void mark(std::int32_t id) noexcept {
    Followed& flow = followed_.find(id)->second;
    flow.mark();
    ++sums_[flow.group].marked;
  }

  // Bytes of a group expected beyond those that have arrived.
  double projected(std::size_t group = 0) const noexcept {
    const Sums& sums = sums_[group];
    if (sums.flows == 0) return 0.0;
    const double unmarked = static_cast<double>(sums.flows - sums.marked);
    return rho_ * (unmarked * (sums.mean_window() + sums.mean_mss()) +
                   static_cast<double>(sums.marked) * sums.mean_window() / 2);
  }
  const Sums& sums(std::size_t group = 0) const noexcept { return sums_[group]; }
  double rho() const noexcept { return rho_; }
  // Until the last of the next rounds begins; 0 where all have begun.
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
  std::vector<std::int32_t> listed_;  // with packets in the queue
  Candidates candidates_;
  double latest_ps_ = 0.0;  // when the last of the next rounds begins
  double rho_ = 1.0;
  std::int64_t arrived_bytes_ = 0;  // in this interval
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_FOLLOWED_FLOWS_H_
