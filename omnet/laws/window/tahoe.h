// SPDX-License-Identifier: Apache-2.0
// Tahoe (Jacobson 1988; experiments A7; the simulation host of antoniadis2000 section 4.1). Tahoe is like Reno,
// but a loss resets the window to one packet, and the host resends all packets from the lost one on:
//
//   fast retransmit   ssthresh = max(decrease used, min_ssthresh), cwnd = 1
//   ECE               as Reno (RFC 3168 section 6.1.2): cwnd = max(decrease used, 1)
#ifndef ECNOMY_LAWS_WINDOW_TAHOE_H_
#define ECNOMY_LAWS_WINDOW_TAHOE_H_

#include "reno.h"

namespace ecnomy {

class Tahoe : public Reno {
 public:
  static constexpr const char* kName = "tahoe";
  static constexpr About kAbout{
      "Tahoe: a loss resets the window to one packet, and a mark halves it.",
      "Jacobson 1988; antoniadis2000 section 4.1"};
  static constexpr WindowTraits kTraits{.recovery = Recovery::go_back, .halves = true};
  explicit Tahoe(const double* values) : Reno(values, kName) {}

  void on_loss(Window& window, double used) noexcept { on_timeout(window, used); }
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_TAHOE_H_
