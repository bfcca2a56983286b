// SPDX-License-Identifier: Apache-2.0
// Rate-based primal control (siris2002 Eq. 1, from Kelly, Maulloo and Tan; antoniadis2000 section 5,
// which announces it; experiments A1, A14). A flow has a rate x [packets/s], at which its host paces:
//
//   dx/dt = kappa (w - x f)     w: marks/s that it is willing to pay; x f: marks/s that it receives
//
// An ACK of n packets represents n / x seconds. So on every ACK with k marks
//
//   x += kappa (n w / x - k)    kappa in packets/s per mark, x in [min_rate, max_rate]
//
// Below 4 kappa the same step changes 4 kappa (1 + ln(x / 4 kappa)): a mark divides the rate by e^(1/4) instead of
// ending at min_rate. In equilibrium x = w / f, independently of the round trip. cwnd = x T is the number of packets in
// flight, with T smoothed as SRTT (RFC 6298). It bounds the flight: a host allows 2 cwnd + 1 packets. A fast retransmit
// halves x, and a timeout leaves one packet per T; the papers do not define the response to losses.
#ifndef ECNOMY_LAWS_WINDOW_PRIMAL_H_
#define ECNOMY_LAWS_WINDOW_PRIMAL_H_

#include "window.h"

namespace ecnomy {

class Primal {
 public:
  static constexpr const char* kName = "primal";
  static constexpr About kAbout{
      "The rate rises with the marks that the flow is willing to pay and falls with those it "
      "receives.",
      "siris2002 Eq. 1; Kelly, Maulloo and Tan 1998"};
  static constexpr WindowTraits kTraits{.recovery = Recovery::all_acked,
                                        .per_mark = true,
                                        .weighted = true,
                                        .begins = true,
                                        .hears_rtt = true,
                                        .aims = true,
                                        .paced = true};
  static constexpr Parameter kParameters[] = {
      {"w", "marks/s", 10, 1e-9, 1e12, "",
       "Marks per second that the flow is willing to pay: its weight (siris2002 Eq. 1)."},
      {"kappa", "packets/s", 5, 1e-9, 1e9, "", "Gain: fall of the rate at a mark."},
      {"initial_rate", "packets/s", 10, 1e-9, 1e12, "",
       "Sending rate at the start of a connection."},
      {"min_rate", "packets/s", 0.1, 1e-9, 1e12, "", "Least sending rate, whatever the marks."},
      {"max_rate", "packets/s", 1e9, 1e-9, 1e12, "", "Largest sending rate, also without marks."},
  };
  static constexpr AtLeast kOrder[] = {{"max_rate", "min_rate"}};

  explicit Primal(const double* values) {
    check_parameters(this, values);
    w_ = values[0];
    kappa_ = values[1];
    min_ = values[3];
    max_ = values[4];
    initial_ = x_ = std::clamp(values[2], min_, max_);
  }

  void begin(Window&) noexcept {
    x_ = initial_;
    rtt_s_ = 0;
  }
  void on_rtt(Window& window, Time rtt) noexcept {
    const double sample_s = seconds(rtt);
    rtt_s_ = rtt_s_ == 0 ? sample_s : rtt_s_ + (sample_s - rtt_s_) / 8;
    become(window, x_);
  }
  void on_ack(Window& window, const Ack& ack) noexcept {
    const double n = static_cast<double>(ack.newly_acked);
    const double k = static_cast<double>(ack.marks);
    become(window, moved(kappa_ * (n * w_ / x_ - k)));
  }
  void on_congestion(Window&, double) noexcept {}
  void on_loss(Window& window, double) noexcept {
    window.ssthresh = 0;
    become(window, x_ / 2);
  }
  void on_timeout(Window& window, double) noexcept {
    window.ssthresh = 0;
    become(window, rtt_s_ == 0 ? x_ : std::min(x_, 1 / rtt_s_));
  }

  double send_rate() const noexcept { return x_; }
  double weight() const noexcept { return w_; }
  void set_weight(double w) noexcept { w_ = w; }
  void aim(double marks_per_s) noexcept { w_ = marks_per_s; }

 private:
  // The rate after a step. The scale is x from 4 kappa on, and 4 kappa (1 + ln(x / 4 kappa)) below.
  double moved(double step) const noexcept {
    const double low = 4 * kappa_;
    const double at = (x_ < low ? low * (1 + std::log(x_ / low)) : x_) + step;
    return at < low ? low * std::exp(at / low - 1) : at;
  }

  void become(Window& window, double x) noexcept {
    x_ = std::clamp(x, min_, max_);
    if (rtt_s_ > 0) window.set(x_ * rtt_s_);
  }

  double w_, kappa_, initial_, min_, max_;
  double x_;
  double rtt_s_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_PRIMAL_H_
