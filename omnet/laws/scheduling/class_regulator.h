// SPDX-License-Identifier: Apache-2.0
// Regulation of classes by ECN (christin2003 section 4, Eq. 11 and 12) with the heuristic of its section 3:
// flows that a multistage filter lets pass are followed (flow_projection_heuristic.h: filter, lists, rounds,
// and what counts as a mark are the same), one filter for the link and one rho (bytes of the last interval
// that arrived, over those of flows then on L1; what was dropped may have come before it, and counts).
//
// Class n is projected to bring, by the beginning of the last next round in tau,
//   P_n = rho ((X_n - m_n)(Omega_n + S_n) + m_n Omega_n / 2)   bytes
// and then to need, with backlog Q_n, rate r_n and the delay D_n of the packet last transmitted,
//   r~_n = max{ mu_n, (Q_n + P_n - r_n tau) / (d_n - D_n) }    (mu_n without a delay bound; with D_n at or
// beyond d_n no rate is enough for what is left over). While
//   sum of r~_n > C                                            (Eq. 12)
// a flow of a class with r~_n > mu_n is marked, while sum of Q_n + P_n - C tau > B (Eq. 7, which holds for
// the shared buffer beside Eq. 12) one of any class: the flow of L2 with the largest window that has a
// packet in the queue and no mark in its round, ties to the lower flow, in its next packet to leave.
// Since r~ is linear in between, the last round is where to look (section 3.2).
#ifndef ECNOMY_LAWS_SCHEDULING_CLASS_REGULATOR_H_
#define ECNOMY_LAWS_SCHEDULING_CLASS_REGULATOR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../marking/flow_projection.h"
#include "../marking/multistage_filter.h"
#include "service_class.h"

namespace ecnomy {

struct RegulatorRules {
  double limit_bytes;
  RoundRules rounds;
  Time interval;
  MultistageFilter filter;
};

class ClassRegulator {
 public:
  // What the scheduler knows of a class.
  struct View {
    std::int64_t bytes;  // waiting
    double rate_bps;
    double delay_s;  // of the packet last transmitted
  };

  ClassRegulator(const RegulatorRules& rules, std::size_t classes)
      : rules_(rules), sums_(classes), due_(rules.interval) {}

  // A packet joins its class's queue.
  void follow(std::size_t service, const PacketView& packet, Time now) noexcept {
    while (due_ <= now) {
      // With nothing known and nothing arrived, intervals end alike.
      if (followed_.empty() && arrived_bytes_ == 0) {
        due_ += (now - due_) / rules_.interval * rules_.interval;
      }
      end_interval();
    }
    arrived_bytes_ += packet.bytes;
    if (packet.flow < 0) return;
    const bool passed = rules_.filter.passes(packet.flow, packet.bytes);
    auto found = followed_.find(packet.flow);
    if (found == followed_.end()) {
      if (!passed) return;
      found = followed_.try_emplace(packet.flow).first;
      found->second.service = service;
    }
    Followed& flow = found->second;
    flow.recent = flow.recent || passed;
    flow.interval_bytes += packet.bytes;
    count(flow, -1);
    flow.arrives(packet, now, rules_.rounds);
    count(flow, 1);
    if (flow.place != kUnlisted) return;
    flow.place = listed_.size();
    listed_.push_back(packet.flow);
  }

