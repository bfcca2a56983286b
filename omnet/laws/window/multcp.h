// SPDX-License-Identifier: Apache-2.0
// MulTCP(w): one flow that imitates w Reno flows (Crowcroft and Oechslin 1998; siris2002 section 5.5,
// which leaves the decrease open: experiments A8, X5).
//
//   ACK    slow start: cwnd += n;  else cwnd += w n / cwnd
//   ECE or fast retransmit, once per round trip:  cwnd <- f used; `used` is the host's cwnd or flight (window.h)
//     one-of-w   f = 1 - 1 / (2 w)    one of the w flows halves its window: throughput ~ w / sqrt(p)
//     halve      f = 1 / 2            all w flows halve their windows:      throughput ~ sqrt(w / p)
//   ssthresh = max(f used, min_ssthresh);  ECE: cwnd = max(f used, 1), loss: cwnd = ssthresh, timeout: cwnd = 1
#ifndef ECNOMY_LAWS_WINDOW_MULTCP_H_
#define ECNOMY_LAWS_WINDOW_MULTCP_H_

#include "window.h"

namespace ecnomy {

class MulTcp {
 public:
  static constexpr const char* kName = "multcp";
  static constexpr About kAbout{"MulTCP: one flow that imitates several Reno flows.",
                                "Crowcroft and Oechslin 1998; siris2002 section 5.5"};
  static constexpr WindowTraits kTraits{
      .recovery = Recovery::all_acked, .halves = true, .weighs = true, .weight = "flows"};
  static constexpr Parameter kParameters[] = {
      {"flows", "", 1, 1, 1e6, "", "Number of Reno flows that it imitates: its weight w."},
      {"decrease", "choice", 0, 0, 1, "one-of-w,halve",
       "Decrease at a mark or loss: half of one of the w flows, or half the window (A8)."},
      {"min_ssthresh", "packets", 2, 1, 1e9, "", "Minimum slow-start threshold."},
  };

  explicit MulTcp(const double* values) {
    check_parameters(this, values);
    min_ssthresh_ = values[2];
    halve_ = values[1] != 0;
    keep_ = 0.5;
    weigh(values[0]);
  }

  void on_ack(Window& window, const Ack& ack) noexcept {
    const double n = static_cast<double>(ack.newly_acked);
    window.set(window.cwnd + (window.in_slow_start() ? n : flows_ * n / window.cwnd));
  }
  void on_congestion(Window& window, double used) noexcept {
    on_loss(window, used);
    window.set(std::max(keep_ * used, 1.0));
  }
  void on_loss(Window& window, double used) noexcept {
    window.ssthresh = std::max(keep_ * used, min_ssthresh_);
    window.set(window.ssthresh);
  }
  void on_timeout(Window& window, double used) noexcept {
    on_loss(window, used);
    window.set(1.0);
  }

  double weight() const noexcept { return 0.0; }
  void set_weight(double) noexcept {}
  void weigh(double flows) noexcept {
    flows_ = std::max(flows, 1.0);
    if (!halve_) keep_ = 1 - 1 / (2 * flows_);
  }

 private:
  double flows_, keep_, min_ssthresh_;
  bool halve_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_MULTCP_H_
