// SPDX-License-Identifier: LGPL-3.0-or-later
// The window law of a flow: one of laws/window, or a custom law (parameters/OwnLaws.h).
#ifndef ECNOMY_INET_TCP_HOSTEDWINDOW_H_
#define ECNOMY_INET_TCP_HOSTEDWINDOW_H_

#include <memory>
#include <utility>

#include "host/plan.h"
#include "host/window_host.h"
#include "parameters/OwnLaws.h"

namespace ecnomy::omnet {

class HostedWindow {
 public:
  explicit HostedWindow(WindowVariant law) noexcept : builtIn_(std::move(law)) {}
  // Throws BadParameter, which names the law and the parameter, or the unknown law.
  explicit HostedWindow(const LawPlan& plan)
      : own_(makeOwnWindow(plan.law, plan.values)),
        builtIn_(own_ ? make_window(kIdle, idleValues()) : make_window(plan.law, plan.values)) {}
  HostedWindow(const HostedWindow& other)
      : own_(other.own_ ? other.own_->clone() : nullptr), builtIn_(other.builtIn_) {}
  HostedWindow(HostedWindow&&) noexcept = default;
  HostedWindow& operator=(HostedWindow&&) noexcept = default;
  ~HostedWindow() = default;

  const WindowTraits& traits() const { return own_ ? own_->traits() : builtIn_.traits(); }
  bool per_mark() const { return traits().per_mark; }
  Recovery recovery() const { return traits().recovery; }
  bool every_ack() const { return traits().every_ack; }
  bool halves() const { return traits().halves; }
  bool aims() const { return traits().aims; }
  bool has_rate() const { return traits().paced; }
  bool tracks() const { return traits().tracks; }
  bool sees() const { return traits().sees; }
  bool noisy() const { return own_ ? own_->noisy() : builtIn_.noisy(); }

  void begin(Window& window) { own_ ? own_->begin(window) : builtIn_.begin(window); }
  void on_rtt(Window& window, Time rtt) {
    own_ ? own_->on_rtt(window, rtt) : builtIn_.on_rtt(window, rtt);
  }
  void see(const Path& path) { own_ ? own_->see(path) : builtIn_.see(path); }
  void on_sent(const Path& path, std::int64_t seq) {
    own_ ? own_->on_sent(path, seq) : builtIn_.on_sent(path, seq);
  }
  void on_delivered(std::int64_t first, std::int64_t end) {
    own_ ? own_->on_delivered(first, end) : builtIn_.on_delivered(first, end);
  }
  void on_lost(std::int64_t below, bool selective) {
    own_ ? own_->on_lost(below, selective) : builtIn_.on_lost(below, selective);
  }
  void disturb(double normal) { own_ ? own_->disturb(normal) : builtIn_.disturb(normal); }
  void aim(double marks_per_s) { own_ ? own_->aim(marks_per_s) : builtIn_.aim(marks_per_s); }
  double send_rate() const { return own_ ? own_->send_rate() : builtIn_.send_rate(); }
  void on_ack(Window& window, const Ack& ack) {
    if (own_) [[unlikely]]
      return own_->on_ack(window, ack);
    builtIn_.on_ack(window, ack);
  }
  void on_congestion(Window& window, double used) {
    own_ ? own_->on_congestion(window, used) : builtIn_.on_congestion(window, used);
  }
  void on_loss(Window& window, double used) {
    own_ ? own_->on_loss(window, used) : builtIn_.on_loss(window, used);
  }
  void on_timeout(Window& window, double used) {
    own_ ? own_->on_timeout(window, used) : builtIn_.on_timeout(window, used);
  }
  double weight() const { return own_ ? own_->weight() : builtIn_.weight(); }
  void set_weight(double w) { own_ ? own_->set_weight(w) : builtIn_.set_weight(w); }
  void weigh(double w) { own_ ? own_->weigh(w) : builtIn_.weigh(w); }
  double gain() const { return own_ ? own_->gain() : builtIn_.gain(); }
  void set_gain(double gain) { own_ ? own_->set_gain(gain) : builtIn_.set_gain(gain); }

  // The law of the WindowHost, which is never called, if the flow has a custom law.
  static constexpr const char* kIdle = Reno::kName;
  static std::vector<double> idleValues() {
    std::vector<double> values;
    for (const Parameter& parameter : Reno::kParameters) values.push_back(parameter.fallback);
    return values;
  }

 private:
  std::unique_ptr<OwnWindow> own_;  // nullptr: the law is built in
  WindowHost builtIn_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_HOSTEDWINDOW_H_
