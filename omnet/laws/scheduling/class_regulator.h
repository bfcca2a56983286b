// SPDX-License-Identifier: Apache-2.0
// Regulation of classes by ECN (christin2003 section 4, Eq. 11 and 12) with the heuristic of its section 3. Flows
// that pass a multistage filter are followed (marking/followed_flows.h). The link has one filter and one rho, and
// each class is a group. A dropped packet may have arrived before the interval, so it still counts as arrived.
//
// Class n is projected to bring P_n bytes by the time the last of the next rounds begins, after tau. With backlog Q_n,
// rate r_n and the delay D_n of the packet last transmitted, it then needs the rate
//   r~_n = max{ mu_n, (Q_n + P_n - r_n tau) / (d_n - D_n) }
// (mu_n without a delay bound; infinite if bytes remain and D_n >= d_n). While
//   sum of r~_n > C                                            (Eq. 12)
// a flow of a class with r~_n > mu_n is marked. While sum of Q_n + P_n - C tau > B (Eq. 7, which applies to the
// shared buffer in addition to Eq. 12), a flow of any class is marked. This is the flow of L2 with the largest
// window that has a packet in the queue and no mark in its round; ties go to the lower flow. The mark is set on
// its next packet to leave. r~ is linear between rounds, so only the last round is examined (section 3.2).
#ifndef ECNOMY_LAWS_SCHEDULING_CLASS_REGULATOR_H_
#define ECNOMY_LAWS_SCHEDULING_CLASS_REGULATOR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "../marking/followed_flows.h"
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
  // State of a class in the scheduler.
  struct View {
    std::int64_t bytes;  // waiting bytes
    double rate_bps;
    double delay_s;  // delay of the packet last transmitted
  };

  ClassRegulator(const RegulatorRules& rules, std::size_t classes)
      : rules_(rules), flows_(classes), due_(rules.interval) {
    flows_.use(rules.filter);
  }

  // Counts a packet that joins its class's queue.
  void follow(std::size_t service, const PacketView& packet, Time now) noexcept {
    while (due_ <= now) {
      if (flows_.idle()) due_ += (now - due_) / rules_.interval * rules_.interval;
      flows_.end_interval();
      due_ += rules_.interval;
    }
    flows_.arrives(service, packet, now, rules_.rounds);
  }

  // Called once the packet is accepted. Marks flows until both conditions hold.
  void regulate(const std::vector<ServiceClass>& promised, const std::vector<View>& views,
                double capacity_bps, Time now) noexcept {
    tau_s_ = flows_.wait_ps(now) / kPsPerSecond;
    if (within(promised, views, capacity_bps)) return;
    FollowedFlows::Candidates& chosen = flows_.candidates();
    std::sort(chosen.begin(), chosen.end());
    for (const auto& [window, id] : chosen) {
      const std::size_t n = flows_.group(id);
      if (excess_bytes_ <= 0 && need(promised[n], views[n], n) <= promised[n].rate_bps) continue;
      flows_.mark(id);
      if (within(promised, views, capacity_bps)) return;
    }
  }

  // Called when the packet's transmission begins. Returns true if the packet is to be marked.
  bool leaves(const PacketView& packet) noexcept { return flows_.leaves(packet); }
  void is_dropped(const PacketView& packet) noexcept { flows_.is_dropped(packet, false); }

  // The bytes beyond the buffer and the sum of r~_n at the last arrival, after its marks.
  double excess_bytes() const noexcept { return excess_bytes_; }
  double needed_bps() const noexcept { return needed_bps_; }
  double rho() const noexcept { return flows_.rho(); }

 private:
  // The needed rate r~_n.
  double need(const ServiceClass& promised, const View& view, std::size_t n) const noexcept {
    if (!promised.in_time()) return promised.rate_bps;
    const double brought = static_cast<double>(view.bytes) + flows_.projected(n);
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
      excess_bytes_ += static_cast<double>(views[n].bytes) + flows_.projected(n);
      needed_bps_ += need(promised[n], views[n], n);
    }
    return excess_bytes_ <= 0 && needed_bps_ <= capacity_bps;
  }

  RegulatorRules rules_;
  FollowedFlows flows_;  // by class
  Time due_;             // end of the interval
  double tau_s_ = 0.0;
  double excess_bytes_ = 0.0, needed_bps_ = 0.0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_CLASS_REGULATOR_H_
