// SPDX-License-Identifier: Apache-2.0
// HyStart++ (RFC 9406): slow start ends when round-trip times grow, before packets are lost.
//
//   round             until all packets that had been sent at its start are acknowledged
//   ACK of n          slow start: cwnd += min(n, 8);  conservative slow start (CSS): cwnd += min(n, 8) / 4
//   to CSS            after at least 8 samples in a round, if its smallest sample exceeds that of the previous
//                     round by clamp(1/8 of the latter, 4 ms, 16 ms); its smallest sample is the baseline
//   back              after at least 8 samples in a round of CSS, if its smallest sample is below the baseline
//   ssthresh = cwnd   after 5 rounds of CSS, including the round in which CSS began
//
// This applies only to the first slow start of a connection.
#ifndef ECNOMY_LAWS_WINDOW_HYSTART_H_
#define ECNOMY_LAWS_WINDOW_HYSTART_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "../parameter.h"

namespace ecnomy {

class HyStart {
 public:
  bool active() const noexcept { return active_; }

  // Begins a new connection. `sent` packets have been sent over all connections.
  void begin(std::int64_t sent) noexcept {
    *this = {};
    active_ = true;
    round_end_ = sent;
  }

  void end() noexcept { active_ = false; }

  void sample(Time rtt) noexcept {
    current_ = std::min(current_, rtt);
    ++samples_;
  }

  // Growth of the window for an ACK of n packets.
  double growth(double n) const noexcept { return std::min(n, kMost) / (css_ ? kDivisor : 1.0); }

  // Called after the window has grown. Evaluates the samples and returns true if slow start is over.
  bool over(std::int64_t acked, std::int64_t sent) noexcept {
    if (samples_ >= kSamples) judge();
    if (acked < round_end_) return false;
    round_end_ = sent;
    last_ = current_;
    current_ = kNone;
    samples_ = 0;
    if (!css_ || ++css_rounds_ < kRounds) return false;
    end();
    return true;
  }

 private:
  static constexpr Time kMs = 1'000'000'000;
  static constexpr Time kNone = std::numeric_limits<Time>::max();
  static constexpr double kMost = 8, kDivisor = 4;
  static constexpr int kSamples = 8, kRounds = 5;

  void judge() noexcept {
    if (css_) {
      css_ = current_ >= baseline_;
      if (!css_) css_rounds_ = 0;
    } else if (last_ != kNone && current_ >= last_ + std::clamp(last_ / 8, 4 * kMs, 16 * kMs)) {
      css_ = true;
      baseline_ = current_;
    }
  }

  bool active_ = false, css_ = false;
  int samples_ = 0, css_rounds_ = 0;
  std::int64_t round_end_ = 0;  // packets sent at the start of the round
  Time last_ = kNone, current_ = kNone, baseline_ = kNone;  // smallest samples
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_HYSTART_H_
