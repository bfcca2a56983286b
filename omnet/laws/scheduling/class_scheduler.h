// SPDX-License-Identifier: Apache-2.0
// One transmitter for several classes with absolute and proportional guarantees (service_class.h), and one
// buffer for all of them: the algorithm that christin2003 calls [6] (Christin, Liebeherr and Abdelzaher,
// "A quantitative assured forwarding service", INFOCOM 2002), with or without regulation by ECN
// (class_regulator.h). christin2003 does not define [6]; this is our interpretation.
//
// Rates. A class with waiting packets needs the rate of Eq. 11, with D_n the age of its oldest packet:
//   r_n^min = max{ mu_n, Q_n / (d_n - D_n) }   at most C; C if D_n is at or beyond d_n.
// If the sum of r_n^min is at most C, each class gets its r_n^min. The rest of C is divided in proportion to shares y_n
// among the waiting classes that have no delay bound or belong to a delay chain. If there are no such classes, all
// waiting classes share it. If the sum exceeds C, each class gets min(r_n^min, mu_n) and the same fraction of its
// remaining need: the delay bound is relaxed.
//   Along a chain of delay ratios, shares are adjusted every `update_s`. D_n = Q_n / r_n is the wait of a packet
// that arrives now, D*_n = D_n / weight_n, and the mean is over the classes of the chain that have a rate:
//   y_n <- y_n (1 + gain (D*_n / mean - 1)),   with their sum unchanged. In terms of rates this is r_n += K_n e_n
// with e_n = mean D* - D*_n and K_n = -gain r_n / mean D*, independently of the scale of the delays. The feedback
// uses the delay ahead, not the past delay (the age of the oldest packet). The past delay reflects a rate only after
// the queue has been served, and feedback on it oscillates forever.
//
// Service. A class's credit is the bytes that a fluid server at its rate would have sent, minus the bytes sent.
// The class with the largest credit is served next; ties go to the lower class. When a class begins to wait, its credit
// is 0. A class that has sent everything divides its credit or debt among the waiting classes.
//
// Drops happen at arrivals and always take the last packet of a class. On overflow, the class furthest below its
// share loses a packet: the class with the smallest p_n / weight_n, with p_n the loss in this busy period. If a drop
// would break the loss bound of every waiting class, the class with the smallest p_n / L_n loses it. If the minimum
// rates exceed C, the classes with r_n^min > mu_n lose packets in the same order, within their loss bounds. A class is
// spared once D_n is at or beyond d_n, because a drop at the end of its queue does not help its oldest packet.
#ifndef ECNOMY_LAWS_SCHEDULING_CLASS_SCHEDULER_H_
#define ECNOMY_LAWS_SCHEDULING_CLASS_SCHEDULER_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "class_queue.h"
#include "class_regulator.h"
#include "service_class.h"

namespace ecnomy {

class ClassScheduler {
 public:
  static constexpr const char* kName = "class-based";
  static constexpr About kAbout{
      "One buffer and one transmitter for classes with promised delay, loss and rate.",
      "christin2003 sections 4 and 6"};
  static constexpr SchedulingTraits kTraits{};
  using Class = ServiceClass;
  static constexpr Parameter kParameters[] = {
      {"regulation", "choice", 0, 0, 1, "off,ecn",
       "Regulation of the classes' traffic: none, or by ECN marks (christin2003 section 4)."},
      {"update_s", "s", 0.01, 1e-9, 1e6, "",
       "Time between two adjustments of the shares in a delay chain."},
      {"gain", "", 0.5, 0, 0.9, "",
       "Gain of the feedback on delays: the step of the shares per adjustment."},
      {"buffer_packets", "packets", NAN, 0, 1e12, "",
       "Buffer shared by all classes, in packets of the mean size."},
      {"mean_packet_bytes", "bytes", 1000, 1, 1e9, "",
       "Size of the packets in which the buffer is counted."},
      {"gap_divisor", "", 10, 1e-3, 1e9, "",
       "A gap longer than RTT / gap_divisor begins a new round: K (christin2003 Eq. 4)."},
      {"rtt_memory", "", 0.9, 0, 1, "",
       "Weight of the previous estimate in the smoothed RTT: m (christin2003 section 2.1)."},
      {"forget_rtts", "", 4, 0, 1e9, "",
       "Silence in RTTs after which a flow is left out of the projection until it sends again."},
      {"estimator", "choice", 0, 0, 1, "rounds,screened",
       "RTT samples: all rounds, or (screened) only rounds that end with a gap of at most "
       "forget_rtts RTTs."},
      {"interval_s", "s", 0.1, 1e-6, 1e6, "",
       "Interval at which the flows to follow are chosen again (christin2003 section 3)."},
      {"least_bytes", "bytes", 25000, 0, 1e15, "",
       "Number of bytes per interval above which a flow is followed."},
      {"filter", "choice", 0, 0, 1, "serial,parallel",
       "Multistage filter that finds large flows: stages in series or in parallel."},
      {"stages", "whole", 3, 1, 16, "", "Number of hash tables of the filter."},
      {"buckets", "whole", 8, 1, 65536, "",
       "Number of buckets of a stage, to which flows are hashed."},
  };
  static constexpr int kNone = -1;

