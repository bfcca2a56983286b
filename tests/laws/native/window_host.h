// SPDX-License-Identifier: Apache-2.0
// Any window law behind the plain interface of host.h: the window goes in and comes out as a tuple.
#ifndef ECNOMY_TESTS_LAWS_WINDOW_HOST_H_
#define ECNOMY_TESTS_LAWS_WINDOW_HOST_H_

#include <limits>
#include <utility>

#include "host.h"
#include "window/window.h"

namespace ecnomy_testing {

template <class Law>
class WindowOf : public WindowLaw {
 public:
  explicit WindowOf(const double* values) : law_(values) {}

  bool per_mark() override { return Law::kTraits.per_mark; }
  std::string recovery() override {
    switch (Law::kTraits.recovery) {
      case ecnomy::Recovery::first_ack:
        return "first-ack";
      case ecnomy::Recovery::all_acked:
        return "all-acked";
      case ecnomy::Recovery::go_back:
        return "go-back";
    }
    return "";
  }
  WindowState on_ack(const WindowState& state, std::int64_t n, std::int64_t k,
                     double trips) override {
    auto window = view(state);
    law_.on_ack(window, ecnomy::Ack{n, k, trips});
    return said(window);
  }
  WindowState on_congestion(const WindowState& state, double used) override {
    auto window = view(state);
    law_.on_congestion(window, used);
    return said(window);
  }
  WindowState on_loss(const WindowState& state, double used) override {
    auto window = view(state);
    law_.on_loss(window, used);
    return said(window);
  }
  void see(const PathState& path) override {
    if constexpr (Law::kTraits.sees) law_.see(std::make_from_tuple<ecnomy::Path>(path));
  }
  WindowState on_timeout(const WindowState& state, double used) override {
    auto window = view(state);
    law_.on_timeout(window, used);
    return said(window);
  }
  double weight() override { return law_.weight(); }
  void set_weight(double weight) override { law_.set_weight(weight); }
  double gain() override {
    if constexpr (Law::kTraits.gain) return law_.gain();
    return std::numeric_limits<double>::quiet_NaN();
  }
  void set_gain(double gain) override {
    if constexpr (Law::kTraits.gain) law_.set_gain(gain);
  }
  bool every_ack() override { return Law::kTraits.every_ack; }
  bool halves() override { return Law::kTraits.halves; }
  WindowState begin(const WindowState& state) override {
    auto window = view(state);
    if constexpr (Law::kTraits.begins) law_.begin(window);
    return said(window);
  }
  WindowState on_rtt(const WindowState& state, Ps rtt) override {
    auto window = view(state);
    if constexpr (Law::kTraits.hears_rtt) law_.on_rtt(window, rtt);
    return said(window);
  }
  void disturb(double normal) override {
    if constexpr (Law::kTraits.noisy) law_.disturb(normal);
  }
  void aim(double marks_per_s) override {
    if constexpr (Law::kTraits.aims) law_.aim(marks_per_s);
  }
  double send_rate() override {
    if constexpr (Law::kTraits.paced) return law_.send_rate();
    return std::numeric_limits<double>::quiet_NaN();
  }
  void on_sent(const PathState& path, std::int64_t seq) override {
    if constexpr (Law::kTraits.tracks) law_.on_sent(std::make_from_tuple<ecnomy::Path>(path), seq);
  }
  void on_delivered(std::int64_t first, std::int64_t end) override {
    if constexpr (Law::kTraits.tracks) law_.on_delivered(first, end);
  }
  void on_lost(std::int64_t below, bool selective) override {
    if constexpr (Law::kTraits.tracks) law_.on_lost(below, selective);
  }

 private:
  static ecnomy::Window view(const WindowState& w) {
    return {std::get<0>(w), std::get<1>(w), std::get<2>(w), std::get<3>(w)};
  }
  static WindowState said(const ecnomy::Window& w) { return {w.cwnd, w.ssthresh, w.min, w.max}; }

  Law law_;
};

template <class Law>
bool register_window() {
  const Rows rows = rows_of(Law::kParameters);
  registry().window[Law::kName] = {rows, [rows](const std::vector<double>& values) {
                                     check_count(rows, values);
                                     return std::make_unique<WindowOf<Law>>(values.data());
                                   }};
  return true;
}

}  // namespace ecnomy_testing

#endif  // ECNOMY_TESTS_LAWS_WINDOW_HOST_H_
