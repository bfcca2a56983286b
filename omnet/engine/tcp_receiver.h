// SPDX-License-Identifier: Apache-2.0
// The receiving half of a TCP connection: cumulative ACK, one per segment, and the ECN echo
// (RFC 3168 section 6.1.3; or accurate, antoniadis2000 section 3.1: ECE on the ACK of each
// marked packet and a cumulative count of them, as AccECN's, that outlives lost ACKs).
#ifndef ECNOMY_ENGINE_TCP_RECEIVER_H_
#define ECNOMY_ENGINE_TCP_RECEIVER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/packet.h"
#include "engine/plan.h"

namespace ecnomy::engine {

class TcpReceiver {
 public:
  void open(std::int64_t first_seq) noexcept {
    next_ = first_seq;
    held_.clear();
    echo_latched_ = false;
    marks_ = 0;
  }

  std::int64_t next() const noexcept { return next_; }
  std::uint32_t marks() const noexcept { return marks_; }

  void accept(std::int64_t seq) {
    if (seq == next_) {
      ++next_;
      if (!held_.empty()) release_held();
    } else if (seq > next_) {
      hold(seq);
    }
  }

  // Whether the ACK of this packet carries ECE.
  bool echo(const Packet& packet, Echo mode) noexcept {
    marks_ += packet.has(kCe) ? 1 : 0;
    if (mode == Echo::accurate) return packet.has(kCe);
    if (mode == Echo::off) return false;
    if (packet.has(kCwr)) echo_latched_ = false;
    if (packet.has(kCe)) echo_latched_ = true;
    return echo_latched_;
  }

 private:
  using Range = std::pair<std::int64_t, std::int64_t>;  // [first, second)

  void hold(std::int64_t seq) {
    auto at = held_.begin();
    while (at != held_.end() && at->second < seq) ++at;
    if (at == held_.end() || seq + 1 < at->first) {
      held_.insert(at, {seq, seq + 1});
    } else if (seq == at->second) {
      ++at->second;
      const auto after = at + 1;
      if (after != held_.end() && after->first == at->second) {
        at->second = after->second;
        held_.erase(after);
      }
    } else if (seq + 1 == at->first) {
      at->first = seq;
    }
  }

  void release_held() {
    if (held_.front().first > next_) return;
    if (held_.front().second > next_) next_ = held_.front().second;
    held_.erase(held_.begin());
  }

  std::int64_t next_ = 0;
  std::vector<Range> held_;  // beyond next_, in order, apart
  bool echo_latched_ = false;
  std::uint32_t marks_ = 0;  // CE packets received in this connection
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_TCP_RECEIVER_H_
