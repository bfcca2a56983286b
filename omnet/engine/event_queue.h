// SPDX-License-Identifier: Apache-2.0
// The event list, ordered by (time, serial). A sorted array holds the next few events, and buckets hold all others. If
// many events have the same time, the array may hold all of them. Most events are deliveries of links. After a delivery
// the link schedules the next one, about one transmission time ahead, so it is inserted at or near the end of the
// array. Timers are about 200 ms ahead and stay in the buckets. Events are never cancelled. A component whose deadline
// has changed compares the event with its own deadline when the event comes, and ignores or renews the event.
#ifndef ECNOMY_ENGINE_EVENT_QUEUE_H_
#define ECNOMY_ENGINE_EVENT_QUEUE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "engine/event_buckets.h"

namespace ecnomy::engine {

class EventQueue {
 public:
  EventQueue() : near_(kSlots + kMost, Event{kFirst, 0, EventKind::sample, 0}) {}
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  void reserve(std::size_t events) { far_.reserve(events); }

  // Returns true if there is an event before `end`. top() is then the first event. Once it returns false, no event may
  // be scheduled before `end`. No event may ever be scheduled before the event that was last on top.
  bool due(Time end) {
    if (head_ == tail_) refill(end);
    return head_ != tail_ && head_->time < end;
  }
  const Event& top() const noexcept { return *head_; }
  void pop() noexcept { ++head_; }

  void push(Time time, EventKind kind, std::uint32_t subject) {
    if (time < head_[-1].time) throw_past();
    insert({time, serial_++, kind, subject});
  }

  // Moves the event on top to a later time.
  void replace_top(Time time) {
    const Event& first = *head_++;
    insert({time, serial_++, first.kind, first.subject});
  }

 private:
  static constexpr Time kFirst = std::numeric_limits<Time>::min();
  static constexpr Time kLast = std::numeric_limits<Time>::max();
  static constexpr std::size_t kSlots = 256;
  static constexpr std::size_t kMost = 24;   // events in the array; of one time, there may be more
  static constexpr std::size_t kAtOnce = 8;  // events taken from the buckets at once

  [[noreturn, gnu::noinline]] static void throw_past() {
    throw std::overflow_error(
        "an event in the past: a pause, delay or interval of the scenario reaches beyond 100 days");
  }
  static bool earlier(const Event& a, const Event& b) noexcept { return a.before(b); }
  Event* first_slot() noexcept { return near_.data() + 1; }
  std::size_t slots() const noexcept { return near_.size() - kMost; }

  // The slot before the first event holds a past event or kFirst, so that the search ends there.
  [[gnu::always_inline]] void insert(const Event& event) {
    if (event.time >= horizon_) return far_.push(event);
    if (tail_ >= head_ + kMost || tail_ == end_) {
      make_room(event.time);
      if (event.time >= horizon_) return far_.push(event);
    }
    Event* at = tail_++;
    for (; at[-1].time > event.time; --at) *at = at[-1];
    *at = event;
  }

  // Moves the later half to the buckets, to make room for an event at `time`. Events at the same time move together or
  // stay together. The other events move to the front.
  [[gnu::noinline]] void make_room(Time time) {
    Event* const keep = head_ + kMost / 2;
    if (tail_ > keep) {
      const Time last = tail_[-1].time;
      const Time stays = keep->time < last ? keep->time : time;
      if (stays < last) {
        horizon_ = stays + 1;
        while (tail_[-1].time >= horizon_) far_.push(*--tail_);
      }
    }
    if (tail_ < end_) return;
    if (head_ > first_slot()) std::copy(head_, tail_, first_slot());
    tail_ -= head_ - first_slot();
    head_ = first_slot();
    if (tail_ > near_.data() + slots() / 2) grow();
  }

  [[gnu::noinline]] void refill(Time until) {
    head_ = tail_ = first_slot();
    horizon_ = far_.take(kAtOnce, until, [this](const Event& event) {
      if (tail_ == end_) grow();
      *tail_++ = event;
    });
    if (tail_ > first_slot() + kMost - 1) return std::sort(first_slot(), tail_, earlier);
    for (Event* next = first_slot() + 1; next < tail_; ++next) {
      const Event event = *next;
      Event* at = next;
      for (; event.before(at[-1]); --at) *at = at[-1];
      *at = event;
    }
  }

  // Doubles the slots.
  void grow() {
    const std::ptrdiff_t head = head_ - near_.data(), tail = tail_ - near_.data();
    near_.resize(2 * slots() + kMost);
    head_ = near_.data() + head;
    tail_ = near_.data() + tail;
    end_ = near_.data() + slots();
  }

  // The next events are those from head_ up to tail_, in order. No event in far_ is before horizon_. Of two events at
  // the same time, the one in near_ precedes the one in far_. Pointers save the multiplication of an index. The last
  // kMost elements are never used, so that head_ + kMost is within the array.
  std::vector<Event> near_;
  Event* head_ = near_.data() + 1;
  Event* tail_ = head_;
  Event* end_ = near_.data() + slots();
  Time horizon_ = kLast;
  EventBuckets far_;
  std::uint64_t serial_ = 0;
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_EVENT_QUEUE_H_
