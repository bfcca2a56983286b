// SPDX-License-Identifier: Apache-2.0
// WTP changed at the sender only (antoniadis2000 section 3.1). The receiver echoes marks as in RFC 3168, and
//
//   ACK without echo              cwnd += gain n w / cwnd
//   first echo of a round trip    cwnd += gain (w - cwnd) / 2
//
// This equals WTP if half of a round's packets are marked: cwnd / 2 ACKs, each gain (w / cwnd - 1). If cwnd is
// below w, the second line increases the window; `only_down` limits this change to 0. Further echoes of a round trip
// change nothing (experiments A5). Losses are as in WTP, but a timeout always leaves one packet.
#ifndef ECNOMY_LAWS_WINDOW_WTP_SENDER_H_
#define ECNOMY_LAWS_WINDOW_WTP_SENDER_H_

#include "window.h"

namespace ecnomy {

class WtpSender {
 public:
  static constexpr const char* kName = "wtp-sender";
  static constexpr About kAbout{
      "WTP changed at the sender only: the receiver echoes marks as in RFC 3168.",
      "antoniadis2000 section 3.1"};
  static constexpr WindowTraits kTraits{.recovery = Recovery::all_acked,
                                        .weighted = true,
                                        .gain = true,
                                        .weight = "w",
                                        .steps = Steps::per_round};
  static constexpr double kMostGain = 1;
  static constexpr Parameter kParameters[] = {
      {"gain", "", 0.5, 1e-9, kMostGain, "",
       "Gain of both steps: + gain w in a round trip, gain (w - cwnd) / 2 at an echo "
       "(antoniadis2000 3.1)."},
      {"w", "marks", 1, 1e-9, 1e9, "", "Weight of the flow: marks to receive per round trip."},
      {"only_down", "flag", 0, 0, 1, "", "An echo never increases the window (A5)."},
  };

  explicit WtpSender(const double* values) {
    check_parameters(this, values);
    gain_ = values[0];
    w_ = values[1];
    only_down_ = values[2] != 0;
  }

  void on_ack(Window& window, const Ack& ack) noexcept {
    const double n = static_cast<double>(ack.newly_acked);
    window.set(window.cwnd + (window.in_slow_start() ? n : gain_ * n * w_ / window.cwnd));
  }
  void on_congestion(Window& window, double) noexcept {
    const double change = gain_ * (w_ - window.cwnd) / 2;
    window.ssthresh = 0;
    window.set(window.cwnd + (only_down_ ? std::min(change, 0.0) : change));
  }
  void on_loss(Window& window, double used) noexcept {
    window.ssthresh = 0;
    window.set(used / 2);
  }
  void on_timeout(Window& window, double) noexcept {
    window.ssthresh = 0;
    window.set(1.0);
  }

  double gain() const noexcept { return gain_; }
  void set_gain(double gain) noexcept { gain_ = std::min(gain, kMostGain); }
  double weight() const noexcept { return w_; }
  void set_weight(double w) noexcept { w_ = w; }

 private:
  double gain_, w_;
  bool only_down_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_WTP_SENDER_H_
