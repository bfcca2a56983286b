// SPDX-License-Identifier: Apache-2.0
// Vegas (Brakmo and Peterson 1995, section 3; experiments A16). Once per round trip (after cwnd acknowledged
// packets), with T the mean of the round's RTT samples and T_0 the smallest sample of the connection,
//
//   queued = (cwnd / T_0 - cwnd / T) T_0 = cwnd (T - T_0) / T      Expected - Actual, in packets
//
//   slow start    cwnd += n in every other round; queued > gamma ends it
//   afterwards    queued < alpha: cwnd += 1;  queued > beta: cwnd -= 1
//
// A loss, and an RFC 3168 echo once per round trip: ssthresh = max(decrease used, min_ssthresh), cwnd = ssthresh
// (echo: at least one packet); timeout: ssthresh = max(used / 2, min_ssthresh), cwnd = 1. `used` is cwnd or
// the flight, as the host chooses (window.h). The decrease by a quarter at a loss is customary (ns-2); the
// paper does not define it. Vegas is the same over REM or any marking link: athuraliya2000 section VIII
// proposes Vegas as a source, but gives no formula.
#ifndef ECNOMY_LAWS_WINDOW_VEGAS_H_
#define ECNOMY_LAWS_WINDOW_VEGAS_H_

#include <memory>

#include "window.h"

namespace ecnomy {

class Vegas {
 public:
  static constexpr const char* kName = "vegas";
  static constexpr About kAbout{
      "Vegas: keeps a few of its packets queued; the increase in its round trip gives their "
      "number.",
      "Brakmo and Peterson 1995, section 3"};
  static constexpr WindowTraits kTraits{
      .recovery = Recovery::all_acked, .halves = true, .begins = true, .hears_rtt = true};
  static constexpr Parameter kParameters[] = {
      {"alpha", "packets", 1, 0, 1e9, "",
       "Number of queued packets below which the window grows (Brakmo and Peterson 1995)."},
      {"beta", "packets", 3, 0, 1e9, "",
       "Number of queued packets above which the window shrinks."},
      {"gamma", "packets", 1, 0, 1e9, "", "Number of queued packets above which slow start ends."},
      {"decrease", "", 0.75, 0.01, 0.99, "",
       "Share of the window that remains after a mark or loss; ns-2's choice."},
      {"min_ssthresh", "packets", 2, 1, 1e9, "", "Minimum slow-start threshold."},
  };
  static constexpr AtLeast kOrder[] = {{"beta", "alpha"}};

  explicit Vegas(const double* values) {
    check_parameters(this, values);
    setup_ =
        std::make_shared<const Setup>(Setup{values[0], values[1], values[2], values[3], values[4]});
  }

  void begin(Window&) noexcept {
    base_ = 0;
    grows_ = true;
    restart();
  }
  void on_rtt(Window&, Time rtt) noexcept {
    base_ = base_ == 0 ? rtt : std::min(base_, rtt);
    sum_ += rtt;
    ++samples_;
  }
  void on_ack(Window& window, const Ack& ack) noexcept {
    const double n = static_cast<double>(ack.newly_acked);
    if (round_ == 0) round_ = window.cwnd;
    acked_ += n;
    if (window.in_slow_start() && grows_) window.set(window.cwnd + n);
    if (acked_ < round_ || samples_ == 0) return;
    end_round(window);
    restart();
  }
  void on_congestion(Window& window, double used) noexcept {
    on_loss(window, used);
    window.set(std::max(setup_->decrease * used, 1.0));
  }
  void on_loss(Window& window, double used) noexcept {
    window.ssthresh = std::max(setup_->decrease * used, setup_->min_ssthresh);
    window.set(window.ssthresh);
    restart();
  }
  void on_timeout(Window& window, double used) noexcept {
    window.ssthresh = std::max(used / 2, setup_->min_ssthresh);
    window.set(1.0);
    grows_ = true;
    restart();
  }

  double weight() const noexcept { return 0.0; }
  void set_weight(double) noexcept {}

 private:
  struct Setup {
    double alpha, beta, gamma, decrease, min_ssthresh;
  };

  void end_round(Window& window) noexcept {
    const double t = static_cast<double>(sum_) / samples_;
    const double queued = round_ * (t - static_cast<double>(base_)) / t;
    if (window.in_slow_start()) {
      grows_ = !grows_;
      if (queued > setup_->gamma) window.ssthresh = 0;
    } else if (queued < setup_->alpha) {
      window.set(window.cwnd + 1);
    } else if (queued > setup_->beta) {
      window.set(window.cwnd - 1);
    }
  }
  void restart() noexcept {
    sum_ = samples_ = 0;
    acked_ = round_ = 0;
  }

  std::shared_ptr<const Setup> setup_;
  Time base_ = 0, sum_ = 0;
  std::int32_t samples_ = 0;
  bool grows_ = true;
  double acked_ = 0, round_ = 0;  // packets of this round; its window (0 before its first ACK)
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_VEGAS_H_
