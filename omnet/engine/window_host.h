// SPDX-License-Identifier: Apache-2.0
// One flow's window law, chosen by name: a tagged union, so that the hot path is a switch.
#ifndef ECNOMY_ENGINE_WINDOW_HOST_H_
#define ECNOMY_ENGINE_WINDOW_HOST_H_

#include <string>
#include <variant>
#include <vector>

#include "laws/window/reno.h"
#include "laws/window/wtp.h"

namespace ecnomy::engine {

using WindowVariant = std::variant<Wtp, Reno, NewReno>;

// Throws BadParameter naming law and parameter, or the unknown law.
WindowVariant make_window(const std::string& law, const std::vector<double>& values);

class WindowHost {
 public:
  explicit WindowHost(WindowVariant law) noexcept : law_(std::move(law)) {}

  bool per_mark() const noexcept { return law_.index() == 0; }
  // Recovery lasts until everything outstanding at the loss is acknowledged (RFC 6582): all but
  // plain Reno. No paper says how WTP repairs losses; its experiments have none.
  bool partial_acks() const noexcept { return law_.index() != 1; }
  void on_ack(Window& window, const Ack& ack) noexcept {
    switch (law_.index()) {
      case 0:
        return std::get_if<0>(&law_)->on_ack(window, ack);
      case 1:
        return std::get_if<1>(&law_)->on_ack(window, ack);
      default:
        return std::get_if<2>(&law_)->on_ack(window, ack);
    }
  }
  void on_congestion(Window& window) noexcept {
    std::visit([&](auto& law) { law.on_congestion(window); }, law_);
  }
  void on_loss(Window& window) noexcept {
    std::visit([&](auto& law) { law.on_loss(window); }, law_);
  }
  void on_timeout(Window& window, double flight) noexcept {
    std::visit([&](auto& law) { law.on_timeout(window, flight); }, law_);
  }
  double weight() const noexcept {
    return std::visit([](const auto& law) { return law.weight(); }, law_);
  }
  void set_weight(double w) noexcept {
    if (Wtp* wtp = std::get_if<Wtp>(&law_)) wtp->set_weight(w);
  }

 private:
  WindowVariant law_;
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_WINDOW_HOST_H_
