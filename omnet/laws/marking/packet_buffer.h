// SPDX-License-Identifier: Apache-2.0
// A FIFO buffer of whole packets in front of one server, computed only at arrivals.
//
// A packet's times are fixed when it is accepted: its service starts when the packet before it has left.
// The packet in service is not in the buffer (as in ns-2, and as on the links here). So `waiting_bytes`
// excludes this packet, and a packet that finds the server idle is served at once. At equal times,
// starts and departures precede an arrival. Each packet's times are rounded to whole picoseconds.
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
  // Packets whose service starts up to `now` leave the buffer.
  void advance(Time now) noexcept {
    while (head_ != tail_ && slot(head_).started <= now) waiting_bytes_ -= slot(head_++).bytes;
  }

  bool idle(Time now) const noexcept { return free_at_ <= now; }
  std::int64_t waiting_bytes() const noexcept { return waiting_bytes_; }

  // Call it after advance(now). It allocates only if more packets wait than ever before.
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
  static constexpr Time kFar = Time{1} << 62;  // 53 days: the limit if the server is too slow

  explicit PacketBuffer(std::vector<Slot>&& slots) noexcept : slots_(std::move(slots)) {}

  Slot& slot(std::size_t position) noexcept { return slots_[position & (slots_.size() - 1)]; }

  void grow() {
    std::vector<Slot> bigger(slots_.empty() ? 16 : slots_.size() * 2);
    for (std::size_t i = head_; i != tail_; ++i) bigger[i & (bigger.size() - 1)] = slot(i);
    slots_ = std::move(bigger);
  }

  std::vector<Slot> slots_;  // a ring; its size is a power of two
  std::size_t head_ = 0, tail_ = 0;
  std::int64_t waiting_bytes_ = 0;
  Time free_at_ = 0;  // departure of the last accepted packet
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_PACKET_BUFFER_H_
