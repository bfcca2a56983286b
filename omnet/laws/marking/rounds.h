// SPDX-License-Identifier: Apache-2.0
// Estimates a TCP flow's rounds from its packets' arrival times alone (christin2003 section 2.1). In each
// round, which lasts one round-trip time, the sender sends its window.
//
// The first two arrivals give RTT = T2 - T1, W = 1 and the beginning of a round s = T2 (if the first
// packet is a SYN, this is the SYN-ACK estimate). A later arrival at T, after one at T', starts a new round if
//   T - T' > RTT / K  (Eq. 4, K = `gap_divisor`)   or else if W + 1 > W of the previous round + 1;
//   then  RTT <- m RTT + (1 - m)(T - s)  (m = `rtt_memory`),  s <- T,  W <- 1.   Otherwise W <- W + 1.
// The second condition (the safeguard) applies once a previous round exists.
//
// The screened variant is ecnomy's estimator: section 6 asks for a better one but does not define it. T - s is not a
// sample if it does not measure the RTT: if the safeguard ended the round, or if the sender paused for longer than
// `forget_rtts` RTTs.
#ifndef ECNOMY_LAWS_MARKING_ROUNDS_H_
#define ECNOMY_LAWS_MARKING_ROUNDS_H_

#include <cstdint>

#include "../parameter.h"

namespace ecnomy {

struct RoundRules {
  double gap_divisor, rtt_memory, forget_rtts;
  bool screened;
};

class Rounds {
 public:
  // Counts an arrival. Returns true if it starts a round.
  bool on_packet(Time now, const RoundRules& rules) noexcept {
    const Time before = last_;
    last_ = now;
    if (before == kNever) return false;
    if (window_ == 0) {
      start_ = now;
      rtt_ps_ = static_cast<double>(now - before);
      window_ = 1;
      return true;
    }
    const double gap = static_cast<double>(now - before);
    const bool by_gap = gap > rtt_ps_ / rules.gap_divisor;
    if (!by_gap && (previous_ == 0 || window_ <= previous_)) {
      ++window_;
      return false;
    }
    if (!rules.screened || (by_gap && gap <= rules.forget_rtts * rtt_ps_)) {
      const double sample = static_cast<double>(now - start_);
      rtt_ps_ = rules.rtt_memory * rtt_ps_ + (1 - rules.rtt_memory) * sample;
    }
    start_ = now;
    previous_ = window_;
    window_ = 1;
    return true;
  }

  bool known() const noexcept { return window_ > 0; }
  std::int64_t window() const noexcept { return window_; }
  double rtt_ps() const noexcept { return rtt_ps_; }
  // Expected beginning of the next round (Eq. 8).
  double next_ps() const noexcept { return static_cast<double>(start_) + rtt_ps_; }
  // True if the flow has been silent for more than forget_rtts RTTs.
  bool paused(Time now, const RoundRules& rules) const noexcept {
    return static_cast<double>(now - last_) > rules.forget_rtts * rtt_ps_;
  }

 private:
  Time last_ = kNever;
  Time start_ = 0;
  double rtt_ps_ = 0.0;
  std::int64_t window_ = 0;    // packets of this round so far; 0 before the second arrival
  std::int64_t previous_ = 0;  // packets in the previous round; 0: no previous round
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_ROUNDS_H_
