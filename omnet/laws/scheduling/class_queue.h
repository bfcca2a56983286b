// SPDX-License-Identifier: Apache-2.0
// The waiting packets of one class, first in first out, and what of the class came and went in the
// present busy period of its link. It allocates only while more packets wait than ever before.
#ifndef ECNOMY_LAWS_SCHEDULING_CLASS_QUEUE_H_
#define ECNOMY_LAWS_SCHEDULING_CLASS_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../marking/marking.h"

namespace ecnomy {

struct Waiting {
  PacketView packet;
  bool noted = false;  // what its scheduler noted of it as it came
  Time since = 0;
};

// What a scheduler sends next.
struct Service {
  std::size_t service;  // the class whose oldest packet goes
  bool mark;
  Time waited;
  bool drop = false;  // it is dropped instead, and the scheduler asked anew if more is waiting
};

struct SchedulingTraits {
  bool class_marking =
      false;  // each class has a marking law and a buffer of its own; else the scheduler marks
  bool by_codepoint = false;  // a packet's class is that of its ECN field, not that of its source
  bool draws = false;         // next(now, uniform): it draws from a stream
};

class ClassQueue {
 public:
  bool empty() const noexcept { return head_ == tail_; }
  std::int64_t packets() const noexcept { return static_cast<std::int64_t>(tail_ - head_); }
  std::int64_t bytes() const noexcept { return bytes_; }
  // How long its oldest packet has been waiting; 0 with none.
  Time age(Time now) const noexcept { return empty() ? 0 : now - slot(head_).since; }

  void push(const PacketView& packet, Time now, bool noted = false) {
    if (tail_ - head_ == slots_.size()) grow();
    slots_[tail_++ & (slots_.size() - 1)] = {packet, noted, now};
    bytes_ += packet.bytes;
    arrived_bytes_ += packet.bytes;
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
    dropped_bytes_ += last.packet.bytes;
    return last;
  }

  void begin_busy_period() noexcept { arrived_bytes_ = dropped_bytes_ = 0; }
  // The share of the busy period's bytes dropped, were `more` of them dropped as well.
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

  std::vector<Waiting> slots_;  // a ring of a power of two
  std::size_t head_ = 0, tail_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t arrived_bytes_ = 0, dropped_bytes_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_CLASS_QUEUE_H_
