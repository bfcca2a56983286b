// SPDX-License-Identifier: Apache-2.0
// A FIFO on a circular buffer of a power of two; it grows by doubling and never shrinks. Positions are
// counted from the first element ever pushed, so that a position stays valid while it is inside.
#ifndef ECNOMY_ENGINE_RING_H_
#define ECNOMY_ENGINE_RING_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace ecnomy::engine {

template <class T>
class Ring {
 public:
  Ring() : slots_(16) {}

  bool empty() const noexcept { return head_ == tail_; }
  std::uint64_t head() const noexcept { return head_; }
  std::uint64_t tail() const noexcept { return tail_; }
  T& front() noexcept { return (*this)[head_]; }
  T& operator[](std::uint64_t position) noexcept { return slots_[position & (slots_.size() - 1)]; }

  void push(const T& value) {
    if (tail_ - head_ == slots_.size()) grow();
    slots_[tail_++ & (slots_.size() - 1)] = value;
  }
  void pop() noexcept { ++head_; }

 private:
  void grow() {
    std::vector<T> bigger(slots_.size() * 2);
    for (std::uint64_t i = head_; i != tail_; ++i) bigger[i & (bigger.size() - 1)] = (*this)[i];
    slots_ = std::move(bigger);
  }

  std::vector<T> slots_;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_RING_H_
