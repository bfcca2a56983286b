// SPDX-License-Identifier: LGPL-3.0-or-later
// What an ACK does to a TCP flow.
#include <algorithm>

#include "laws/random/inversion.h"
#include "tcp/FlowSender.h"

namespace ecnomy::omnet {

void FlowSender::trace(const TcpAck& ack, Time now) const {
  if (!identity_.accounts || !identity_.accounts->trace) return;
  identity_.accounts->trace->add(now, TraceEvent::ack, -1, identity_.flow, ack.number, ack.bytes,
                                 ack.ce);
}

void FlowSender::onAck(const TcpAck& ack, Time now) {
  if (state_ != State::open) return;
  const bool news = transport_->sack && noteHeld(ack);
  const std::uint32_t oldest = segments_.empty() ? tail_ : segments_.front().seq;
  const Covered covered = cover(ack.number);
  room_ = ack.room;
  trace(ack, now);
  if (aimsByTime() && roundTrip_.known() && roundTrip_.saturated()) {
    stats_->saturated_ps += now - lastAckAt_;
  }
  lastAckAt_ = now;
  setCwndClock(now);
  if (covered.segments > 0) {
    advance(covered, ack, now);
  } else if (ack.number == oldest && ack.duplicates) {
    duplicate(ack, now);
  }
  if (state_ != State::open) return;
  if (news) suspectLoss(now);
  hastenGate(now);
  sendAllowed(now);
  port_->windowChanged();
}

// Takes out what is acknowledged up to `number`, and so the beginning of a segment which is in part.
FlowSender::Covered FlowSender::cover(std::uint32_t number) {
  Covered covered;
  bool ambiguous = false;
  while (!segments_.empty()) {
    Segment& oldest = segments_.front();
    const std::int32_t reach = static_cast<std::int32_t>(number - oldest.seq);
    if (reach <= 0) break;
    if (static_cast<std::uint32_t>(reach) < oldest.bytes) {
      oldest.seq += static_cast<std::uint32_t>(reach);
      oldest.bytes -= static_cast<std::uint32_t>(reach);
      break;
    }
    ++covered.segments;
    covered.bytes += oldest.bytes + kHeaders;
    ambiguous = ambiguous || oldest.again;
    covered.sent = ambiguous ? kNever : oldest.sent;
    segments_.pop_front();
  }
  return covered;
}

void FlowSender::sampleRtt(Time sent, Time now) noexcept {
  rto_.sample(now - sent);
  roundTrip_.sample(now, now - sent);
  aim();
}

// New data is acknowledged.
void FlowSender::advance(const Covered& covered, const TcpAck& ack, Time now) {
  const std::int64_t n = covered.segments;
  const std::int64_t flight = next_ - una_;
  stats_->acked += n;
  stats_->acked_bytes += covered.bytes;
  const Time sent = ack.told ? (ack.answersAgain ? kNever : ack.answered) : covered.sent;
  if (sent != kNever) {
    sampleRtt(sent, now);
    law_.on_rtt(window_, now - sent);
  }
  una_ += n;
  next_ = std::max(next_, una_);
  const bool recovering = inRecovery_;
  if (transport_->sack) {
    scoreboard_.advance(una_);
    duplicates_ = 0;
    inRecovery_ = recovering && una_ < recover_;
  } else if (recovering && law_.recovery() == Recovery::all_acked && una_ < recover_) {
    duplicates_ = static_cast<std::int32_t>(std::max<std::int64_t>(0, duplicates_ - n + 1));
    retransmit(now);
  } else {
    duplicates_ = 0;
    inRecovery_ = false;
  }
  learnMarks(ack, toldOf(n, flight, recovering));
  if (next_ > una_) armTimer(now);
  if (una_ == end_ && identity_.owner) identity_.owner->allAcked();
}

void FlowSender::duplicate(const TcpAck& ack, Time now) {
  learnMarks(ack, law_.every_ack() && next_ > una_ ? 1 : 0);
  if (next_ == una_ || transport_->sack) return;
  ++duplicates_;
  if (duplicates_ != 3 || inRecovery_ || una_ <= recover_) return;
  recover(now);
}

// Fast retransmit: the law's answer to a loss, once for all that is now outstanding.
void FlowSender::recover(Time now) {
  const Recovery recovery = law_.recovery();
  inRecovery_ = recovery != Recovery::go_back;
  if (transport_->sack || recovery != Recovery::first_ack) recover_ = sent_;
  cutUntil_ = sent_;
  cwrDue_ = transport_->echo == Echo::rfc3168;
  law_.on_loss(window_);
  if (!transport_->slow_start) window_.ssthresh = 0;
  if (recovery == Recovery::go_back) return resendFromUna(now);
  retransmit(now);
  armTimer(now);
}

// How many packets a law is told of: those that may grow its window, or all that this ACK answers, which
// is one where out of order ones have been answered before.
std::int64_t FlowSender::toldOf(std::int64_t newlyAcked, std::int64_t flight,
                                bool recovering) const noexcept {
  if (!law_.every_ack()) return recovering ? 0 : growth(newlyAcked, flight);
  return recovering || una_ <= recover_ ? std::min<std::int64_t>(newlyAcked, 1) : newlyAcked;
}

void FlowSender::tellLaw(const Ack& ack) noexcept {
  if (identity_.rttError) law_.disturb(standard_normal(*identity_.rttError));
  law_.on_ack(window_, ack);
}

// How many of the newly acknowledged packets may grow the window: none where something else than the
// window held the flow back and less than half of it was used (RFC 7661); one while a timeout is
// being repaired, however many segments had already arrived (RFC 3465 section 2.3).
std::int64_t FlowSender::growth(std::int64_t newlyAcked, std::int64_t flight) const noexcept {
  const bool limited = una_ <= appLimitedUntil_;
  if (limited && 2.0 * static_cast<double>(flight) <= window_.cwnd) return 0;
  return una_ <= recover_ ? std::min<std::int64_t>(newlyAcked, 1) : newlyAcked;
}

// Accurate echo: a cumulative count, so that a lost ACK loses no mark; every mark goes to a law that
// wants them all. RFC 3168: one response per window of data, and no growth on an ACK that carries
// ECE, but for those that repair a timeout already answered: the CWR can only follow them. A peer that
// sends no count is taken to echo each mark once.
void FlowSender::learnMarks(const TcpAck& ack, std::int64_t told) noexcept {
  const bool accurate = transport_->echo == Echo::accurate;
  const std::int64_t marks = ack.told ? ack.marks : learned_ + (ack.ece ? 1 : 0);
  const std::int64_t fresh = accurate  ? std::max<std::int64_t>(0, marks - learned_)
                             : ack.ece ? 1
                                       : 0;
  learned_ = marks;
  const bool newRound = una_ > cutUntil_;
  if (accurate || newRound) stats_->ece += fresh;
  if (accurate && law_.per_mark()) {
    if (told > 0 || fresh > 0) tellLaw({told, fresh});
    return;
  }
  if (fresh == 0 || (!newRound && una_ <= recover_)) {
    if (told > 0) tellLaw({told, 0});
    return;
  }
  if (newRound) respond(told);
}

void FlowSender::respond(std::int64_t told) noexcept {
  cutUntil_ = sent_;
  cwrDue_ = transport_->echo == Echo::rfc3168;
  if (law_.per_mark()) return tellLaw({told, 1});
  law_.on_congestion(window_);
  if (!transport_->slow_start) window_.ssthresh = 0;
}

}  // namespace ecnomy::omnet
