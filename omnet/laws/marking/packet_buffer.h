// SPDX-License-Identifier: Apache-2.0
// A buffer in front of one server, whole packets first in first out, reckoned at arrivals alone.
//
// A packet's times are fixed when it is accepted: it starts when the one before it has left. The packet
// being served is out of the buffer (as in ns-2, and as on the links here), so that `waiting_bytes`
// excludes it and whoever finds the server idle is served at once. What starts or leaves at t
// has done so for an arrival at the same t. Times are rounded to whole picoseconds, packet by packet.
#ifndef ECNOMY_LAWS_MARKING_PACKET_BUFFER_H_
#define ECNOMY_LAWS_MARKING_PACKET_BUFFER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../parameter.h"

namespace ecnomy {

class PacketBuffer {
 public:
  // Whatever starts up to `now` leaves the waiting room.
  void advance(Time now) noexcept {
    while (head_ != tail_ && slot(head_).started <= now) waiting_bytes_ -= slot(head_++).bytes;
  }

  bool idle(Time now) const noexcept { return free_at_ <= now; }
  std::int64_t waiting_bytes() const noexcept { return waiting_bytes_; }

  // After advance(now). It allocates only while more packets wait than ever before.
  void accept(std::int32_t bytes, double rate_bps, Time now) {
    const Time started = std::max(now, free_at_);
    if (started > now) {
      if (tail_ - head_ == slots_.size()) grow();
      slot(tail_++) = {started, bytes};
      waiting_bytes_ += bytes;
    }
    const double duration = static_cast<double>(bytes) * 8.0 * kPsPerSecond / rate_bps;
    const Time whole = duration < kFar / 2 ? static_cast<Time>(duration + 0.5) : kFar / 2;
    free_at_ = std::min(started + whole, kFar);
  }

  void clear() noexcept { *this = PacketBuffer(std::move(slots_)); }

  PacketBuffer() = default;

 private:
  struct Slot {
    Time started;
    std::int32_t bytes;
  };
  static constexpr Time kFar = Time{1} << 62;  // 53 days: a server too slow for its packets

  explicit PacketBuffer(std::vector<Slot>&& slots) noexcept : slots_(std::move(slots)) {}

  Slot& slot(std::size_t position) noexcept { return slots_[position & (slots_.size() - 1)]; }

  void grow() {
    std::vector<Slot> bigger(slots_.empty() ? 16 : slots_.size() * 2);
    for (std::size_t i = head_; i != tail_; ++i) bigger[i & (bigger.size() - 1)] = slot(i);
    slots_ = std::move(bigger);
  }

  std::vector<Slot> slots_;  // a ring of a power of two
  std::size_t head_ = 0, tail_ = 0;
  std::int64_t waiting_bytes_ = 0;
  Time free_at_ = 0;  // when the last accepted packet leaves
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_PACKET_BUFFER_H_
