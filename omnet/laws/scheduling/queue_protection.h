// SPDX-License-Identifier: Apache-2.0
// Queue protection of DOCSIS (RFC 9957): it finds the flows that queue in a shared low-latency queue and ejects their
// packets. Each flow has a bucket with a queueing score, which is a time. A packet of B bytes that arrives at a native
// marking probability p adds p B / aging to its flow's score, up to `most_score`. The score falls by one second per
// second.
//
//   eject if  delay > critical_delay  and  delay * score > critical_delay * critical_score
//
// The hash of a flow selects `attempts` buckets. The flow uses its own bucket if it has one among them, else the first
// bucket whose score has fallen to 0, else the bucket that all such flows share.
#ifndef ECNOMY_LAWS_SCHEDULING_QUEUE_PROTECTION_H_
#define ECNOMY_LAWS_SCHEDULING_QUEUE_PROTECTION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../simulated_time.h"

namespace ecnomy {

class QueueProtection {
 public:
  struct Bounds {
    Time critical_delay, critical_score, most_score;
    double aging_bps;  // rate of marked traffic at which a score neither rises nor falls
    std::size_t buckets;
    int attempts;
  };

  QueueProtection() = default;
  explicit QueueProtection(const Bounds& bounds) : bounds_(bounds), buckets_(bounds.buckets + 1) {}

  // Adds a packet to the score of the flow with this hash. Returns true if the packet is to be ejected.
  bool ejects(std::uint64_t flow, std::int32_t bytes, double native, Time delay,
              Time now) noexcept {
    const Time score = fill(pick(flow, now), bytes, native, now);
    return delay > bounds_.critical_delay &&
           static_cast<double>(delay) * static_cast<double>(score) >
               static_cast<double>(bounds_.critical_delay) *
                   static_cast<double>(bounds_.critical_score);
  }

 private:
  struct Bucket {
    std::uint64_t flow = 0;
    Time empty_at = 0;  // the score is the time until then
  };

  Bucket& pick(std::uint64_t flow, Time now) noexcept {
    std::size_t chosen = bounds_.buckets;  // the shared one
    std::uint64_t hash = flow;
    for (int i = 0; i < bounds_.attempts; ++i, hash /= bounds_.buckets) {
      const std::size_t n = hash % bounds_.buckets;
      if (buckets_[n].flow == flow) {
        chosen = n;
        break;
      }
      if (chosen == bounds_.buckets && buckets_[n].empty_at <= now) chosen = n;
    }
    Bucket& bucket = buckets_[chosen];
    bucket.flow = flow;
    bucket.empty_at = std::max(bucket.empty_at, now);
    return bucket;
  }

  Time fill(Bucket& bucket, std::int32_t bytes, double native, Time now) const noexcept {
    const double added_ps = native * bytes * 8 / bounds_.aging_bps * kPsPerSecond;
    const auto most = static_cast<double>(bounds_.most_score);
    bucket.empty_at = std::min(now + bounds_.most_score,
                               bucket.empty_at + static_cast<Time>(std::min(added_ps, most)));
    return bucket.empty_at - now;
  }

  Bounds bounds_{};
  std::vector<Bucket> buckets_;  // the shared one is last
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_QUEUE_PROTECTION_H_
