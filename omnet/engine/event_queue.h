// SPDX-License-Identifier: Apache-2.0
// The event list: a 4-ary heap ordered by (time, serial), so that events at one time act in the order in
// which they were scheduled. Nothing is ever cancelled: a component that changed its mind looks
// at its own deadline when the event comes and ignores or renews it.
#ifndef ECNOMY_ENGINE_EVENT_QUEUE_H_
#define ECNOMY_ENGINE_EVENT_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "laws/parameter.h"

namespace ecnomy::engine {

enum class EventKind : std::uint32_t {
  deliver,        // a link's oldest packet reaches its far end
  class_deliver,  // the same, of a link with a class scheduler
  law_timer,      // a link's marking law has its turn
  depart,         // a host's oldest waiting packet enters its first link
  pace,           // a sender's pacing or cap gate opens
  timeout,        // a retransmission timer
  delayed_ack,    // an ACK has waited long enough
  application,    // a traffic law has its turn: start, next datagram, end of reading, cap lifted
  sample,         // the recorder takes a sample of the series
};

struct Event {
  Time time;
  std::uint64_t serial;
  EventKind kind;
  std::uint32_t subject;

  bool before(const Event& other) const noexcept {
    return time != other.time ? time < other.time : serial < other.serial;
  }
};

class EventQueue {
 public:
  bool empty() const noexcept { return heap_.empty(); }
  const Event& top() const noexcept { return heap_.front(); }

  void reserve(std::size_t events) { heap_.reserve(events); }

  void push(Time time, EventKind kind, std::uint32_t subject) {
    heap_.push_back({time, serial_++, kind, subject});
    rise(heap_.size() - 1);
  }

  // Renews the event now on top: cheaper than pop and push.
  void replace_top(Time time) noexcept {
    Event event = heap_.front();
    event.time = time;
    event.serial = serial_++;
    sink(event);
  }

  void pop() noexcept {
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
  }

 private:
  void rise(std::size_t at) noexcept {
    const Event event = heap_[at];
    while (at > 0) {
      const std::size_t parent = (at - 1) / 4;
      if (!event.before(heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = event;
  }

  void sink(const Event& event) noexcept {
    const std::size_t size = heap_.size();
    std::size_t at = 0;
    for (;;) {
      const std::size_t first = 4 * at + 1;
      if (first >= size) break;
      const std::size_t end = first + 4 < size ? first + 4 : size;
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child) {
        if (heap_[child].before(heap_[least])) least = child;
      }
      if (!heap_[least].before(event)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = event;
  }

  std::vector<Event> heap_;
  std::uint64_t serial_ = 0;
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_EVENT_QUEUE_H_
