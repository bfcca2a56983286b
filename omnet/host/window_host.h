// SPDX-License-Identifier: Apache-2.0
// One flow's window law, chosen by name: a tagged union, so that the hot path is a switch.
#ifndef ECNOMY_HOST_WINDOW_HOST_H_
#define ECNOMY_HOST_WINDOW_HOST_H_

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "host/law_log.h"
#include "laws/window/multcp.h"
#include "laws/window/primal.h"
#include "laws/window/rem_source.h"
#include "laws/window/reno.h"
#include "laws/window/tahoe.h"
#include "laws/window/vegas.h"
#include "laws/window/wtp.h"
#include "laws/window/wtp_sender.h"

namespace ecnomy {

using WindowVariant =
    std::variant<Wtp, WtpSender, Reno, NewReno, Tahoe, MulTcp, RemSource, Vegas, Primal>;

// Throws BadParameter naming law and parameter, or the unknown law.
WindowVariant make_window(const std::string& law, const std::vector<double>& values);

class WindowHost {
 public:
  explicit WindowHost(WindowVariant law) noexcept : law_(std::move(law)) {
    std::visit(
        [&](const auto& chosen) {
          using Law = std::decay_t<decltype(chosen)>;
          per_mark_ = Law::kPerMark;
          recovery_ = Law::kRecovery;
          every_ack_ = requires { Law::kEveryAck; };
          halves_ = requires { Law::kHalves; };
          aims_ = requires(Law& law) { law.aim(1.0); };
          has_rate_ = requires(Law& law) { law.send_rate(); };
          hears_rtt_ = requires(Law& law, Window& window) { law.on_rtt(window, Time{}); };
          if constexpr (requires { chosen.noisy(); }) noisy_ = chosen.noisy();
        },
        law_);
  }

  bool per_mark() const noexcept { return per_mark_; }
  Recovery recovery() const noexcept { return recovery_; }
  // What the law has beside the hooks that all have (laws/window/window.h).
  bool every_ack() const noexcept { return every_ack_; }
  bool halves() const noexcept { return halves_; }
  bool noisy() const noexcept { return noisy_; }
  bool aims() const noexcept { return aims_; }
  bool has_rate() const noexcept { return has_rate_; }

  void begin(Window& window) noexcept {
    std::visit(
        [&](auto& law) {
          if constexpr (requires { law.begin(window); }) {
            const Window before = window;
            law.begin(window);
            log_.changed("begin", before, window);
          }
        },
        law_);
  }
  void on_rtt(Window& window, Time rtt) noexcept {
    if (!hears_rtt_) return;
    const Window before = window;
    std::visit(
        [&](auto& law) {
          if constexpr (requires { law.on_rtt(window, rtt); }) law.on_rtt(window, rtt);
        },
        law_);
    log_.changed("rtt", before, window, rtt);
  }
  void disturb(double normal) noexcept {
    std::visit(
        [&](auto& law) {
          if constexpr (requires { law.disturb(normal); }) law.disturb(normal);
        },
        law_);
    log_.set("disturb", normal);
  }
  void aim(double marks_per_s) noexcept {
    std::visit(
        [&](auto& law) {
          if constexpr (requires { law.aim(marks_per_s); }) law.aim(marks_per_s);
        },
        law_);
    log_.set("aim", marks_per_s);
  }
  // Packets/s; 0 where the law has none.
  double send_rate() const noexcept {
    return std::visit(
        [](const auto& law) {
          if constexpr (requires { law.send_rate(); }) return law.send_rate();
          return 0.0;
        },
        law_);
  }
  void on_ack(Window& window, const Ack& ack) noexcept {
    const Window before = window;
    std::visit([&](auto& law) { law.on_ack(window, ack); }, law_);
    log_.changed("ack", before, window, ack.newly_acked, ack.marks);
  }
  void on_congestion(Window& window, double used) noexcept {
    const Window before = window;
    std::visit([&](auto& law) { law.on_congestion(window, used); }, law_);
    log_.changed("congestion", before, window, used);
  }
  void on_loss(Window& window, double used) noexcept {
    const Window before = window;
    std::visit([&](auto& law) { law.on_loss(window, used); }, law_);
    log_.changed("loss", before, window, used);
  }
  void on_timeout(Window& window, double used) noexcept {
    const Window before = window;
    std::visit([&](auto& law) { law.on_timeout(window, used); }, law_);
    log_.changed("timeout", before, window, used);
  }
  double weight() const noexcept {
    return std::visit([](const auto& law) { return law.weight(); }, law_);
  }
  void set_weight(double w) noexcept {
    std::visit([&](auto& law) { law.set_weight(w); }, law_);
    log_.set("weight", w);
  }
  // The weight that an agent chose, in the law's own unit.
  void weigh(double w) noexcept {
    std::visit(
        [&](auto& law) {
          if constexpr (requires { law.weigh(w); }) {
            law.weigh(w);
          } else {
            law.set_weight(w);
          }
        },
        law_);
    log_.set("weigh", w);
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
  bool per_mark_ = false, every_ack_ = false, halves_ = false, noisy_ = false;
  bool aims_ = false, has_rate_ = false, hears_rtt_ = false;
  Recovery recovery_ = Recovery::first_ack;
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_WINDOW_HOST_H_
