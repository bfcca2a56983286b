// SPDX-License-Identifier: Apache-2.0
// The score by which Prague recognises a queue of RFC 3168 at its bottleneck: such a queue varies by milliseconds, one
// of L4S by fractions of a millisecond (Briscoe and Ahmed, "TCP Prague Fall-back on Detection of a Classic ECN AQM",
// arXiv:1911.00710; Linux's tcp_prague 0.6, prague_ecn_fallback).
//
//   RTT sample m             e = m - s;  s += G e;  d += G / 2 (|e| - d)
//   end of a round trip      score += lg(d / 750 us) / 2 + max(lg((s - m_min) / 2 ms), 0) / 2, in [0, 17]
//   reduction                G = 2^-(i + floor(i / 2) + 1), at least 2^-18, i = floor(lg ssthresh)
//
// Up to 8 the queue counts as one of L4S, from 9 on as one of RFC 3168, and in between partly. d is at least 1 us. A
// connection starts at a score of 0, with d = 1 us and G = 2^-18. Linux carries the rest of its whole-number logarithms
// to the next round trip; here they are exact.
#ifndef ECNOMY_LAWS_WINDOW_CLASSIC_SCORE_H_
#define ECNOMY_LAWS_WINDOW_CLASSIC_SCORE_H_

#include <algorithm>
#include <cmath>

#include "../simulated_time.h"

namespace ecnomy {

class ClassicScore {
 public:
  void sample(Time rtt) noexcept {
    const double seconds = static_cast<double>(rtt) / kPsPerSecond;
    if (mean_ == 0) {
      mean_ = seconds;
      return;
    }
    const double error = seconds - mean_;
    mean_ += gain_ * error;
    deviation_ += gain_ / 2 * (std::abs(error) - deviation_);
  }
  void end_round(Time min_rtt) noexcept {
    if (mean_ == 0 || min_rtt == 0) return;  // without samples the score stays 0
    const double depth = mean_ - static_cast<double>(min_rtt) / kPsPerSecond;
    double step = std::log2(std::max(deviation_, kLeast) / 750e-6);
    if (depth > 2e-3) step += std::log2(depth / 2e-3);
    score_ = std::clamp(score_ + step / 2, 0.0, kMost);
  }
  void reduced(double ssthresh) noexcept {
    const double i = std::floor(std::log2(std::max(ssthresh, 1.0)));
    gain_ = std::exp2(-std::min(i + std::floor(i / 2) + 1, 18.0));
  }
  // 0 for a queue of L4S, 1 for one of RFC 3168.
  double classic() const noexcept { return std::clamp(score_ - 8, 0.0, 1.0); }

 private:
  static constexpr double kLeast = 1e-6, kMost = 17;

  double mean_ = 0, deviation_ = kLeast, gain_ = 0x1p-18;
  double score_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_CLASSIC_SCORE_H_
