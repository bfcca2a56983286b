// SPDX-License-Identifier: Apache-2.0
// PIE as DOCSIS cable modems run it (RFC 8034). It drops and never marks. Every `update_s`, with d the queueing delay
//
//   p  <-  p + k (alpha (d - target) + beta (d - d_before))
//
// with the k of PIE (pie_scale.h) below p = 0.1, then k = 2, 8, 32 for p below 1, 10 and above. From p = 0.1 on, p
// rises by at most 0.02. Then p <- 0.98 p if d and d_before are below 5 ms, or p <- p + 0.02 if d is above 200 ms. p
// stays between 0 and 0.85 mean_packet / 64 bytes.
//
// A packet of B bytes is dropped with probability q = min(0.85, p B / mean_packet), but not before the sum of q since
// the last drop is 0.85, and always from a sum of 8.5 on. All packets pass
//   - until a third of the buffer is full. Then a burst begins, which ends after a second of updates with
//     p = 0 and d, d_before < target / 2;
//   - for `max_burst_s` after the first drop of a burst; p is 0 for as long;
//   - while d_before < target / 2 and p < 0.2, or while at most two mean packets wait.
#ifndef ECNOMY_LAWS_SCHEDULING_DOCSIS_PIE_H_
#define ECNOMY_LAWS_SCHEDULING_DOCSIS_PIE_H_

#include <algorithm>
#include <cstdint>

#include "../marking/pie_scale.h"
#include "../simulated_time.h"

namespace ecnomy {

class DocsisPie {
 public:
  struct Bounds {
    double target_s, alpha, beta, mean_bytes, buffer_bytes;
    Time update, max_burst;
  };

  DocsisPie() = default;
  explicit DocsisPie(const Bounds& bounds) noexcept
      : bounds_(bounds), reset_updates_(static_cast<std::int64_t>(kPsPerSecond) / bounds.update) {}

  // Call it every `update`. Returns true if anything changed.
  bool update(double delay_s) noexcept {
    const State before = state_;
    State& it = state_;
    it.p = it.pass > 0 ? 0.0 : controlled(delay_s);
    it.pass = std::max<Time>(0, it.pass - bounds_.update);
    if (low(delay_s) && low(it.delay_s) && it.p == 0 && it.pass == 0) {
      if (it.burst == Burst::dropped) {
        it.burst = Burst::begun;
        it.calm_updates = 0;
      } else if (it.burst == Burst::begun && ++it.calm_updates > reset_updates_) {
        it.burst = Burst::none;
      }
    } else {
      it.calm_updates = 0;
    }
    it.delay_s = delay_s;
    return !(state_ == before);
  }

  // Returns true if the arriving packet is to be dropped. `waiting_bytes` is the size of the queue without this packet.
  template <class Uniform>
  bool drops(std::int32_t packet_bytes, std::int64_t waiting_bytes, Uniform&& uniform) noexcept {
    if (state_.pass > 0) return false;
    const auto waiting = static_cast<double>(waiting_bytes);
    if (state_.p == 0) sum_ = 0.0;
    if (state_.burst == Burst::none) {
      if (waiting < bounds_.buffer_bytes / 3) return false;
      state_.burst = Burst::begun;
      state_.calm_updates = 0;
    }
    const double q = std::min(kLow, state_.p * packet_bytes / bounds_.mean_bytes);
    sum_ += q;
    if (low(state_.delay_s) && state_.p < 0.2) return false;
    if (waiting <= 2 * bounds_.mean_bytes) return false;
    if (sum_ < kLow || (sum_ < kHigh && uniform() >= q)) return false;
    sum_ = 0.0;
    if (state_.burst == Burst::begun) {
      state_.burst = Burst::dropped;
      state_.pass = bounds_.max_burst;
    }
    return true;
  }
  // Called if the buffer had no room for a packet.
  void overflowed() noexcept { sum_ = 0.0; }

  double probability() const noexcept { return state_.p; }

 private:
  static constexpr double kLow = 0.85, kHigh = 8.5;  // bounds of the sum
  static constexpr double kLeastBytes = 64;          // of a packet

  // State of a burst: no burst, before its first drop, or after it.
  enum class Burst : std::uint8_t { none, begun, dropped };
  struct State {
    double p = 0, delay_s = 0;      // delay_s: at the last update
    Time pass = 0;                  // remaining time in which all packets pass
    std::int64_t calm_updates = 0;  // updates in a row without congestion
    Burst burst = Burst::none;
    bool operator==(const State&) const = default;
  };

  bool low(double delay_s) const noexcept { return delay_s < bounds_.target_s / 2; }

  double controlled(double delay_s) const noexcept {
    const double p = state_.p;
    const double k = p < 0.1 ? pie_scale(p) : p < 1 ? 2.0 : p < 10 ? 8.0 : 32.0;
    double change = k * (bounds_.alpha * (delay_s - bounds_.target_s) +
                         bounds_.beta * (delay_s - state_.delay_s));
    if (p >= 0.1) change = std::min(change, 0.02);
    double next = p + change;
    if (delay_s < 0.005 && state_.delay_s < 0.005) {
      next *= 0.98;
    } else if (delay_s > 0.2) {
      next += 0.02;
    }
    return std::clamp(next, 0.0, kLow * bounds_.mean_bytes / kLeastBytes);
  }

  Bounds bounds_{};
  std::int64_t reset_updates_ = 0;  // updates in a second: BURST_RESET_TIMEOUT
  State state_;
  double sum_ = 0.0;  // sum of q since the last drop
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_DOCSIS_PIE_H_
