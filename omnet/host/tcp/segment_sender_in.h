// SPDX-License-Identifier: Apache-2.0
// The effects of an ACK on a SegmentSender; part of segment_sender.h.
#ifndef ECNOMY_HOST_TCP_SEGMENT_SENDER_IN_H_
#define ECNOMY_HOST_TCP_SEGMENT_SENDER_IN_H_

#include <algorithm>

#include "host/tcp/ace_counter.h"
#include "host/tcp/segment_sender.h"

namespace ecnomy {

template <SegmentPort Port>
void SegmentSender::on_ack(Port& port, const AckNews& ack, Time now) {
  if (aims_by_time() && round_trip_.known() && round_trip_.saturated(rtt())) {
    port.stats().saturated_ps += now - last_ack_at_;
  }
  last_ack_at_ = now;
  const Time since = now - cwnd_since_;
  set_cwnd_clock(now);
  if (ack.next > una_) {
    advance(port, ack, since, now);
  } else if (ack.next == una_ && ack.duplicate) {
    // A copy by fields, so that only duplicates are stored in memory for the call.
    const AckNews copy{ack.next, ack.bytes, ack.marks, ack.sent, ack.ece, true, ack.news};
    duplicate(port, copy, now);
  }
  if (state_ != State::open) return;
  if (ack.news && suspect_loss()) recover(port, now);
  hasten_gate(now);
  send_allowed(port, now);
}

template <SegmentPort Port>
void SegmentSender::connected(Port& port, bool again, Time sent, Time now) {
  state_ = State::open;
  last_sent_at_ = now;
  gate_.restart(now);
  if (again) {
    rto_.at_least(3 * static_cast<Time>(kPsPerSecond));
  } else if (sent != kNever) {
    sample_rtt(sent, now);
  }
  send_allowed(port, now);
}

inline void SegmentSender::sample_rtt(Time sent, Time now) noexcept {
  rto_.sample(now - sent);
  round_trip_.sample(now, now - sent);
  aim();
}

// Called when new data is acknowledged. Without repair, an ACK skips lost packets and answers one packet.
template <SegmentPort Port>
void SegmentSender::advance(Port& port, const AckNews& ack, Time since, Time now) {
  const std::int64_t reach = ack.next - una_;
  const std::int64_t n = transport().repair ? reach : 1;
  const std::int64_t flight = next_ - una_;
  const bool by_window = transport().paced && una_ > app_limited_until_;
  FlowStats& counters = port.stats();
  counters.acked += n;
  counters.acked_bytes += ack.bytes;
  if (ack.sent != kNever) {
    sample_rtt(ack.sent, now);
    law_.on_rtt(window_, now - ack.sent);
  }
  una_ = ack.next;
  next_ = std::max(next_, una_);
  if (law_.tracks()) [[unlikely]]
    law_.on_delivered(una_ - n, una_);
  if (healed_ >= 0) [[unlikely]]
    healed_ = healed_ + 2 < window_.cwnd ? healed_ + 1 : -1;
  const bool recovering = in_recovery_;
  if (transport().sack) {
    scoreboard_.advance(una_);
    duplicates_ = 0;
    in_recovery_ = recovering && una_ < recover_;
  } else if (recovering && law_.recovery() == Recovery::all_acked && una_ < recover_) {
    duplicates_ = static_cast<std::int32_t>(std::max<std::int64_t>(0, duplicates_ - n + 1));
    retransmit(port, now);
  } else {
    duplicates_ = 0;
    in_recovery_ = false;
  }
  const std::int64_t for_law = packets_for_law(n, flight, recovering);
  const bool by_pace = by_window && for_law == n && una_ > recover_;
  const bool repairs = recovering || una_ <= recover_;  // duplicate ACKs answered the other packets
  const std::int64_t answered = repairs && transport().repair ? 1 : reach;
  learn_marks(port, ack, {for_law, answered, by_pace ? trips(since) : -1}, now);
  if (next_ > una_) arm_timer(port, now);
  if (una_ == end_) port.all_acked(now);
}

template <SegmentPort Port>
void SegmentSender::duplicate(Port& port, const AckNews& ack, Time now) {
  if (!overtaken(ack)) {
    learn_marks(port, ack, {law_.every_ack() && next_ > una_ ? 1 : 0, 1, -1}, now);
  }
  if (next_ == una_ || transport().sack) return;
  ++duplicates_;
  if (duplicates_ != 3 || in_recovery_ || una_ <= recover_) return;
  recover(port, now);
}

// True if a later ACK has overtaken this duplicate ACK, so that its count of marks is behind the known one. Three bits
// show this only by a step of more than half a cycle, on an ACK that reports no new segment.
inline bool SegmentSender::overtaken(const AckNews& ack) const noexcept {
  if (transport().echo == Echo::accurate) return ack.marks < learned_;
  return transport().echo == Echo::accecn && transport().sack && !ack.news &&
         ace_marks(ack.marks, learned_, 1) > kAceCycle / 2;
}

// Fast retransmit: the law's response to a loss, once for all outstanding packets. The reduction is relative to the
// flight (RFC 5681 Eq. 4, RFC 6675), which limited transmit may have raised above cwnd, or to the pipe.
template <SegmentPort Port>
void SegmentSender::recover(Port& port, Time now) {
  const Recovery recovery = law_.recovery();
  in_recovery_ = recovery != Recovery::go_back;
  if (transport().sack || recovery != Recovery::first_ack) recover_ = sent_;
  cut_until_ = sent_;
  cwr_due_ = transport().echo == Echo::rfc3168;
  show_path(now);
  law_.on_loss(window_, outstanding());
  if (law_.tracks()) [[unlikely]]
    tell_lost();
  if (!transport().slow_start) window_.ssthresh = 0;
  if (recovery == Recovery::go_back) return resend_from_una(port, now);
  retransmit(port, now);
  arm_timer(port, now);
}

// Number of packets passed to the law: those that may increase its window, or all packets that this ACK answers.
// During a repair this is one packet, because duplicate ACKs have answered the others.
inline std::int64_t SegmentSender::packets_for_law(std::int64_t newly_acked, std::int64_t flight,
                                                   bool recovering) const noexcept {
  if (!law_.every_ack()) return recovering ? 0 : growth(newly_acked, flight);
  return recovering || una_ <= recover_ ? std::min<std::int64_t>(newly_acked, 1) : newly_acked;
}

// Time since the last ACK in units of T, by which the flow is paced. The limit of the flight allows two windows per
// round trip.
inline double SegmentSender::trips(Time since) const noexcept {
  if (!round_trip_.known()) return -1;
  return static_cast<double>(since) / static_cast<double>(std::max(round_trip(), rtt() / 2));
}

template <SegmentPort Port>
void SegmentSender::tell_law(Port& port, const Ack& ack) {
  if (law_.noisy()) port.disturb(law_);
  law_.on_ack(window_, ack);
}

// Number of newly acknowledged packets that may increase the window. It is 0 if something other than the
// window limited the flow and at most half of the window was used (RFC 7661). It is at most 1 during the repair of a
// timeout, regardless of the segments that had already arrived (RFC 3465 section 2.3).
inline std::int64_t SegmentSender::growth(std::int64_t newly_acked,
                                          std::int64_t flight) const noexcept {
  const bool limited = una_ <= app_limited_until_;
  if (limited && 2.0 * static_cast<double>(flight) <= window_.cwnd) return 0;
  return una_ <= recover_ ? std::min<std::int64_t>(newly_acked, 1) : newly_acked;
}

// The new marks that an ACK reports: the increase of its count, or ECE. If the count has 3 bits, the increase is
// derived with the help of `answered`, the packets that the ACK answers.
inline std::int64_t SegmentSender::fresh_marks(const AckNews& ack,
                                               std::int64_t answered) const noexcept {
  switch (transport().echo) {
    case Echo::accurate:
      return std::max<std::int64_t>(0, ack.marks - learned_);
    case Echo::accecn:
      return ace_marks(ack.marks, learned_, answered);
    default:
      return ack.ece ? 1 : 0;
  }
}

// With an accurate echo the count is cumulative, so a lost ACK does not lose marks. Laws with the trait per_mark get
// every mark. With the echo of RFC 3168 there is one response per window of data, and no growth on an ACK with ECE.
// Exempt are ACKs during the repair of a timeout to which the sender has already responded, because the CWR can only
// follow them.
template <SegmentPort Port>
void SegmentSender::learn_marks(Port& port, const AckNews& ack, const Answer& answer, Time now) {
  if (ack.news && in_recovery_ && law_.tracks()) [[unlikely]]
    tell_lost();
  show_path(now);
  const auto& [for_law, packets, trips] = answer;
  const bool counted = counts_marks(transport().echo);
  const std::int64_t fresh = fresh_marks(ack, packets);
  learned_ = transport().echo == Echo::accecn ? learned_ + fresh : ack.marks;
  const bool new_round = una_ > cut_until_;
  if (counted || new_round) port.stats().ece += fresh;
  if (counted && law_.per_mark()) {
    if (for_law > 0 || fresh > 0) tell_law(port, {for_law, fresh, trips});
    return;
  }
  if (fresh == 0 || (!new_round && una_ <= recover_)) {
    if (for_law > 0) tell_law(port, {for_law, 0, trips});
    return;
  }
  if (new_round) return respond(port, {for_law, 1, trips}, now);
  if (law_.tracks()) tell_law(port, {for_law, 0, trips});
}

// A window of one packet is not halved. Instead the retransmission timer is restarted, and the next packet leaves
// when the timer expires (RFC 3168 section 6.1.2).
template <SegmentPort Port>
void SegmentSender::respond(Port& port, const Ack& ack, Time now) {
  cut_until_ = sent_;
  cwr_due_ = transport().echo == Echo::rfc3168;
  if (law_.per_mark()) return tell_law(port, ack);
  const bool one = law_.halves() && window_.cwnd < 2;
  law_.on_congestion(window_,
                     transport().reduce_from == ReduceFrom::window ? window_.cwnd : outstanding());
  if (!transport().slow_start) window_.ssthresh = 0;
  if (!one) return;
  one_waits_ = true;
  arm_timer(port, now);
}

}  // namespace ecnomy

#endif  // ECNOMY_HOST_TCP_SEGMENT_SENDER_IN_H_
