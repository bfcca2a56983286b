// SPDX-License-Identifier: Apache-2.0
// Reno with the RFC 3168 response (RFC 5681; RFC 3168 section 6.1.2; experiments A7).
//
//   ACK             slow start: cwnd += n;  else cwnd += n / cwnd
//   ECE (once per round trip)   ssthresh = max(decrease used, min_ssthresh), cwnd = max(decrease used, 1)
//   fast retransmit             ssthresh = max(decrease used, min_ssthresh), cwnd = ssthresh
//   timeout                     ssthresh = max(decrease used, min_ssthresh), cwnd = 1
//
// With `beta_ecn`, an ECE uses beta_ecn instead of `decrease` (ABE, RFC 8511).
//
// `used` is cwnd or the flight, as the host chooses (window.h). A mark may leave one packet, a loss leaves at least
// two (RFC 5681 Eq. 4). Below ssthresh a window of one grows by one packet per round trip in either case.
//
// NewReno (RFC 6582) has the same windows. Its host stays in recovery until all packets that were outstanding
// at the loss are acknowledged, and resends the next hole at each partial ACK.
#ifndef ECNOMY_LAWS_WINDOW_RENO_H_
#define ECNOMY_LAWS_WINDOW_RENO_H_

#include "window.h"

namespace ecnomy {

class Reno {
 public:
  static constexpr const char* kName = "reno";
  static constexpr About kAbout{
      "Reno: the window is halved once per round trip with marks or losses.",
      "RFC 5681; RFC 3168 section 6.1.2"};
  static constexpr WindowTraits kTraits{.recovery = Recovery::first_ack, .halves = true};
  static constexpr Parameter kParameters[] = {
      {"decrease", "", 0.5, 0.01, 0.99, "",
       "Share of the window that remains after a mark or loss (RFC 5681: half)."},
      {"min_ssthresh", "packets", 2, 1, 1e9, "", "Minimum slow-start threshold (RFC 5681 Eq. 4)."},
      {"beta_ecn", "", 0, 0, 0.99, "",
       "Share of the window after a mark (ABE, RFC 8511: 0.8); 0: as after a loss."},
  };

  explicit Reno(const double* values, const char* name = kName) {
    check_parameters(name, kParameters, values);
    decrease_ = values[0];
    min_ssthresh_ = values[1];
    beta_ecn_ = values[2] > 0 ? values[2] : decrease_;
  }

  void on_ack(Window& window, const Ack& ack) noexcept {
    const double n = static_cast<double>(ack.newly_acked);
    window.set(window.cwnd + (window.in_slow_start() ? n : n / window.cwnd));
  }
  void on_congestion(Window& window, double used) noexcept {
    reduce(window, beta_ecn_ * used);
    window.set(std::max(beta_ecn_ * used, 1.0));
  }
  void on_loss(Window& window, double used) noexcept { reduce(window, decrease_ * used); }
  void on_timeout(Window& window, double used) noexcept {
    on_loss(window, used);
    window.set(1.0);
  }

  double weight() const noexcept { return 0.0; }
  void set_weight(double) noexcept {}

 private:
  void reduce(Window& window, double left) noexcept {
    window.ssthresh = std::max(left, min_ssthresh_);
    window.set(window.ssthresh);
  }

  double decrease_, min_ssthresh_, beta_ecn_;
};

class NewReno : public Reno {
 public:
  static constexpr const char* kName = "newreno";
  static constexpr About kAbout{
      "Reno that stays in recovery until all losses of a window are repaired.", "RFC 6582"};
  static constexpr WindowTraits kTraits{.recovery = Recovery::all_acked, .halves = true};
  explicit NewReno(const double* values) : Reno(values, kName) {}
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_RENO_H_