  // After the packet was let in: marks whom the conditions ask to be marked.
  void regulate(const std::vector<ServiceClass>& promised, const std::vector<View>& views,
                double capacity_bps, Time now) noexcept {
    tau_s_ = std::max(latest_ps_ - static_cast<double>(now), 0.0) / kPsPerSecond;
    if (within(promised, views, capacity_bps)) return;
    chosen_.clear();
    for (const std::int32_t id : listed_) {
      const Followed& flow = followed_.find(id)->second;
      if (flow.projected && flow.rounds.known() && !flow.marked && flow.ect) {
        chosen_.push_back({-flow.rounds.window(), id});
      }
    }
    std::sort(chosen_.begin(), chosen_.end());
    for (const auto& [window, id] : chosen_) {
      Followed& flow = followed_.find(id)->second;
      const std::size_t n = flow.service;
      if (excess_bytes_ <= 0 && need(promised[n], views[n], sums_[n]) <= promised[n].rate_bps) {
        continue;
      }
      flow.mark();
      ++sums_[n].marked;
      if (within(promised, views, capacity_bps)) return;
    }
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

  void is_dropped(const PacketView& packet) noexcept {
    const auto found = followed_.find(packet.flow);
    if (found == followed_.end()) return;
    Followed& flow = found->second;
    count(flow, -1);
    flow.is_dropped();
    count(flow, 1);
    if (flow.waiting == 0) unlist(flow);
  }

  // At the last arrival, after marks: bytes beyond the buffer, and the sum of r~_n.
  double excess_bytes() const noexcept { return excess_bytes_; }
  double needed_bps() const noexcept { return needed_bps_; }
  double rho() const noexcept { return rho_; }

 private:
  struct Followed : ProjectedFlow {
    bool recent = false;     // on L1
    bool projected = false;  // on L2
    std::int64_t interval_bytes = 0;
    std::size_t service = 0;
    std::size_t place = kUnlisted;  // in listed_
  };
  // Of a class's flows on L2 whose rounds are known.
  struct Sums {
    std::int64_t flows = 0, marked = 0, mss_bytes = 0, window_bytes = 0;
  };
  static constexpr std::size_t kUnlisted = static_cast<std::size_t>(-1);

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
    rules_.filter.clear();
    due_ += rules_.interval;
  }

  void count(const Followed& flow, std::int64_t sign) noexcept {
    if (!flow.projected || !flow.rounds.known()) return;
    Sums& sums = sums_[flow.service];
    sums.flows += sign;
    sums.marked += flow.marked ? sign : 0;
    sums.mss_bytes += sign * flow.mss_bytes;
    sums.window_bytes += sign * flow.mss_bytes * flow.rounds.window();
    if (sign > 0) latest_ps_ = std::max(latest_ps_, flow.rounds.next_ps());
  }

  double projected(const Sums& sums) const noexcept {
    if (sums.flows == 0) return 0.0;
    const double flows = static_cast<double>(sums.flows), marked = static_cast<double>(sums.marked);
    const double window = static_cast<double>(sums.window_bytes) / flows;
    const double mss = static_cast<double>(sums.mss_bytes) / flows;
    return rho_ * ((flows - marked) * (window + mss) + marked * window / 2);
  }

  // r~_n
  double need(const ServiceClass& promised, const View& view, const Sums& sums) const noexcept {
    if (!promised.in_time()) return promised.rate_bps;
    const double brought = static_cast<double>(view.bytes) + projected(sums);
    const double left_bits = brought * 8.0 - view.rate_bps * tau_s_;
    if (left_bits <= 0) return promised.rate_bps;
    const double time_s = promised.delay_s - view.delay_s;
    if (time_s <= 0) return std::numeric_limits<double>::infinity();
    return std::max(promised.rate_bps, left_bits / time_s);
  }

  bool within(const std::vector<ServiceClass>& promised, const std::vector<View>& views,
              double capacity_bps) noexcept {
    excess_bytes_ = -capacity_bps / 8.0 * tau_s_ - rules_.limit_bytes;
    needed_bps_ = 0.0;
    for (std::size_t n = 0; n < views.size(); ++n) {
      excess_bytes_ += static_cast<double>(views[n].bytes) + projected(sums_[n]);
      needed_bps_ += need(promised[n], views[n], sums_[n]);
    }
    return excess_bytes_ <= 0 && needed_bps_ <= capacity_bps;
  }

  void unlist(Followed& flow) noexcept {
    if (flow.place == kUnlisted) return;
    const std::int32_t last = listed_.back();
    listed_[flow.place] = last;
    listed_.pop_back();
    followed_.find(last)->second.place = flow.place;
    flow.place = kUnlisted;
  }

  RegulatorRules rules_;
  std::vector<Sums> sums_;  // by class
  std::unordered_map<std::int32_t, Followed> followed_;
  std::vector<std::int32_t> listed_;                           // with packets in the queue
  std::vector<std::pair<std::int64_t, std::int32_t>> chosen_;  // -window, flow: scratch
  Time due_;                                                   // when the interval ends
  double tau_s_ = 0.0;
  double latest_ps_ = 0.0;  // when the last of the next rounds begins
  double rho_ = 1.0;
  std::int64_t arrived_bytes_ = 0;  // in this interval
  double excess_bytes_ = 0.0, needed_bps_ = 0.0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_CLASS_REGULATOR_H_
