// SPDX-License-Identifier: Apache-2.0
// One transmitter for several classes by weights: deficit round robin (Shreedhar and Varghese, "Efficient
// fair queueing using deficit round-robin", SIGCOMM 1995). It models the class-based queueing (CBQ) of DiffServ in
// andreassen2002 section 3.1, whose classes borrow idle capacity from each other.
//
// Classes with waiting packets take turns, in the order in which they began to wait. At the beginning of
// its turn a class's deficit grows by its quantum,
//   Q_n = quantum_bytes share_n / (smallest share)      rounded to bytes.
// The class sends while its first packet is not longer than the deficit; each packet reduces the deficit by
// its bytes. The class keeps the rest for its next turn, but loses it when its queue is empty. Hence a class
// that always waits has at least share_n / (sum of all shares) of the link, within Q_n and the largest packet.
// Unassigned capacity (shares with a sum below 1) and idle capacity go to the waiting classes, in proportion to
// their shares. A class whose quantum is smaller than a packet sends no packet in some turns.
//
// Each class has its own buffer (weighted_class.h). If an arriving packet does not fit, it is dropped.
#ifndef ECNOMY_LAWS_SCHEDULING_DEFICIT_ROUND_ROBIN_H_
#define ECNOMY_LAWS_SCHEDULING_DEFICIT_ROUND_ROBIN_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "class_queue.h"
#include "weighted_class.h"

namespace ecnomy {

class DeficitRoundRobin {
 public:
  static constexpr const char* kName = "deficit-round-robin";
  static constexpr About kAbout{
      "Classes take turns in proportion to their shares of the link; each has a buffer and a "
      "marking law.",
      "Shreedhar and Varghese 1995; andreassen2002 section 3.1"};
  static constexpr SchedulingTraits kTraits{.class_marking = true};
  using Class = WeightedClass;
  static constexpr Parameter kParameters[] = {
      {"quantum_bytes", "bytes", 1500, 64, 1e9, "",
       "Bytes per turn of the class with the smallest share; other classes have more in "
       "proportion."},
  };
  static constexpr int kNone = -1;

  // `values` are in the order of kParameters, and each entry of `classes` in the order of WeightedClass::kParameters.
  DeficitRoundRobin(const double* values, const std::vector<std::vector<double>>& classes,
                    std::int64_t capacity_bps)
      : capacity_bps_(capacity_bps) {
    check_parameters(this, values);
    if (classes.empty()) throw BadParameter(std::string(kName) + ": needs a class");
    double sum = 0.0, smallest = 1.0;
    for (const std::vector<double>& one : classes) {
      states_.emplace_back(WeightedClass(one.data()));
      sum += states_.back().own.share;
      smallest = std::min(smallest, states_.back().own.share);
    }
    // Rounding may bring the sum of decimal shares slightly above 1.
    if (sum > 1.0 + 1e-9) throw BadParameter(std::string(kName) + ": the sum of shares is above 1");
    for (State& state : states_) {
      state.quantum_bytes = std::llround(values[0] * state.own.share / smallest);
    }
    turns_.reserve(classes.size());
  }

  // A packet is offered and joins its class's queue. `busy` is true if the link is transmitting a packet. The caller
  // then calls drop() and settle().
  void arrive(std::size_t n, const PacketView& packet, bool busy, Time now) {
    if (!busy && turns_.empty()) {
      for (State& state : states_) state.queue.begin_busy_period();
    }
    State& state = states_[n];
    if (state.queue.empty()) turns_.push_back(n);
    state.queue.push(packet, now);
    arrived_ = static_cast<int>(n);
    busy_ = busy;
  }

  // Returns the class of the arriving packet if it has been dropped, else kNone. `refused` is true if the marking law
  // or the link's buffer rejects the packet.
  int drop(bool refused, Time) noexcept {
    if (arrived_ == kNone) return kNone;
    const std::size_t n = static_cast<std::size_t>(arrived_);
    State& state = states_[n];
    if (!refused && (!busy_ || state.own.holds(state.queue.packets(), state.queue.bytes()))) {
      return kNone;
    }
    state.queue.drop_last();
    if (state.queue.empty()) turns_.pop_back();
    arrived_ = kNone;
    return static_cast<int>(n);
  }

  // Ends an arrival.
  void settle(Time) noexcept { arrived_ = kNone; }

  // Returns the packet whose transmission begins; at least one packet must be waiting.
  Service next(Time now) noexcept {
    for (;;) {
      const std::size_t n = turns_.front();
      State& state = states_[n];
      if (!in_turn_) state.deficit_bytes += state.quantum_bytes;
      in_turn_ = true;
      if (state.queue.first().packet.bytes <= state.deficit_bytes) return serve(n, now);
      in_turn_ = false;
      std::rotate(turns_.begin(), turns_.begin() + 1, turns_.end());
    }
  }

  // The queue of a class, as if its share of the link were a separate link.
  QueueView view(std::size_t n, Time now) const noexcept {
    const State& state = states_[n];
    const bool idle = state.queue.empty() && state.idle_since <= now;
    const double rate_bps = state.own.share * static_cast<double>(capacity_bps_);
    return {state.queue.packets(), state.queue.bytes(),
            std::max<std::int64_t>(1, std::llround(rate_bps)), idle ? state.idle_since : kNever};
  }

  std::size_t classes() const noexcept { return states_.size(); }
  std::int64_t deficit_bytes(std::size_t n) const noexcept { return states_[n].deficit_bytes; }
  double settled(std::size_t n) const noexcept { return static_cast<double>(deficit_bytes(n)); }
  std::int64_t quantum_bytes(std::size_t n) const noexcept { return states_[n].quantum_bytes; }
  const ClassQueue& queue(std::size_t n) const noexcept { return states_[n].queue; }

 private:
  struct State {
    explicit State(const WeightedClass& of) : own(of) {}

    WeightedClass own;
    ClassQueue queue;
    std::int64_t quantum_bytes = 0, deficit_bytes = 0;
    Time idle_since = 0;  // end of its last transmission, if no packet waits
  };

  Service serve(std::size_t n, Time now) noexcept {
    State& state = states_[n];
    const Waiting first = state.queue.pop();
    state.deficit_bytes -= first.packet.bytes;
    if (state.queue.empty()) {
      state.deficit_bytes = 0;
      in_turn_ = false;
      turns_.erase(turns_.begin());
      const std::int64_t bit_ps = std::int64_t{first.packet.bytes} * 8'000'000'000'000;
      state.idle_since = now + (bit_ps + capacity_bps_ / 2) / capacity_bps_;
    }
    return {n, false, now - first.since};
  }

  std::int64_t capacity_bps_;
  std::vector<State> states_;
  std::vector<std::size_t>
      turns_;             // classes with waiting packets; the first has the current or next turn
  bool in_turn_ = false;  // the first class's turn has begun
  int arrived_ = kNone;   // the class of the packet that may be dropped
  bool busy_ = false;     // at its arrival
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_DEFICIT_ROUND_ROBIN_H_
