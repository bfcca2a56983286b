// SPDX-License-Identifier: Apache-2.0
// TCP/WTP, the willingness-to-pay window (siris2002 Eq. 4 to 6; antoniadis2000 Eq. 1). On every ACK
//
//   cwnd += gain (n w_inc / cwnd - k / w_dec)      n packets newly acknowledged, k of them marked
//
//   proportional-increase   (w_inc, w_dec) = (w, 1)
//   inverse-decrease        (w_inc, w_dec) = (1, w); (w, 1) for w < 1, because the decrease per mark would be too large
//   general                 any pair, w = w_inc w_dec; a new w scales w_inc
//
// An ACK answers a packet that was sent with the window of one round trip earlier. If windows oscillate, as with marks
// in bursts, the mean ratio of that window to the present one is above 1, and the increases exceed w_inc in each T. So
// a paced flow counts the excess of its increases (Ack::trips), and subtracts 1/64 of the excess in each T.
//
// Below one packet the same step changes ln cwnd: a mark divides the window by e^gain. A paced flow also receives w
// marks in each T there.
//
// In equilibrium a flow receives w marks per round trip, under any marking law. A loss halves the used window
// (antoniadis2000 4.2: its test-bed is Reno) and is repaired as in NewReno; the papers do not define this, and their
// experiments have no losses. A timeout leaves at most one packet. A mark ends slow start.
//
// Round-trip-fair (siris2002 section 5.1, experiments A4): the host multiplies w and gain, as given for a reference
// round trip T_ref, by T / T_ref. Rates then do not depend on T.
#ifndef ECNOMY_LAWS_WINDOW_WTP_H_
#define ECNOMY_LAWS_WINDOW_WTP_H_

#include <cmath>

#include "window.h"

namespace ecnomy {

class Wtp {
 public:
  static constexpr const char* kName = "wtp";
  static constexpr About kAbout{
      "TCP/WTP, willingness to pay: in equilibrium a flow receives its weight in marks per round "
      "trip.",
      "siris2002 Eq. 4 to 6; antoniadis2000 Eq. 1"};
  static constexpr WindowTraits kTraits{.recovery = Recovery::all_acked,
                                        .per_mark = true,
                                        .weighted = true,
                                        .gain = true,
                                        .weight = "w_inc,w_dec",
                                        .steps = Steps::per_mark};
  static constexpr double kMostGain = 1e3;
  static constexpr Parameter kParameters[] = {
      {"form", "choice", 0, 0, 2, "proportional-increase,inverse-decrease,general",
       "Place of the weight: factor of the increase, divisor of the decrease, or both (siris2002 "
       "Eq. 5 and 6)."},
      {"gain", "", 0.5, 1e-9, kMostGain, "",
       "Gain kappa: change of the window per mark (siris2002 Eq. 4)."},
      {"w_inc", "marks", 1, 1e-9, 1e9, "",
       "Weight in the window's increase, for form: general, which needs both weights."},
      {"w_dec", "marks", 1, 1e-9, 1e9, "",
       "Divisor of the window's decrease per mark, for form: general."},
  };

  explicit Wtp(const double* values) {
    check_parameters(this, values);
    form_ = static_cast<Form>(static_cast<int>(values[0]));
    gain_ = values[1];
    w_inc_ = values[2];
    w_dec_ = values[3];
    if (form_ == Form::inverse_decrease) set_weight(weight());
  }

  void on_ack(Window& window, const Ack& ack) noexcept {
    const double acked = static_cast<double>(ack.newly_acked);
    const double k = static_cast<double>(ack.marks);
    if (window.in_slow_start()) {
      if (ack.marks == 0) return window.set(window.cwnd + acked);
      window.ssthresh = 0;
    }
    double rise = acked * w_inc_ / window.cwnd;
    if (ack.trips >= 0) rise = balanced(rise, ack.trips);
    const double fall = ack.marks > 0 ? k / w_dec_ : 0.0;
    window.set(moved(window.cwnd, gain_ * (rise - fall)));
  }
  void on_congestion(Window&, double) noexcept {}
  void on_loss(Window& window, double used) noexcept {
    window.set(used / 2);
    window.ssthresh = 0;
  }
  void on_timeout(Window& window, double) noexcept {
    window.set(std::min(window.cwnd, 1.0));
    window.ssthresh = 0;
  }

  double gain() const noexcept { return gain_; }
  void set_gain(double gain) noexcept { gain_ = std::min(gain, kMostGain); }
  double weight() const noexcept { return w_inc_ * w_dec_; }
  void set_weight(double w) noexcept {
    switch (form_) {
      case Form::inverse_decrease:
        w_dec_ = std::max(w, 1.0);
        w_inc_ = std::min(w, 1.0);
        break;
      case Form::proportional_increase:
      case Form::general:
        w_inc_ = w / w_dec_;
        break;
    }
  }

 private:
  // The window after a step `by`. The scale is cwnd from one packet on, and 1 + ln cwnd below.
  static double moved(double cwnd, double by) noexcept {
    const double to = cwnd + by;
    if (cwnd >= 1 && to >= 1) [[likely]]
      return to;
    const double on_scale = (cwnd < 1 ? 1 + std::log(cwnd) : cwnd) + by;
    return on_scale < 1 ? std::exp(on_scale - 1) : on_scale;
  }

  // An increase minus the part of `ahead_` repaid in `trips` round trips, an implicit Euler step. At most half of
  // the due increase is repaid, so a flow whose weight has fallen continues to send.
  double balanced(double rise, double trips) noexcept {
    const double due = w_inc_ * trips, most = w_inc_ / (2 * kRepaid), before = ahead_;
    ahead_ = std::clamp((before + rise - due) / (1 + kRepaid * trips), -most, most);
    return std::max(ahead_ - before + due, 0.0);
  }

  static constexpr double kRepaid = 1.0 / 64;
  enum class Form { proportional_increase, inverse_decrease, general };
  Form form_;
  double gain_, w_inc_, w_dec_;
  double ahead_ = 0;  // increases minus w_inc for each round trip, in marks
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_WTP_H_
