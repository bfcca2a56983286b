// SPDX-License-Identifier: LGPL-3.0-or-later
// Custom marking and window laws, in a separate project that requires no change in this one. A law is a plain class
// like those of ../laws: kName, kParameters, a constructor from the parameters' numbers, and the hooks listed in
// laws/marking/marking.h and laws/window/window.h. In one source file of the project:
//
//   #include "parameters/OwnLaws.h"
//   ECNOMY_MARKING_LAW(mine::Step);
//   ECNOMY_WINDOW_LAW(mine::Gentle);
//
// Its name, its parameters, their defaults and their ranges are then valid wherever those of a built-in law are:
// in `law` of a MarkingQueue, in `law` and `lawParameters` of a MarketTcp, as the window law of a TcpSource. Hooks
// must not throw. The law does not exist in the built-in engine or in market.yaml. README.md has an example.
#ifndef ECNOMY_INET_PARAMETERS_OWNLAWS_H_
#define ECNOMY_INET_PARAMETERS_OWNLAWS_H_

#include <concepts>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "host/registry.h"
#include "laws/marking/marking.h"
#include "laws/random/stream.h"
#include "laws/window/window.h"

namespace ecnomy::omnet {

// The interface of a marking law to its queue: MarkingHost's calls (host/marking_host.h).
class OwnMarking {
 public:
  virtual ~OwnMarking() = default;
  virtual Decision on_arrival(const QueueView&, const PacketView&, Time now, Stream& uniform) = 0;
  virtual Decision on_departure(const QueueView&, const PacketView&, Time now, Stream& uniform) = 0;
  virtual void on_drop(const PacketView&, Time now) = 0;
  virtual bool watches_departures() const = 0;
  virtual Time first_timer() const = 0;
  virtual Time on_timer(const QueueView&, Time now) = 0;
  virtual double probability() const = 0;
  // If it throws BadParameter, the law is unchanged.
  virtual void configure(const std::vector<double>& values) = 0;
};

// The interface of a window law to its flow: WindowHost's calls (host/window_host.h).
class OwnWindow {
 public:
  virtual ~OwnWindow() = default;
  virtual std::unique_ptr<OwnWindow> clone() const = 0;
  virtual const WindowTraits& traits() const = 0;
  virtual bool noisy() const = 0;
  virtual void begin(Window&) = 0;
  virtual void on_rtt(Window&, Time rtt) = 0;
  virtual void see(const Path&) = 0;
  virtual void on_sent(const Path&, std::int64_t seq) = 0;
  virtual void on_delivered(std::int64_t first, std::int64_t end) = 0;
  virtual void on_lost(std::int64_t below, bool selective) = 0;
  virtual void disturb(double normal) = 0;
  virtual void aim(double marks_per_s) = 0;
  virtual double send_rate() const = 0;
  virtual void on_ack(Window&, const Ack&) = 0;
  virtual void on_congestion(Window&, double used) = 0;
  virtual void on_loss(Window&, double used) = 0;
  virtual void on_timeout(Window&, double used) = 0;
  virtual double weight() const = 0;
  virtual void set_weight(double w) = 0;
  virtual void weigh(double w) = 0;
  virtual double gain() const = 0;
  virtual void set_gain(double gain) = 0;
};

// Makes a law from one number per parameter, in the order of the table. Throws BadParameter.
using MakeMarking = std::unique_ptr<OwnMarking> (*)(const std::vector<double>& values);
using MakeWindow = std::unique_ptr<OwnWindow> (*)(const std::vector<double>& values);

bool addOwnLaw(LawEntry entry, MakeMarking make);  // returns true, to initialize a static
bool addOwnLaw(LawEntry entry, MakeWindow make);

// Returns the table of a built-in or custom law. Throws BadParameter with the list of laws.
const LawEntry& findLaw(const std::string& family, const std::string& name);
// Makes a custom law. Returns nullptr if the name is that of a built-in law.
std::unique_ptr<OwnMarking> makeOwnMarking(const std::string& law,
                                           const std::vector<double>& values);
std::unique_ptr<OwnWindow> makeOwnWindow(const std::string& law, const std::vector<double>& values);

// ---- adapters from a plain class to these interfaces

template <class Law>
LawEntry ownEntry(const char* family) {
  return {family, Law::kName, {std::begin(Law::kParameters), std::end(Law::kParameters)}};
}

template <class Law>
Law buildOwn(const std::vector<double>& values) {
  if constexpr (std::constructible_from<Law, const double*>) {
    return Law(values.data());
  } else {
    return Law();
  }
}

template <MarkingHooks Law>
class OwnMarkingOf final : public OwnMarking {
 public:
  explicit OwnMarkingOf(const std::vector<double>& values) : law_(buildOwn<Law>(values)) {}
  static std::unique_ptr<OwnMarking> make(const std::vector<double>& values) {
    return std::make_unique<OwnMarkingOf>(values);
  }