  // `values` are in the order of kParameters, and each entry of `classes` in the order of ServiceClass::kParameters.
  ClassScheduler(const double* values, const std::vector<std::vector<double>>& classes,
                 std::int64_t capacity_bps)
      : capacity_bps_(static_cast<double>(capacity_bps)),
        promised_(read(classes)),
        delay_(ratios(&ServiceClass::delay_ratio)),
        loss_(ratios(&ServiceClass::loss_ratio)),
        states_(classes.size()),
        views_(classes.size()) {
    check_parameters(this, values);
    double rates = 0.0;
    for (const ServiceClass& one : promised_) rates += one.rate_bps;
    if (promised_.empty()) throw BadParameter(std::string(kName) + ": needs a class");
    if (rates >= capacity_bps_) {
      throw BadParameter(std::string(kName) +
                         ": the sum of the classes' rates must be below the link's rate");
    }
    update_ = picoseconds(values[1]);
    gain_ = values[2];
    if (values[0] != 0) regulator_.emplace(rules(values), classes.size());
  }

  // A packet is offered and joins its class. `busy` is true if the link is transmitting a packet. The caller then calls
  // drop() until it returns kNone, and then settle().
  void arrive(std::size_t n, const PacketView& packet, bool busy, Time now) {
    advance(now);
    if (!busy && waiting() == 0) begin_busy_period(now);
    State& state = states_[n];
    if (state.queue.empty()) state.credit_bytes = state.last_delay_s = 0.0;
    state.queue.push(packet, now);
    if (regulator_) regulator_->follow(n, packet, now);
  }

  // Returns the class whose last packet has been dropped, or kNone. `overflow` is true if the buffer is above its
  // limit.
  int drop(bool overflow, Time now) noexcept {
    const double sum = minima(now);
    if (!overflow && sum <= capacity_bps_) return kNone;
    const std::size_t victim = overflow ? overflow_victim() : late_victim(now);
    if (victim == states_.size()) return kNone;
    State& state = states_[victim];
    const Waiting dropped = state.queue.drop_last();
    if (regulator_) regulator_->is_dropped(dropped.packet);
    if (state.queue.empty()) leave(victim);
    return static_cast<int>(victim);
  }

  // Ends an arrival: computes the rates for the packets that wait now, and marks.
  void settle(Time now) noexcept {
    allocate(now);
    if (!regulator_) return;
    for (std::size_t n = 0; n < states_.size(); ++n) {
      views_[n] = {states_[n].queue.bytes(), states_[n].rate_bps, states_[n].last_delay_s};
    }
    regulator_->regulate(promised_, views_, capacity_bps_, now);
  }

  // Returns the packet whose transmission begins; at least one packet must be waiting.
  Service next(Time now) noexcept {
    advance(now);
    std::size_t chosen = states_.size();
    for (std::size_t n = 0; n < states_.size(); ++n) {
      if (states_[n].queue.empty()) continue;
      if (chosen == states_.size() || states_[n].credit_bytes > states_[chosen].credit_bytes) {
        chosen = n;
      }
    }
    State& state = states_[chosen];
    const Waiting first = state.queue.pop();
    const Time waited = now - first.since;
    state.last_delay_s = seconds(waited);
    state.credit_bytes -= first.packet.bytes;
    if (state.queue.empty()) leave(chosen);
    allocate(now);
    return {chosen, regulator_ && regulator_->leaves(first.packet), waited};
  }

