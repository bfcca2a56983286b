// SPDX-License-Identifier: Apache-2.0
// Converts the 32-bit sequence numbers of TCP connections to the simulator's segment numbers, which start at 0 and
// continue from connection to connection.
#ifndef ECNOMY_LINUX_BYTE_COUNT_H_
#define ECNOMY_LINUX_BYTE_COUNT_H_

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ecnomy::kernel {

class ByteCount {
 public:
  explicit ByteCount(std::int64_t payload_bytes) noexcept : payload_(payload_bytes) {}

  // Notes a SYN with this initial sequence number. A repeated SYN changes nothing.
  void open(std::uint32_t initial) noexcept {
    if (open_ && initial == initial_) return;
    open_ = true;
    initial_ = initial;
    first_segment_ = sent_segments();
    sent_ = acked_ = 0;
  }

  struct Sent {
    std::int64_t segment;
    bool again;
  };
  // Notes that data leaves the sender.
  Sent send(std::uint32_t seq, std::int32_t bytes) noexcept {
    const std::int64_t from = near(seq, sent_);
    const bool again = from < sent_;
    sent_ = std::max(sent_, from + bytes);
    return {first_segment_ + from / payload_, again};
  }

  struct Acked {
    std::int64_t next_segment, packets, bytes;  // packets and bytes acknowledged for the first time
  };
  // Notes that an ACK arrives at the sender.
  Acked acknowledge(std::uint32_t ack) noexcept {
    const std::int64_t to = std::min(near(ack, acked_), sent_);
    const std::int64_t before = std::exchange(acked_, std::max(acked_, to));
    return {first_segment_ + segments(to), segments(acked_) - segments(before), acked_ - before};
  }

  std::int64_t unacked_bytes() const noexcept { return sent_ - acked_; }
  std::int64_t acked_bytes() const noexcept { return acked_; }  // of the current connection

 private:
  std::int64_t segments(std::int64_t bytes) const noexcept {
    return (bytes + payload_ - 1) / payload_;
  }
  std::int64_t sent_segments() const noexcept { return first_segment_ + segments(sent_); }

  // The number of payload bytes before a sequence number. Since sequence numbers repeat, it is the one nearest to
  // `about`.
  std::int64_t near(std::uint32_t seq, std::int64_t about) const noexcept {
    const std::uint32_t offset = seq - initial_ - 1;
    return about + static_cast<std::int32_t>(offset - static_cast<std::uint32_t>(about));
  }

  std::int64_t payload_;
  bool open_ = false;
  std::uint32_t initial_ = 0;
  std::int64_t first_segment_ = 0;     // of the current connection
  std::int64_t sent_ = 0, acked_ = 0;  // payload bytes of the current connection
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_BYTE_COUNT_H_
