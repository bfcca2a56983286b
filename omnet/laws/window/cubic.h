// SPDX-License-Identifier: Apache-2.0
// CUBIC (RFC 9438): after a reduction the window grows as a cubic function of time, flat near its former size.
//
//   W(t) = C (t - K)^3 + W_max,   K = cbrt((W_max - W_0) / C)    t in s since growth began at W_0     (Eq. 1, 2)
//   ACK    slow start: cwnd += n;  otherwise, with T the smoothed RTT and alpha = 3 (1 - beta) / (1 + beta),
//     W_est += alpha n / cwnd        Reno's window; alpha = 1 once W_est is back at the former window    (Eq. 4)
//     W(t) < W_est                   cwnd = W_est, the Reno-friendly region                      (section 4.3)
//     else                           cwnd += n (clamp(W(t + T), cwnd, 1.5 cwnd) - cwnd) / cwnd   (4.2, 4.4, 4.5)
//   ECE or fast retransmit           W_max = cwnd, or (1 + beta) / 2 cwnd if cwnd is less than the last W_max
//                                    (fast convergence, 4.7); ssthresh = max(beta used, min_ssthresh);
//                                    ECE: cwnd = max(beta used, 1), loss: cwnd = ssthresh          (section 4.6)
//                                    with `beta_ecn`, ECE: beta_ecn instead of beta        (ABE, RFC 8511)
//   timeout                          ssthresh as for a loss, cwnd = 1; then K = 0 and W_max = W_0  (section 4.8)
//
// t excludes the time in which something other than the window limited the flow. `used` is cwnd or the flight,
// as the host chooses (window.h). With `hystart`, HyStart++ ends the first slow start (hystart.h).
#ifndef ECNOMY_LAWS_WINDOW_CUBIC_H_
#define ECNOMY_LAWS_WINDOW_CUBIC_H_

#include <cmath>

#include "../boxed.h"
#include "hystart.h"
#include "window.h"

namespace ecnomy {

class Cubic {
 public:
  static constexpr const char* kName = "cubic";
  static constexpr About kAbout{
      "CUBIC: after a reduction the window grows as a cubic function of time, whatever the round "
      "trip.",
      "RFC 9438"};
  static constexpr WindowTraits kTraits{.recovery = Recovery::all_acked,
                                        .halves = true,
                                        .begins = true,
                                        .hears_rtt = true,
                                        .sees = true};
  static constexpr Parameter kParameters[] = {
      {"beta", "", 0.7, 0.01, 0.99, "",
       "Share of the window that remains after a mark or loss (RFC 9438)."},
      {"c", "", 0.4, 1e-9, 1e6, "",
       "Scale of the cubic function in packets per s^3: C (RFC 9438 section 5)."},
      {"fast_convergence", "flag", 1, 0, 1, "",
       "A flow reduced again before its window has recovered makes room for others (RFC 9438 "
       "section 4.7)."},
      {"min_ssthresh", "packets", 2, 1, 1e9, "", "Minimum slow-start threshold (RFC 5681 Eq. 4)."},
      {"beta_ecn", "", 0, 0, 0.99, "",
       "Share of the window after a mark (ABE, RFC 8511: 0.85); 0: as after a loss."},
      {"hystart", "flag", 0, 0, 1, "", "HyStart++ ends the first slow start early (RFC 9406)."},
  };

  explicit Cubic(const double* values)
      : own_(State{.beta = values[0],
                   .beta_ecn = values[4] > 0 ? values[4] : values[0],
                   .c = values[1],
                   .min_ssthresh = values[3],
                   .fast = values[2] != 0,
                   .hystart = values[5] != 0}) {
    check_parameters(this, values);
  }

  void begin(Window&) noexcept {
    own_->w_max = own_->before = 0;
    own_->since = kNever;
    if (own_->hystart) own_->start.begin(own_->sent);
  }
  void on_rtt(Window&, Time rtt) noexcept {
    if (own_->start.active()) own_->start.sample(rtt);
  }
  void see(const Path& path) noexcept {
    if (path.app_limited && own_->since != kNever) own_->since += path.now - own_->now;
    own_->now = path.now;
    own_->rtt = path.srtt;
    own_->acked = path.acked;
    own_->sent = path.sent;
  }
  void on_ack(Window& window, const Ack& ack) noexcept {
    const double n = static_cast<double>(ack.newly_acked), cwnd = window.cwnd;
    if (window.in_slow_start()) return slow_start(window, n);
    if (own_->since == kNever) start(cwnd);
    const double alpha = own_->w_est >= own_->before ? 1 : 3 * (1 - own_->beta) / (1 + own_->beta);
    own_->w_est += alpha * n / cwnd;
    const double t_s = seconds(own_->now - own_->since);
    if (at(t_s) < own_->w_est) return window.set(std::max(cwnd, own_->w_est));
    const double target = std::clamp(at(t_s + seconds(own_->rtt)), cwnd, 1.5 * cwnd);
    window.set(cwnd + n * (target - cwnd) / cwnd);
  }
  void on_congestion(Window& window, double used) noexcept {
    reduce(window, own_->beta_ecn * used);
    window.set(std::max(own_->beta_ecn * used, 1.0));
  }
  void on_loss(Window& window, double used) noexcept { reduce(window, own_->beta * used); }
  void on_timeout(Window& window, double used) noexcept {
    on_loss(window, used);
    own_->w_max = 0;
    window.set(1.0);
  }

  double weight() const noexcept { return 0.0; }
  void set_weight(double) noexcept {}

 private:
  void slow_start(Window& window, double n) noexcept {
    HyStart& hystart = own_->start;
    if (!hystart.active()) return window.set(window.cwnd + n);
    window.set(window.cwnd + hystart.growth(n));
    if (hystart.over(own_->acked, own_->sent)) window.ssthresh = window.cwnd;
  }
  void reduce(Window& window, double left) noexcept {
    own_->start.end();
    const bool lower = own_->fast && window.cwnd < own_->w_max;
    own_->w_max = lower ? window.cwnd * (1 + own_->beta) / 2 : window.cwnd;
    own_->before = window.cwnd;
    own_->since = kNever;
    window.ssthresh = std::max(left, own_->min_ssthresh);
    window.set(window.ssthresh);
  }
  // Begins congestion avoidance. Without an earlier W_max, the current window is W_max.
  void start(double cwnd) noexcept {
    own_->since = own_->now;
    own_->w_est = cwnd;
    own_->w_max = std::max(own_->w_max, cwnd);
    own_->k_s = std::cbrt((own_->w_max - cwnd) / own_->c);
  }
  double at(double t_s) const noexcept {
    const double x = t_s - own_->k_s;
    return own_->c * x * x * x + own_->w_max;
  }

  struct State {
    double beta, beta_ecn, c, min_ssthresh;
    bool fast, hystart;
    double w_max = 0, before = 0;  // window before the reduction: for the cubic, for Reno
    double w_est = 0, k_s = 0;
    Time since = kNever;    // time at which growth began; kNever: growth has not begun
    Time now = 0, rtt = 0;  // at the last see()
    std::int64_t acked = 0, sent = 0;
    HyStart start = {};
  };
  Boxed<State> own_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_CUBIC_H_
