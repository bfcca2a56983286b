// SPDX-License-Identifier: LGPL-3.0-or-later
// Additions to the receiving half of INET's connection: the ECN echo, the delay of ACKs (RFC 1122 section
// 4.2.3.2, RFC 5681 section 4.2), and the ranges that an ACK reports (RFC 2018). The echo follows RFC 3168
// section 6.1.3, or it is accurate (antoniadis2000 section 3.1): a cumulative count of marks as in AccECN, so that lost
// ACKs do no harm. engine/tcp_receiver.h has the same rules.
#ifndef ECNOMY_INET_TCP_FLOWRECEIVER_H_
#define ECNOMY_INET_TCP_FLOWRECEIVER_H_

#include <cstdint>
#include <vector>

#include "host/plan.h"
#include "inet/transportlayer/tcp/TcpReceiveQueue.h"
#include "tcp/SenderPort.h"

namespace ecnomy::omnet {

class FlowReceiver {
 public:
  // The oldest packet that waits for the next ACK. The ACK echoes its time (RFC 7323 section 4.3).
  struct Waiting {
    std::int32_t packets = 0;
    Time sent = kNever;
    bool again = false;
  };

  const Waiting& waiting() const noexcept { return waiting_; }
  std::uint32_t marks() const noexcept { return marks_; }

  // Notes a segment that will be acknowledged.
  void note(Time sent, bool again) noexcept {
    if (waiting_.packets++ == 0) {
      waiting_.sent = sent;
      waiting_.again = again;
    }
  }

  // Notes the segment's data, before INET's queue has it.
  void noteData(bool ce, bool cwr) noexcept {
    if (cwr) latched_ = false;
    turned_ = ce && !markedLast_;
    markedLast_ = ce;
    if (!ce) return;
    latched_ = true;
    ++marks_;
  }

  // True if an ACK that leaves now carries ECE.
  bool echo(Echo mode) const noexcept {
    if (counts_marks(mode)) return marks_ != echoed_;
    return mode == Echo::rfc3168 && latched_;
  }

  // True if the ACK of data just noted may wait until `every` packets have arrived. The data is in order, with
  // nothing held beyond it. With accurate echo, an ACK leaves at once for a mark after an unmarked packet, and
  // for a second mark not yet echoed (RFC 9768 section 3.2.2.5.1).
  bool mayWait(std::int32_t every, Echo mode) const noexcept {
    const bool tell = counts_marks(mode) && (turned_ || marks_ - echoed_ >= 2);
    return waiting_.packets < every && !tell;
  }

  // Notes that an ACK leaves.
  void ackSent() noexcept {
    echoed_ = marks_;
    waiting_ = Waiting{};
  }

  // Notes that data [first, end) arrived out of order. The queue already has it.
  void hold(inet::tcp::TcpReceiveQueue& queue, std::uint32_t first, std::uint32_t end);
  // Returns at most three ranges: that of the last arrival first, then those with the most recent arrivals.
  std::vector<SeqRange> held(std::uint32_t next);

 private:
  static constexpr std::size_t kMostRanges = 3;

  std::vector<SeqRange> held_;  // the range that grew last comes first
  bool latched_ = false, markedLast_ = false, turned_ = false;
  std::uint32_t marks_ = 0;   // CE packets with data of this connection
  std::uint32_t echoed_ = 0;  // of these, the marks echoed on ACKs
  Waiting waiting_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_FLOWRECEIVER_H_
