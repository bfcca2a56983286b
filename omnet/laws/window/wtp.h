// SPDX-License-Identifier: Apache-2.0
// TCP/WTP, the willingness-to-pay window (siris2002 Eq. 4 to 6; antoniadis2000 Eq. 1). On every ACK
//
//   cwnd += gain (n w_inc / cwnd - k / w_dec)      n newly acknowledged, k of them marked
//
//   proportional-increase   (w_inc, w_dec) = (w, 1)
//   inverse-decrease        (w_inc, w_dec) = (1, w); (w, 1) for w < 1, where a mark would weigh too much
//   general                 any pair, w = w_inc w_dec; a new w scales w_inc
//
// An ACK answers a packet that left at the window of a round trip earlier. The mean of that over the present window is
// above 1 where windows swing, as under marks that come in bursts: then rises are more than w_inc in each T. So a paced
// flow counts how far its rises are ahead (Ack::trips), and in each T takes a 64th of that off them.
//
// Below one packet the same step changes ln cwnd: a mark divides the window by e^gain. A paced flow receives w marks
// in each T there, too.
//
// In equilibrium a flow receives w marks per round trip, whatever marks it. A loss halves
// what was used of it (antoniadis2000 4.2: its test-bed is Reno) and is repaired as by NewReno: no paper says how,
// its experiments have no losses. A timeout leaves one packet, or what it was if that is less. A mark ends slow start.
//
// Round-trip-fair (siris2002 section 5.1, experiments A4): its host sets w and gain to their values at
// a reference round trip times T / T_ref; then rates do not depend on T.
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
                                        .weight = "w_inc,w_dec"};
  static constexpr double kMostGain = 1e3;
  static constexpr Parameter kParameters[] = {
      {"form", "choice", 0, 0, 2, "proportional-increase,inverse-decrease,general",
       "Weight of the flow: w_inc, w_dec (the other is 1), or their product (siris2002 Eq. 5, 6)."},
      {"gain", "", 0.5, 1e-9, kMostGain, "",
       "Gain kappa: change of the window per mark (siris2002 Eq. 4)."},
      {"w_inc", "marks", 1, 1e-9, 1e9, "",
       "Weight in the window's increase: marks to receive per round trip."},
      {"w_dec", "marks", 1, 1e-9, 1e9, "", "Divisor of the window's decrease per mark."},
  };

  explicit Wtp(const double* values) {
    check_parameters(kName, kParameters, values);
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
  // The window `by` further on the scale that is cwnd from one packet on and 1 + ln cwnd below.
  static double moved(double cwnd, double by) noexcept {
    const double to = cwnd + by;
    if (cwnd >= 1 && to >= 1) [[likely]]
      return to;
    const double on_scale = (cwnd < 1 ? 1 + std::log(cwnd) : cwnd) + by;
    return on_scale < 1 ? std::exp(on_scale - 1) : on_scale;
  }

  // A rise less what is repaid of `ahead_` in so many round trips, an implicit Euler step. At most half of what
  // is due is repaid, so that a flow whose weight has fallen goes on.
  double balanced(double rise, double trips) noexcept {
    const double due = w_inc_ * trips, most = w_inc_ / (2 * kRepaid), before = ahead_;
    ahead_ = std::clamp((before + rise - due) / (1 + kRepaid * trips), -most, most);
    return std::max(ahead_ - before + due, 0.0);
  }

  static constexpr double kRepaid = 1.0 / 64;
  enum class Form { proportional_increase, inverse_decrease, general };
  Form form_;
  double gain_, w_inc_, w_dec_;
  double ahead_ = 0;  // rises less w_inc for each round trip, marks
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_WTP_H_
