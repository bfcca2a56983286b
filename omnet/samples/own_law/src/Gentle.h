// SPDX-License-Identifier: LGPL-3.0-or-later
// A custom window law: each acknowledged packet increases the window by gain w / cwnd, each mark decreases it by gain.
// In equilibrium, a flow has w marks per round trip. A loss reduces the window by a quarter, a timeout to one packet.
#ifndef OWN_LAW_GENTLE_H_
#define OWN_LAW_GENTLE_H_

#include "laws/window/window.h"

namespace own_law {

class Gentle {
 public:
  static constexpr const char* kName = "gentle";
  static constexpr ecnomy::About kAbout{
      "Settles at w marks per round trip; a loss reduces the window by a quarter.", ""};
  static constexpr ecnomy::WindowTraits kTraits{
      .recovery = ecnomy::Recovery::all_acked, .per_mark = true, .weighted = true};
  static constexpr ecnomy::Parameter kParameters[] = {
      {"w", "marks", 1, 1e-9, 1e9, "", "Marks per round trip in equilibrium."},
      {"gain", "", 0.5, 1e-9, 1, "", "Decrease of the window per mark."},
  };

  explicit Gentle(const double* values) : w_(values[0]), gain_(values[1]) {}

  void on_ack(ecnomy::Window& window, const ecnomy::Ack& ack) noexcept {
    const double n = static_cast<double>(ack.newly_acked), k = static_cast<double>(ack.marks);
    window.set(window.cwnd + gain_ * (n * w_ / window.cwnd - k));
  }
  void on_congestion(ecnomy::Window&, double) noexcept {}  // not called: per_mark
  void on_loss(ecnomy::Window& window, double used) noexcept { window.set(0.75 * used); }
  void on_timeout(ecnomy::Window& window, double) noexcept { window.set(1); }
  double weight() const noexcept { return w_; }
  void set_weight(double w) noexcept { w_ = w; }

 private:
  double w_, gain_;
};

}  // namespace own_law

#endif  // OWN_LAW_GENTLE_H_
