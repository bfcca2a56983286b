// SPDX-License-Identifier: Apache-2.0
// The control law of CoDel (RFC 8289 section 5) for one queue. A departing packet has waited for the time s.
//
//   ok        for an interval without a break, s >= target and more bytes than a packet wait behind the packet
//   striking  starts at the first packet that is ok. This packet is struck (marked or dropped); the next strike is
//             due at next = now + interval / sqrt(count), count = 1. If less than 16 intervals have passed since
//             `next`, count is the number of strikes of the last period instead
//   then      a packet at or after `next` is struck: count <- count + 1, next <- next + interval / sqrt(count).
//             If the packet is dropped, `next` changes only if the packet behind it is ok too
//   ends      at the first packet that is not ok
#ifndef ECNOMY_LAWS_MARKING_CONTROLLED_DELAY_H_
#define ECNOMY_LAWS_MARKING_CONTROLLED_DELAY_H_

#include <cmath>
#include <cstdint>

#include "../simulated_time.h"

namespace ecnomy {

class ControlledDelay {
 public:
  struct Bounds {
    Time target, interval;
  };

  // Returns whether a departing packet is struck. `last`: no more than a packet's bytes wait behind the packet.
  bool strikes(const Bounds& bounds, Time waited, bool last, Time now) noexcept {
    const bool ok = overdue(bounds, waited, last, now);
    if (!ok) withdraw();
    const bool strike = ok && (!striking_ || now >= next_);
    repeated_ = strike && striking_;
    before_ = next_;
    if (repeated_) {
      ++count_;
      next_ += step(bounds);
    } else if (strike) {
      begin(bounds, now);
    }
    striking_ = ok;
    dropped_ = false;
    return strike;
  }

  // Notes that the packet struck last was dropped, not marked.
  void drop() noexcept { dropped_ = true; }

  // Called if the queue is empty when a packet should depart.
  void empty() noexcept {
    withdraw();
    ok_from_ = kNever;
    striking_ = dropped_ = false;
  }

  // Notes packets dropped because the buffer was full. Like Linux's fq_codel, it counts them as strikes.
  void overflowed(std::int64_t packets) noexcept { count_ += packets; }

 private:
  bool overdue(const Bounds& bounds, Time waited, bool last, Time now) noexcept {
    if (waited < bounds.target || last) {
      ok_from_ = kNever;
      return false;
    }
    if (ok_from_ == kNever) {
      ok_from_ = now + bounds.interval;
      return false;
    }
    return now >= ok_from_;
  }

  void begin(const Bounds& bounds, Time now) noexcept {
    const std::int64_t strikes = count_ - first_count_;
    count_ = strikes > 1 && now - next_ < 16 * bounds.interval ? strikes : 1;
    first_count_ = count_;
    next_ = now + step(bounds);
  }

  void withdraw() noexcept {
    if (dropped_ && repeated_) next_ = before_;
  }

  Time step(const Bounds& bounds) const noexcept {
    return static_cast<Time>(static_cast<double>(bounds.interval) /
                             std::sqrt(static_cast<double>(count_)));
  }

  Time ok_from_ = kNever;  // packets are ok from this time on; kNever after one below the target
  Time next_ = 0;          // time of the next strike
  Time before_ = 0;        // `next_` before the last strike
  std::int64_t count_ = 0, first_count_ = 0;
  bool striking_ = false, repeated_ = false, dropped_ = false;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_CONTROLLED_DELAY_H_
