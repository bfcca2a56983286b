// SPDX-License-Identifier: Apache-2.0
// The waiting packets of one class (FIFO), and the bytes of the class that arrived and were dropped in the
// current busy period of its link. It allocates only if more packets wait than ever before.
#ifndef ECNOMY_LAWS_SCHEDULING_CLASS_QUEUE_H_
#define ECNOMY_LAWS_SCHEDULING_CLASS_QUEUE_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../marking/marking.h"

namespace ecnomy {

struct Waiting {
  PacketView packet;
  bool noted = false;  // the scheduler's note at the packet's arrival
  Time since = 0;
};

// The packet that a scheduler sends next.
struct Service {
  std::size_t service;  // the class whose oldest packet leaves
  bool mark;
  Time waited;
  bool drop = false;  // drop the packet instead, and call next() again if more wait
};

struct SchedulingTraits {
  bool class_marking =
      false;  // each class has its own marking law and buffer; otherwise the scheduler marks
  bool by_codepoint = false;  // the ECN field, not the source, determines a packet's class
  bool drops_classic =
      false;             // with by_codepoint: packets of the second class are dropped, never marked
  bool by_flow = false;  // one class with a queue for each flow; the oldest packets are dropped
  bool draws = false;    // next(now, uniform): the scheduler draws from a stream
  // arrive(n, packet, busy, now, flow, uniform) returns the queue that the packet joins, and marks() is its mark
  bool judges = false;
  bool controls = false;  // pass_time(now) updates a controller with the base probability()
};

// Concepts for the optional hooks.
template <class Law>
concept PassesTime = requires(Law& law) { law.pass_time(Time{}); };
template <class Law>
concept HasProbability = requires(const Law& law) {
  { law.probability() } noexcept -> std::same_as<double>;
};
template <class Law>
concept Draws = requires(Law& law, double (&uniform)()) {
  { law.next(Time{}, uniform) } noexcept -> std::same_as<Service>;
};

// A complete scheduler has a description, all required hooks, and exactly the optional hooks that its traits name.
template <class Law>
concept SchedulingHooks =
    Described<Law> && std::same_as<decltype(Law::kTraits), const SchedulingTraits> &&
    requires(Law& law) {
      { law.drop(true, Time{}) } noexcept -> std::same_as<int>;
      { law.settle(Time{}) } noexcept;
    } && Law::kTraits.draws == Draws<Law> && Law::kTraits.controls == PassesTime<Law> &&
    Law::kTraits.controls == HasProbability<Law>;

// The number of a scheduler's queues: one per class, or many queues for a single class.
template <class Scheduler>
std::size_t queues_of(const Scheduler& law) noexcept {
  if constexpr (Scheduler::kTraits.by_flow) {
    return law.queues();
  } else {
    return law.classes();
  }
}

class ClassQueue {
 public:
  bool empty() const noexcept { return head_ == tail_; }
  std::int64_t packets() const noexcept { return static_cast<std::int64_t>(tail_ - head_); }
  std::int64_t bytes() const noexcept { return bytes_; }
  // Waiting time of the oldest packet; 0 if no packet waits.
  Time age(Time now) const noexcept { return empty() ? 0 : now - slot(head_).since; }

  void push(const PacketView& packet, Time now, bool noted = false) {
    if (tail_ - head_ == slots_.size()) grow();
    slots_[tail_++ & (slots_.size() - 1)] = {packet, noted, now};
    bytes_ += packet.bytes;
    note_arrived(packet.bytes);
  }
  Waiting pop() noexcept {
    const Waiting first = slot(head_++);
    bytes_ -= first.packet.bytes;
    return first;
  }
  const Waiting& first() const noexcept { return slot(head_); }
  const Waiting& last() const noexcept { return slot(tail_ - 1); }
  Waiting drop_last() noexcept {
    const Waiting last = slot(--tail_);
    bytes_ -= last.packet.bytes;
    note_dropped(last.packet.bytes);
    return last;
  }

  // Counts further bytes in the busy period. push() and drop_last() count their own packets.
  void note_arrived(std::int64_t bytes) noexcept { arrived_bytes_ += bytes; }
  void note_dropped(std::int64_t bytes) noexcept { dropped_bytes_ += bytes; }
  void begin_busy_period() noexcept { arrived_bytes_ = dropped_bytes_ = 0; }
  // The share of the busy period's bytes that would be dropped after a further drop of `more` bytes.
  double loss(std::int64_t more = 0) const noexcept {
    if (arrived_bytes_ == 0) return 0.0;
    return static_cast<double>(dropped_bytes_ + more) / static_cast<double>(arrived_bytes_);
  }
  std::int64_t arrived_bytes() const noexcept { return arrived_bytes_; }
  std::int64_t dropped_bytes() const noexcept { return dropped_bytes_; }

 private:
  const Waiting& slot(std::size_t position) const noexcept {
    return slots_[position & (slots_.size() - 1)];
  }

  void grow() {
    std::vector<Waiting> bigger(slots_.empty() ? 16 : slots_.size() * 2);
    for (std::size_t i = head_; i != tail_; ++i) bigger[i & (bigger.size() - 1)] = slot(i);
    slots_ = std::move(bigger);
  }

  std::vector<Waiting> slots_;  // a ring; its size is a power of two
  std::size_t head_ = 0, tail_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t arrived_bytes_ = 0, dropped_bytes_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_CLASS_QUEUE_H_
