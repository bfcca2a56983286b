// SPDX-License-Identifier: Apache-2.0
// Round-trip times for a flow whose weight is in marks per second. A market sets marks per second, but a
// window law takes marks per round trip:  w = mark_rate * T_w  with
//
//   T_w = min(T, 2 * smallest RTT)
//
// T is the smoothed RTT (rto.h), or the mean over the last 2 s to 4 s that this class computes. Without the cap,
// queue and w would grow together without limit. A flow at the cap is `saturated`. The mean is over buckets
// of 2 s: the last full bucket and the current one.
#ifndef ECNOMY_LAWS_WINDOW_ROUND_TRIP_H_
#define ECNOMY_LAWS_WINDOW_ROUND_TRIP_H_

#include <algorithm>

#include "../parameter.h"

namespace ecnomy {

class RoundTrip {
 public:
  void sample(Time now, Time rtt) noexcept {
    if (bucket_end_ == 0) bucket_end_ = now + kBucket;
    if (now >= bucket_end_) roll(now);
    sum_ += rtt;
    count_ += 1;
    min_ = min_ == 0 ? rtt : std::min(min_, rtt);
  }

  bool known() const noexcept { return min_ > 0; }
  Time min() const noexcept { return min_; }
  Time mean() const noexcept {
    const std::int64_t n = count_ + last_count_;
    return n == 0 ? min_ : (sum_ + last_sum_) / n;
  }
  // T_w for a given T, and whether the cap applies.
  Time for_weight(Time t) const noexcept { return std::min(t, 2 * min_); }
  bool saturated(Time t) const noexcept { return t > 2 * min_; }

 private:
  static constexpr Time kBucket = 2'000'000'000'000;

  void roll(Time now) noexcept {
    const bool adjacent = now < bucket_end_ + kBucket;
    last_sum_ = adjacent ? sum_ : 0;
    last_count_ = adjacent ? count_ : 0;
    sum_ = count_ = 0;
    bucket_end_ = adjacent ? bucket_end_ + kBucket : now + kBucket;
  }

  Time bucket_end_ = 0;
  Time min_ = 0;
  std::int64_t sum_ = 0, count_ = 0;
  std::int64_t last_sum_ = 0, last_count_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_ROUND_TRIP_H_