  Decision on_arrival(const QueueView& q, const PacketView& p, Time now, Stream& u) override {
    return law_.on_arrival(q, p, now, u);
  }
  Decision on_departure(const QueueView& q, const PacketView& p, Time now, Stream& u) override {
    return law_.on_departure(q, p, now, u);
  }
  void on_drop(const PacketView& packet, Time now) override { law_.on_drop(packet, now); }
  bool watches_departures() const override { return law_.watches_departures(); }
  Time first_timer() const override { return law_.first_timer(); }
  Time on_timer(const QueueView& queue, Time now) override { return law_.on_timer(queue, now); }
  double probability() const override { return law_.probability(); }
  void configure(const std::vector<double>& values) override {
    Law checked = law_;
    checked.configure(values.data());
    law_ = checked;
  }

 private:
  Law law_;
};

template <WindowHooks Law>
class OwnWindowOf final : public OwnWindow {
 public:
  explicit OwnWindowOf(const std::vector<double>& values) : law_(buildOwn<Law>(values)) {}
  static std::unique_ptr<OwnWindow> make(const std::vector<double>& values) {
    return std::make_unique<OwnWindowOf>(values);
  }

  std::unique_ptr<OwnWindow> clone() const override { return std::make_unique<OwnWindowOf>(*this); }
  const WindowTraits& traits() const override { return Law::kTraits; }
  bool noisy() const override {
    if constexpr (Law::kTraits.noisy) return law_.noisy();
    return false;
  }
  void begin(Window& window) override {
    if constexpr (Law::kTraits.begins) law_.begin(window);
  }
  void on_rtt(Window& window, Time rtt) override {
    if constexpr (Law::kTraits.hears_rtt) law_.on_rtt(window, rtt);
  }
  void see(const Path& path) override {
    if constexpr (Law::kTraits.sees) law_.see(path);
  }
  void on_sent(const Path& path, std::int64_t seq) override {
    if constexpr (Law::kTraits.tracks) law_.on_sent(path, seq);
  }
  void on_delivered(std::int64_t first, std::int64_t end) override {
    if constexpr (Law::kTraits.tracks) law_.on_delivered(first, end);
  }
  void on_lost(std::int64_t below, bool selective) override {
    if constexpr (Law::kTraits.tracks) law_.on_lost(below, selective);
  }
  void disturb(double normal) override {
    if constexpr (Law::kTraits.noisy) law_.disturb(normal);
  }
  void aim(double marks_per_s) override {
    if constexpr (Law::kTraits.aims) law_.aim(marks_per_s);
  }
  double send_rate() const override {
    if constexpr (Law::kTraits.paced) return law_.send_rate();
    return 0;
  }
  void on_ack(Window& window, const Ack& ack) override { law_.on_ack(window, ack); }
  void on_congestion(Window& window, double used) override { law_.on_congestion(window, used); }
  void on_loss(Window& window, double used) override { law_.on_loss(window, used); }
  void on_timeout(Window& window, double used) override { law_.on_timeout(window, used); }
  double weight() const override { return law_.weight(); }
  void set_weight(double w) override { law_.set_weight(w); }
  void weigh(double w) override {
    if constexpr (Law::kTraits.weighs) {
      law_.weigh(w);
    } else {
      law_.set_weight(w);
    }
  }
  double gain() const override {
    if constexpr (Law::kTraits.gain) return law_.gain();
    return 0;
  }
  void set_gain(double gain) override {
    if constexpr (Law::kTraits.gain) law_.set_gain(gain);
  }

 private:
  Law law_;
};

}  // namespace ecnomy::omnet

#define ECNOMY_OWN_LAW_NAME_(a, b) a##b
#define ECNOMY_OWN_LAW_NAME(a, b) ECNOMY_OWN_LAW_NAME_(a, b)
#define ECNOMY_OWN_LAW_(Law, family, Of)                                           \
  [[maybe_unused]] static const bool ECNOMY_OWN_LAW_NAME(ecnomyOwnLaw, __LINE__) = \
      ::ecnomy::omnet::addOwnLaw(::ecnomy::omnet::ownEntry<Law>(family),           \
                                 &::ecnomy::omnet::Of<Law>::make)
// Must be used outside any function, in one source file.
#define ECNOMY_MARKING_LAW(Law) ECNOMY_OWN_LAW_(Law, "marking", OwnMarkingOf)
#define ECNOMY_WINDOW_LAW(Law) ECNOMY_OWN_LAW_(Law, "window", OwnWindowOf)

#endif  // ECNOMY_INET_PARAMETERS_OWNLAWS_H_