  std::size_t classes() const noexcept { return states_.size(); }
  double rate_bps(std::size_t n) const noexcept { return states_[n].rate_bps; }
  double settled(std::size_t n) const noexcept { return rate_bps(n); }
  double credit_bytes(std::size_t n) const noexcept { return states_[n].credit_bytes; }
  double share(std::size_t n) const noexcept { return states_[n].share; }
  const ClassQueue& queue(std::size_t n) const noexcept { return states_[n].queue; }
  const ServiceClass& promised(std::size_t n) const noexcept { return promised_[n]; }
  const ClassRegulator* regulator() const noexcept { return regulator_ ? &*regulator_ : nullptr; }

 private:
  struct State {
    ClassQueue queue;
    double rate_bps = 0.0, least_bps = 0.0, credit_bytes = 0.0, share = 1.0;
    double last_delay_s = 0.0;  // delay of the last packet sent; 0 when the class begins to wait
  };

  static std::vector<ServiceClass> read(const std::vector<std::vector<double>>& classes) {
    std::vector<ServiceClass> out;
    for (const std::vector<double>& values : classes) out.emplace_back(values.data());
    return out;
  }

  std::vector<double> ratios(double ServiceClass::* ratio) const {
    std::vector<double> out;
    for (const ServiceClass& one : promised_) out.push_back(one.*ratio);
    return out;
  }

  static RegulatorRules rules(const double* v) {
    return {v[3] * v[4],
            {v[5], v[6], v[7], v[8] != 0},
            picoseconds(v[9]),
            MultistageFilter(static_cast<std::size_t>(v[12]), static_cast<std::size_t>(v[13]),
                             v[10], v[11] != 0)};
  }

  std::size_t waiting() const noexcept {
    std::size_t count = 0;
    for (const State& state : states_) count += state.queue.empty() ? 0 : 1;
    return count;
  }

  void begin_busy_period(Time now) noexcept {
    for (State& state : states_) state.queue.begin_busy_period();
    update_at_ = now + update_;
  }

  // Advances the fluid service to the current time.
  void advance(Time now) noexcept {
    const double passed_s = seconds(now - now_);
    now_ = now;
    for (State& state : states_) {
      if (!state.queue.empty()) state.credit_bytes += state.rate_bps / 8.0 * passed_s;
    }
  }

  // Called when a class has no waiting packets left.
  void leave(std::size_t n) noexcept {
    const double credit = std::exchange(states_[n].credit_bytes, 0.0);
    const double others = static_cast<double>(waiting());
    for (State& state : states_) {
      if (!state.queue.empty()) state.credit_bytes += credit / others;
    }
  }

  // Sets least_bps of each class and returns the sum.
  double minima(Time now) noexcept {
    double sum = 0.0;
    for (std::size_t n = 0; n < states_.size(); ++n) {
      State& state = states_[n];
      state.least_bps = state.queue.empty() ? 0.0 : promised_[n].rate_bps;
      if (!state.queue.empty() && promised_[n].in_time()) {
        const double left_s = promised_[n].delay_s - seconds(state.queue.age(now));
        const double bits = static_cast<double>(state.queue.bytes()) * 8.0;
        const double needed = left_s > 0 ? bits / left_s : capacity_bps_;
        state.least_bps = std::min(std::max(state.least_bps, needed), capacity_bps_);
      }
      sum += state.least_bps;
    }
    return sum;
  }

  void allocate(Time now) noexcept {
    if (now >= update_at_) feed_back(now);
    const double sum = minima(now);
    sum <= capacity_bps_ ? share_rest(capacity_bps_ - sum) : relax();
  }

  void share_rest(double rest_bps) noexcept {
    double shares = 0.0;
    bool all = false;
    for (int pass = 0; pass < 2 && shares == 0.0; ++pass) {
      all = pass == 1;
      for (std::size_t n = 0; n < states_.size(); ++n) shares += takes(n, all);
    }
    for (std::size_t n = 0; n < states_.size(); ++n) {
      State& state = states_[n];
      state.rate_bps = state.least_bps;
      if (shares > 0) state.rate_bps += rest_bps * takes(n, all) / shares;
    }
  }

