// SPDX-License-Identifier: Apache-2.0
// One flow's window law, selected by name. It is a tagged union, so the hot path is a switch.
#ifndef ECNOMY_HOST_WINDOW_HOST_H_
#define ECNOMY_HOST_WINDOW_HOST_H_

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "host/law_log.h"
#include "host/window_laws.h"

namespace ecnomy {

// Throws BadParameter, which names the law and the parameter, or the unknown law.
WindowVariant make_window(const std::string& law, const std::vector<double>& values);

class WindowHost {
 public:
  explicit WindowHost(WindowVariant law) noexcept : law_(std::move(law)) {
    on_law(law_, [&](const auto& one) {
      using Law = std::decay_t<decltype(one)>;
      static_assert(WindowHooks<Law>, "a hook is missing or misspelt, or differs from the traits");
      traits_ = &Law::kTraits;
      if constexpr (Law::kTraits.noisy) noisy_ = one.noisy();
    });
  }

  const WindowTraits& traits() const noexcept { return *traits_; }
  bool per_mark() const noexcept { return traits_->per_mark; }
  Recovery recovery() const noexcept { return traits_->recovery; }
  bool every_ack() const noexcept { return traits_->every_ack; }
  bool halves() const noexcept { return traits_->halves; }
  bool aims() const noexcept { return traits_->aims; }
  bool has_rate() const noexcept { return traits_->paced; }
  bool noisy() const noexcept { return noisy_; }
  bool tracks() const noexcept { return traits_->tracks; }
  bool sees() const noexcept { return traits_->sees; }

  void begin(Window& window) noexcept {
    if (!traits_->begins) return;
    const Window before = window;
    on_law(law_, [&](auto& law) {
      if constexpr (kTraitsOf<decltype(law)>.begins) law.begin(window);
    });
    log_.changed("begin", before, window);
  }
  void on_rtt(Window& window, Time rtt) noexcept {
    if (!traits_->hears_rtt) return;
    const Window before = window;
    on_law(law_, [&](auto& law) {
      if constexpr (kTraitsOf<decltype(law)>.hears_rtt) law.on_rtt(window, rtt);
    });
    log_.changed("rtt", before, window, rtt);
  }
  // Only for laws with the hook `see`.
  void see(const Path& flow) noexcept {
    on_law(law_, [&](auto& law) {
      if constexpr (kTraitsOf<decltype(law)>.sees) law.see(flow);
    });
    log_.set("see", flow);
  }
  // The next three functions are only for laws that track packets.
  void on_sent(const Path& path, std::int64_t seq) noexcept {
    on_law(law_, [&](auto& law) {
      if constexpr (kTraitsOf<decltype(law)>.tracks) law.on_sent(path, seq);
    });
    log_.set("sent", path, seq);
  }
  void on_delivered(std::int64_t first, std::int64_t end) noexcept {
    on_law(law_, [&](auto& law) {
      if constexpr (kTraitsOf<decltype(law)>.tracks) law.on_delivered(first, end);
    });
    log_.set("delivered", first, end);
  }
  void on_lost(std::int64_t below, bool selective) noexcept {
    on_law(law_, [&](auto& law) {
      if constexpr (kTraitsOf<decltype(law)>.tracks) law.on_lost(below, selective);
    });
    log_.set("lost", below, static_cast<int>(selective));
  }
  void disturb(double normal) noexcept {
    on_law(law_, [&](auto& law) {
      if constexpr (kTraitsOf<decltype(law)>.noisy) law.disturb(normal);
    });
    log_.set("disturb", normal);
  }
  void aim(double marks_per_s) noexcept {
    on_law(law_, [&](auto& law) {
      if constexpr (kTraitsOf<decltype(law)>.aims) law.aim(marks_per_s);
    });
    log_.set("aim", marks_per_s);
  }
  // The rate in packets/s, or 0 if the law has no rate.
  double send_rate() const noexcept {
    return on_law(law_, [](const auto& law) -> double {
      if constexpr (kTraitsOf<decltype(law)>.paced) return law.send_rate();
      return 0.0;
    });
  }
  void on_ack(Window& window, const Ack& ack) noexcept {
    const Window before = window;
    on_law(law_, [&](auto& law) { law.on_ack(window, ack); });
    log_.changed("ack", before, window, ack.newly_acked, ack.marks, ack.trips);
  }
  void on_congestion(Window& window, double used) noexcept {
    const Window before = window;
    on_law(law_, [&](auto& law) { law.on_congestion(window, used); });
    log_.changed("congestion", before, window, used);
  }
  void on_loss(Window& window, double used) noexcept {
    const Window before = window;
    on_law(law_, [&](auto& law) { law.on_loss(window, used); });
    log_.changed("loss", before, window, used);
  }
  void on_timeout(Window& window, double used) noexcept {
    const Window before = window;
    on_law(law_, [&](auto& law) { law.on_timeout(window, used); });
    log_.changed("timeout", before, window, used);
  }
  double weight() const noexcept {
    return on_law(law_, [](const auto& law) { return law.weight(); });
  }
  void set_weight(double w) noexcept {
    on_law(law_, [&](auto& law) { law.set_weight(w); });
    log_.set("weight", w);
  }
  // Sets the weight that an agent chose, in the law's own unit.
  void weigh(double w) noexcept {
    on_law(law_, [&](auto& law) {
      if constexpr (kTraitsOf<decltype(law)>.weighs) {
        law.weigh(w);
      } else {
        law.set_weight(w);
      }
    });
    log_.set("weigh", w);
  }
  // A law without a gain returns 0 and ignores set_gain.
  double gain() const noexcept {
    return on_law(law_, [](const auto& law) -> double {
      if constexpr (kTraitsOf<decltype(law)>.gain) return law.gain();
      return 0.0;
    });
  }
  void set_gain(double gain) noexcept {
    on_law(law_, [&](auto& law) {
      if constexpr (kTraitsOf<decltype(law)>.gain) law.set_gain(gain);
    });
    log_.set("gain", gain);
  }

 private:
  WindowVariant law_;
  [[no_unique_address]] HostLog log_;
  const WindowTraits* traits_ = nullptr;
  bool noisy_ = false;
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_WINDOW_HOST_H_
