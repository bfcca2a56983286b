// SPDX-License-Identifier: Apache-2.0
// What arrives at either end of a TCP flow, and what an ACK does.
#include <algorithm>

#include "engine/tcp_flow.h"

namespace ecnomy::engine {

void TcpFlow::receive(Core& core, PacketId id, Time now) {
  if (!core.packets[id].has(kAck)) return receive_data(core, id, now);
  const Packet ack = core.packets[id];  // what it lets out may take its place
  if (ack.has(kCe)) ++stats(core).control_ce;
  const bool ours = ack.connection == connection_;
  const bool news = ours && ack.has(kSack) && note_blocks(core, id);
  core.packets.release(id);
  if (ours) receive_ack(core, ack, news, now);
}

void TcpFlow::receive_ack(Core& core, const Packet& ack, bool news, Time now) {
  if (core.trace) core.note(TraceEvent::ack, -1, ack, now);
  if (ack.has(kSyn)) return connected(core, ack, now);
  if (state_ != State::open) return;
  if (aims_by_time() && round_trip_.known() && round_trip_.saturated()) {
    stats(core).saturated_ps += now - last_ack_at_;
  }
  last_ack_at_ = now;
  set_cwnd_clock(now);
  if (ack.seq > una_) {
    advance(core, ack, now);
  } else if (ack.seq == una_) {
    duplicate(core, ack, now);
  }
  if (state_ != State::open) return;
  if (news) suspect_loss(core, now);
  hasten_gate(now);
  send_allowed(core, now);
}

void TcpFlow::connected(Core& core, const Packet& ack, Time now) {
  if (state_ != State::connecting) return;
  state_ = State::open;
  last_sent_at_ = now;
  gate_.restart(now);
  if (ack.has(kRetransmit)) {
    rto_.at_least(3 * static_cast<Time>(kPsPerSecond));
  } else {
    sample_rtt(ack.sent, now);
  }
  send_allowed(core, now);
}

void TcpFlow::sample_rtt(Time sent, Time now) {
  rto_.sample(now - sent);
  round_trip_.sample(now, now - sent);
  aim();
}

// New data is acknowledged.
void TcpFlow::advance(Core& core, const Packet& ack, Time now) {
  const std::int64_t n = ack.seq - una_;
  const std::int64_t flight = next_ - una_;
  FlowStats& counters = stats(core);
  counters.acked += n;
  counters.acked_bytes += n * source_->packet_bytes();
  if (ack.seq == end_) counters.acked_bytes += segment_bytes(end_ - 1) - source_->packet_bytes();
  if (!ack.has(kRetransmit)) {
    sample_rtt(ack.sent, now);
    law_.on_rtt(window_, now - ack.sent);
  }
  una_ = ack.seq;
  next_ = std::max(next_, una_);
  const bool recovering = in_recovery_;
  if (transport().sack) {
    scoreboard_.advance(una_);
    duplicates_ = 0;
    in_recovery_ = recovering && una_ < recover_;
  } else if (recovering && law_.recovery() == Recovery::all_acked && una_ < recover_) {
    duplicates_ = static_cast<std::int32_t>(std::max<std::int64_t>(0, duplicates_ - n + 1));
    retransmit(core, now);
  } else {
    duplicates_ = 0;
    in_recovery_ = false;
  }
  learn_marks(core, ack, told_of(n, flight, recovering));
  if (next_ > una_) arm_timer(core, now);
  if (una_ == end_) finish_file(core, true, now);
}

void TcpFlow::duplicate(Core& core, const Packet& ack, Time now) {
  learn_marks(core, ack, law_.every_ack() && next_ > una_ ? 1 : 0);
  if (next_ == una_ || transport().sack) return;
  ++duplicates_;
  if (duplicates_ != 3 || in_recovery_ || una_ <= recover_) return;
  recover(core, now);
}

// Fast retransmit: the law's answer to a loss, once for all that is now outstanding.
void TcpFlow::recover(Core& core, Time now) {
  const Recovery recovery = law_.recovery();
  in_recovery_ = recovery != Recovery::go_back;
  if (transport().sack || recovery != Recovery::first_ack) recover_ = sent_;
  cut_until_ = sent_;
  cwr_due_ = transport().echo == Echo::rfc3168;
  law_.on_loss(window_);
  if (!transport().slow_start) window_.ssthresh = 0;
  if (recovery == Recovery::go_back) return resend_from_una(core, now);
  retransmit(core, now);
  arm_timer(core, now);
}

// How many packets a law is told of: those that may grow its window, or all that this ACK answers, which
// is one where out of order ones have been answered before.
std::int64_t TcpFlow::told_of(std::int64_t newly_acked, std::int64_t flight,
                              bool recovering) const noexcept {
  if (!law_.every_ack()) return recovering ? 0 : growth(newly_acked, flight);
  return recovering || una_ <= recover_ ? std::min<std::int64_t>(newly_acked, 1) : newly_acked;
}

void TcpFlow::tell_law(const Ack& ack) noexcept {
  if (law_.noisy()) law_.disturb(source_->rtt_error(flow_));
  law_.on_ack(window_, ack);
}

// How many of the newly acknowledged packets may grow the window: none where something else than the
// window held the flow back and less than half of it was used (RFC 7661); one while a timeout is
// being repaired, however many segments had already arrived (RFC 3465 section 2.3).
std::int64_t TcpFlow::growth(std::int64_t newly_acked, std::int64_t flight) const noexcept {
  const bool limited = una_ <= app_limited_until_;
  if (limited && 2.0 * static_cast<double>(flight) <= window_.cwnd) return 0;
  return una_ <= recover_ ? std::min<std::int64_t>(newly_acked, 1) : newly_acked;
}

// Accurate echo: a cumulative count, so that a lost ACK loses no mark; every mark goes to a law that
// wants them all. RFC 3168: one response per window of data, and no growth on an ACK that carries
// ECE, but for those that repair a timeout already answered: the CWR can only follow them.
void TcpFlow::learn_marks(Core& core, const Packet& ack, std::int64_t told) noexcept {
  const bool accurate = transport().echo == Echo::accurate;
  const std::int64_t fresh = accurate        ? std::max<std::int64_t>(0, ack.marks - learned_)
                             : ack.has(kEce) ? 1
                                             : 0;
  learned_ = ack.marks;
  const bool new_round = una_ > cut_until_;
  if (accurate || new_round) stats(core).ece += fresh;
  if (accurate && law_.per_mark()) {
    if (told > 0 || fresh > 0) tell_law({told, fresh});
    return;
  }
  if (fresh == 0 || (!new_round && una_ <= recover_)) {
    if (told > 0) tell_law({told, 0});
    return;
  }
  if (new_round) respond(told);
}

void TcpFlow::respond(std::int64_t told) noexcept {
  cut_until_ = sent_;
  cwr_due_ = transport().echo == Echo::rfc3168;
  if (law_.per_mark()) return tell_law({told, 1});
  law_.on_congestion(window_);
  if (!transport().slow_start) window_.ssthresh = 0;
}

}  // namespace ecnomy::engine