  // A class's share of the remaining capacity, or 0 if the class receives nothing from it.
  double takes(std::size_t n, bool all) const noexcept {
    const bool elastic = all || !promised_[n].in_time() || delay_.tied(n);
    return elastic && !states_[n].queue.empty() ? states_[n].share : 0.0;
  }

  void relax() noexcept {
    double floors = 0.0, needs = 0.0;
    for (std::size_t n = 0; n < states_.size(); ++n) {
      floors += std::min(states_[n].least_bps, promised_[n].rate_bps);
      needs += states_[n].least_bps;
    }
    const double part = (capacity_bps_ - floors) / (needs - floors);
    for (std::size_t n = 0; n < states_.size(); ++n) {
      State& state = states_[n];
      const double floor = std::min(state.least_bps, promised_[n].rate_bps);
      state.rate_bps = floor + (state.least_bps - floor) * part;
    }
  }

  void feed_back(Time now) noexcept {
    update_at_ = now + update_;
    for (std::size_t first = 0; first < states_.size(); first = delay_.end[first] + 1) {
      feed_back(first, delay_.end[first]);
    }
  }

  // Adjusts the shares of one chain, from its first to its last class.
  void feed_back(std::size_t first, std::size_t last) noexcept {
    double classes = 0.0, sum = 0.0, before = 0.0, after = 0.0;
    const auto takes_part = [&](std::size_t n) {
      return !states_[n].queue.empty() && states_[n].rate_bps > 0;
    };
    const auto normal = [&](std::size_t n) {
      const State& state = states_[n];
      return static_cast<double>(state.queue.bytes()) / (state.rate_bps * delay_.weight[n]);
    };
    for (std::size_t n = first; n <= last; ++n) {
      if (!takes_part(n)) continue;
      ++classes;
      sum += normal(n);
      before += states_[n].share;
    }
    if (classes < 2) return;
    for (std::size_t n = first; n <= last; ++n) {
      if (!takes_part(n)) continue;
      states_[n].share *= 1.0 + gain_ * (normal(n) * classes / sum - 1.0);
      after += states_[n].share;
    }
    for (std::size_t n = first; n <= last; ++n) {
      if (takes_part(n)) states_[n].share *= before / after;
    }
  }

  bool spares(std::size_t n) const noexcept {  // the loss bound allows one more loss
    if (!promised_[n].loss_bounded()) return true;
    const ClassQueue& queue = states_[n].queue;
    return queue.loss(queue.last().packet.bytes) <= promised_[n].loss;
  }

  // Order of drops: the class with the smallest value loses a packet first.
  std::tuple<int, double> loss_order(std::size_t n) const noexcept {
    const double loss = states_[n].queue.loss();
    if (spares(n)) return {0, loss / loss_.weight[n]};
    return {1, promised_[n].loss > 0 ? loss / promised_[n].loss : loss};
  }

  template <class May>
  std::size_t victim(May&& may) const noexcept {
    std::size_t chosen = states_.size();
    for (std::size_t n = 0; n < states_.size(); ++n) {
      if (states_[n].queue.empty() || !may(n)) continue;
      if (chosen == states_.size() || loss_order(n) < loss_order(chosen)) chosen = n;
    }
    return chosen;
  }

  std::size_t overflow_victim() const noexcept {
    return victim([](std::size_t) { return true; });
  }

  std::size_t late_victim(Time now) const noexcept {
    return victim([&](std::size_t n) {
      const State& state = states_[n];
      return state.least_bps > promised_[n].rate_bps && spares(n) &&
             seconds(state.queue.age(now)) < promised_[n].delay_s;
    });
  }

  double capacity_bps_;
  std::vector<ServiceClass> promised_;
  Chains delay_, loss_;
  std::vector<State> states_;
  std::vector<ClassRegulator::View> views_;  // scratch
  std::optional<ClassRegulator> regulator_;
  Time update_, update_at_ = 0, now_ = 0;
  double gain_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_CLASS_SCHEDULER_H_
