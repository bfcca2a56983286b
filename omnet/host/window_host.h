// SPDX-License-Identifier: Apache-2.0
// One flow's window law, chosen by name: a tagged union, so that the hot path is a switch.
#ifndef ECNOMY_HOST_WINDOW_HOST_H_
#define ECNOMY_HOST_WINDOW_HOST_H_

#include <string>
#include <variant>
#include <vector>

#include "host/law_log.h"
#include "laws/window/multcp.h"
#include "laws/window/reno.h"
#include "laws/window/tahoe.h"
#include "laws/window/wtp.h"
#include "laws/window/wtp_sender.h"

namespace ecnomy {

using WindowVariant = std::variant<Wtp, WtpSender, Reno, NewReno, Tahoe, MulTcp>;

// Throws BadParameter naming law and parameter, or the unknown law.
WindowVariant make_window(const std::string& law, const std::vector<double>& values);

class WindowHost {
 public:
  explicit WindowHost(WindowVariant law) noexcept : law_(std::move(law)) {
    std::visit(
        [&](const auto& chosen) {
          per_mark_ = chosen.kPerMark;
          recovery_ = chosen.kRecovery;
        },
        law_);
  }

  bool per_mark() const noexcept { return per_mark_; }
  Recovery recovery() const noexcept { return recovery_; }
  void on_ack(Window& window, const Ack& ack) noexcept {
    const Window before = window;
    std::visit([&](auto& law) { law.on_ack(window, ack); }, law_);
    log_.changed("ack", before, window, ack.newly_acked, ack.marks);
  }
  void on_congestion(Window& window) noexcept {
    const Window before = window;
    std::visit([&](auto& law) { law.on_congestion(window); }, law_);
    log_.changed("congestion", before, window);
  }
  void on_loss(Window& window) noexcept {
    const Window before = window;
    std::visit([&](auto& law) { law.on_loss(window); }, law_);
    log_.changed("loss", before, window);
  }
  void on_timeout(Window& window, double flight) noexcept {
    const Window before = window;
    std::visit([&](auto& law) { law.on_timeout(window, flight); }, law_);
    log_.changed("timeout", before, window, flight);
  }
  double weight() const noexcept {
    return std::visit([](const auto& law) { return law.weight(); }, law_);
  }
  void set_weight(double w) noexcept {
    std::visit([&](auto& law) { law.set_weight(w); }, law_);
    log_.set("weight", w);
  }
  // 0, and no effect, where the law has none.
  double gain() const noexcept {
    return std::visit(
        [](const auto& law) {
          if constexpr (requires { law.gain(); }) return law.gain();
          return 0.0;
        },
        law_);
  }
  void set_gain(double gain) noexcept {
    std::visit(
        [&](auto& law) {
          if constexpr (requires { law.set_gain(gain); }) law.set_gain(gain);
        },
        law_);
    log_.set("gain", gain);
  }

 private:
  WindowVariant law_;
  [[no_unique_address]] HostLog log_;
  bool per_mark_ = false;
  Recovery recovery_ = Recovery::first_ack;
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_WINDOW_HOST_H_
