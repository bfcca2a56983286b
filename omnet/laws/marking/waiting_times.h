// SPDX-License-Identifier: Apache-2.0
// The arrival times of the packets in a FIFO queue, for laws that need each packet's waiting time.
#ifndef ECNOMY_LAWS_MARKING_WAITING_TIMES_H_
#define ECNOMY_LAWS_MARKING_WAITING_TIMES_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "../parameter.h"

namespace ecnomy {

class WaitingTimes {
 public:
  // Allocates only if more packets wait than ever before.
  void arrive(Time now) {
    if (tail_ - head_ == slots_.size()) grow();
    slot(tail_++) = now;
  }

  // Removes the packet that arrived last, because it found no room.
  void withdraw() noexcept {
    if (tail_ != head_) --tail_;
  }

  // Arrival time of the packet that leaves; `now` if the packet arrived before this law was active.
  Time depart(Time now) noexcept { return head_ == tail_ ? now : slot(head_++); }

 private:
  Time& slot(std::size_t position) noexcept { return slots_[position & (slots_.size() - 1)]; }

  void grow() {
    std::vector<Time> bigger(slots_.empty() ? 16 : slots_.size() * 2);
    for (std::size_t i = head_; i != tail_; ++i) bigger[i & (bigger.size() - 1)] = slot(i);
    slots_ = std::move(bigger);
  }

  std::vector<Time> slots_;  // a ring; its size is a power of two
  std::size_t head_ = 0, tail_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_WAITING_TIMES_H_
