// SPDX-License-Identifier: Apache-2.0
// Holds events that are not due soon, in buckets by the digits of their times to base 16. It is a radix heap (Ahuja,
// Mehlhorn, Orlin and Tarjan 1990). An event's level is the highest digit in which its time differs from `base_`, and
// its bucket is the value of that digit. The earliest events are on the lowest level in use, in its first bucket. A
// bucket with too many events is split over the levels below. So each event moves only a few times, regardless of the
// number of events.
#ifndef ECNOMY_ENGINE_EVENT_BUCKETS_H_
#define ECNOMY_ENGINE_EVENT_BUCKETS_H_

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/event.h"

namespace ecnomy::engine {

class EventBuckets {
 public:
  bool empty() const noexcept { return levels_ == 0; }

  void reserve(std::size_t events) { nodes_.reserve(events); }

  // The event must not be earlier than `base_`. take() moves `base_` forward, but neither beyond `until` nor beyond the
  // earliest event left.
  void push(const Event& event) { add(node(event)); }

  // Hands over the first events, in any order. These are at most `most` events, unless more are due at the same time,
  // and no events if the first bucket begins after `until`. Returns a lower bound on the times of the events left.
  template <class Sink>
  Time take(std::size_t most, Time until, Sink sink) {
    for (std::size_t taken = 0; !empty();) {
      const unsigned level = static_cast<unsigned>(std::countr_zero(levels_));
      const unsigned digit = static_cast<unsigned>(std::countr_zero(used_[level]));
      const Bucket bucket = buckets_[level][digit];
      const Time begin = begin_of(level, digit);
      if (begin > until) return begin;
      if (taken + bucket.count <= most || (taken == 0 && level == 0)) {
        leave_empty(level, digit);
        hand_over(bucket, sink);
        taken += bucket.count;
      } else if (taken == 0) {
        leave_empty(level, digit);
        base_ = begin;  // all levels below are empty, so a new base moves no other event
        for_each(bucket, [this](std::uint32_t id) { add(id); });
      } else {
        return begin;
      }
    }
    return std::numeric_limits<Time>::max();
  }

 private:
  static constexpr unsigned kBits = 4;  // per digit
  static constexpr unsigned kDigits = 1 << kBits;
  static constexpr unsigned kLevels = 64 / kBits;

  struct Node {
    Event event;
    std::uint32_t next;
  };
  struct Bucket {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  std::uint32_t node(const Event& event) {
    if (free_count_ == 0) {
      nodes_.push_back({event, 0});
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    --free_count_;
    const std::uint32_t id = free_;
    free_ = nodes_[id].next;
    nodes_[id].event = event;
    return id;
  }

  void add(std::uint32_t id) noexcept {
    const Time time = nodes_[id].event.time;
    assert(time >= base_);
    const std::uint64_t differs = static_cast<std::uint64_t>(time ^ base_) | 1;
    const unsigned level = (63U - static_cast<unsigned>(std::countl_zero(differs))) / kBits;
    const unsigned digit = static_cast<unsigned>(time >> (kBits * level)) % kDigits;
    Bucket& bucket = buckets_[level][digit];
    nodes_[id].next = bucket.first;
    bucket.first = id;
    ++bucket.count;
    used_[level] = static_cast<std::uint16_t>(used_[level] | 1U << digit);
    levels_ = static_cast<std::uint16_t>(levels_ | 1U << level);
  }

  void leave_empty(unsigned level, unsigned digit) noexcept {
    buckets_[level][digit].count = 0;
    used_[level] = static_cast<std::uint16_t>(used_[level] & ~(1U << digit));
    if (used_[level] == 0) levels_ = static_cast<std::uint16_t>(levels_ & ~(1U << level));
  }

  // The earliest time in this bucket's range.
  Time begin_of(unsigned level, unsigned digit) const noexcept {
    const std::uint64_t below = (std::uint64_t{kDigits} << (kBits * level)) - 1;
    const std::uint64_t shared = static_cast<std::uint64_t>(base_) & ~below;
    return static_cast<Time>(shared | std::uint64_t{digit} << (kBits * level));
  }

  template <class Do>
  void for_each(const Bucket& bucket, Do what) {
    std::uint32_t id = bucket.first;
    for (std::uint32_t i = 0; i < bucket.count; ++i) {
      const std::uint32_t next = nodes_[id].next;
      what(id);
      id = next;
    }
  }

  template <class Sink>
  void hand_over(const Bucket& bucket, Sink& sink) {
    for_each(bucket, [&](std::uint32_t id) {
      sink(nodes_[id].event);
      nodes_[id].next = free_;
      free_ = id;
    });
    free_count_ += bucket.count;
  }

  std::vector<Node> nodes_;
  std::uint32_t free_ = 0;  // the first free node
  std::uint32_t free_count_ = 0;
  Time base_ = 0;             // no event here is earlier
  std::uint16_t levels_ = 0;  // levels in use, one bit per level
  std::array<std::uint16_t, kLevels> used_{};
  std::array<std::array<Bucket, kDigits>, kLevels> buckets_{};
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_EVENT_BUCKETS_H_
