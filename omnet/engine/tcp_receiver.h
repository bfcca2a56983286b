// SPDX-License-Identifier: Apache-2.0
// The receiving half of a TCP connection: the cumulative ACK, the ranges held beyond it (RFC 2018), the
// ECN echo and the delay of ACKs (RFC 1122 section 4.2.3.2, RFC 5681 section 4.2).
//
// The echo follows RFC 3168 section 6.1.3, or it is accurate (antoniadis2000 section 3.1). An accurate echo sets ECE on
// the ACK of each marked packet, and carries a cumulative count of marks as in AccECN, so that lost ACKs do no harm.
// With delayed ACKs, each echo follows its own document. RFC 3168 does not require an immediate ACK for a mark; an ACK
// carries the latched echo when it leaves. With accurate echo, an ACK leaves at once for a mark after an unmarked
// packet, and for a second mark not yet echoed (RFC 9768 section 3.2.2.5.1).
#ifndef ECNOMY_ENGINE_TCP_RECEIVER_H_
#define ECNOMY_ENGINE_TCP_RECEIVER_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "engine/packet.h"
#include "host/plan.h"

namespace ecnomy::engine {

class TcpReceiver {
 public:
  // The oldest packet that waits for a delayed ACK. The ACK echoes its time (RFC 7323 section 4.3).
  struct Waiting {
    std::int32_t packets = 0;
    Time sent = 0;
    std::uint16_t connection = 0;
  };

  void open(std::int64_t first_seq) noexcept {
    next_ = first_seq;
    held_.clear();
    echo_latched_ = marked_last_ = false;
    marks_ = echoed_ = 0;
    waiting_.packets = 0;
  }

  std::int64_t next() const noexcept { return next_; }
  std::uint32_t marks() const noexcept { return marks_; }
  bool holds() const noexcept { return !held_.empty(); }
  const Waiting& waiting() const noexcept { return waiting_; }

  // Returns true if the segment is in order and nothing is held beyond it. Without repair, gaps are skipped.
  bool accept(std::int64_t seq, bool repair) {
    if (!repair && seq > next_) next_ = seq;
    if (seq == next_) {
      ++next_;
      if (held_.empty()) return true;
      release_held();
    } else if (seq > next_) {
      hold(seq);
    }
    return false;
  }

  void note_marks(const Packet& packet) noexcept {
    if (packet.has(kCwr)) echo_latched_ = false;
    if (!packet.has(kCe)) return;
    echo_latched_ = true;
    ++marks_;
  }

  // True if an ACK that leaves now carries ECE.
  bool echo(Echo mode) const noexcept {
    if (counts_marks(mode)) return marks_ != echoed_;
    return mode == Echo::rfc3168 && echo_latched_;
  }

  // True if the ACK of a packet just accepted and noted may wait until `every` packets have arrived.
  bool may_wait(const Packet& packet, bool in_order, std::int32_t every, Echo mode) noexcept {
    if (waiting_.packets++ == 0) {
      waiting_.sent = packet.sent;
      waiting_.connection = packet.connection;
    }
    const bool marked = packet.has(kCe);
    const bool turned = marked && !marked_last_;
    marked_last_ = marked;
    const bool tell = counts_marks(mode) && (turned || marks_ - echoed_ >= 2);
    return in_order && waiting_.packets < every && !packet.has(kLast) && !tell;
  }

  // Notes that an ACK leaves.
  void ack_sent() noexcept {
    echoed_ = marks_;
    waiting_.packets = 0;
  }

  // The SACK blocks: the range of the last arrival first, then the ranges with the most recent arrivals (RFC 2018
  // section 4).
  SackBlocks blocks() const noexcept {
    SackBlocks out;
    std::array<std::uint64_t, SackBlocks::kMost> times{};
    for (const Held& held : held_) {
      std::int32_t at = std::min(out.count, SackBlocks::kMost - 1);
      if (out.count == SackBlocks::kMost && times[slot(at)] > held.touched) continue;
      for (; at > 0 && times[slot(at - 1)] < held.touched; --at) {
        times[slot(at)] = times[slot(at - 1)];
        out.ranges[slot(at)] = out.ranges[slot(at - 1)];
      }
      times[slot(at)] = held.touched;
      out.ranges[slot(at)] = {held.first, held.end};
      out.count = std::min(out.count + 1, SackBlocks::kMost);
    }
    return out;
  }

 private:
  struct Held {
    std::int64_t first, end;  // [first, end)
    std::uint64_t touched;    // serial of the last arrival in it
  };

  static std::size_t slot(std::int32_t at) noexcept { return static_cast<std::size_t>(at); }

  void hold(std::int64_t seq) {
    ++arrivals_;
    if (held_.capacity() == 0) held_.reserve(8);  // gaps are rare, but seldom come alone
    const auto at =
        std::lower_bound(held_.begin(), held_.end(), seq,
                         [](const Held& held, std::int64_t number) { return held.end < number; });
    if (at == held_.end() || seq + 1 < at->first) {
      held_.insert(at, {seq, seq + 1, arrivals_});
      return;
    }
    at->touched = arrivals_;
    if (seq == at->end) {
      ++at->end;
      const auto after = at + 1;
      if (after != held_.end() && after->first == at->end) {
        at->end = after->end;
        held_.erase(after);
      }
    } else if (seq + 1 == at->first) {
      at->first = seq;
    }
  }

  void release_held() {
    if (held_.front().first > next_) return;
    if (held_.front().end > next_) next_ = held_.front().end;
    held_.erase(held_.begin());
  }

  std::int64_t next_ = 0;
  std::vector<Held> held_;  // ranges beyond next_, in order, with gaps between them
  std::uint64_t arrivals_ = 0;
  bool echo_latched_ = false;
  bool marked_last_ = false;
  std::uint32_t marks_ = 0;   // CE packets received in this connection
  std::uint32_t echoed_ = 0;  // of these, the marks echoed on ACKs
  Waiting waiting_;
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_TCP_RECEIVER_H_
