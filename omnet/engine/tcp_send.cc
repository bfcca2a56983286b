// SPDX-License-Identifier: Apache-2.0
// What a TCP flow may send, and when.
//
// Ack-clocked: while the flight is below floor(cwnd). Paced: a packet every T / cwnd, T the mean RTT
// (or T_w where the market pays by the second), so that the rate is cwnd / T for any cwnd > 0; at the
// law's own rate where it has one;
// the flight is then only guarded, at twice the window. A rate cap shuts the same gate for longer.
#include <algorithm>
#include <cmath>

#include "engine/tcp_flow.h"
#include "host/tally.h"

namespace ecnomy::engine {

std::int32_t TcpFlow::segment_bytes(std::int64_t seq) const noexcept {
  const std::int32_t payload = seq + 1 == end_ ? last_segment_bytes_ : transport().payload_bytes;
  return payload + transport().header_bytes;
}

void TcpFlow::send_syn(Core& core, bool again, Time now) {
  const std::uint16_t flags = static_cast<std::uint16_t>(kSyn | (again ? kRetransmit : 0) |
                                                         (transport().ect_all ? kEct : 0));
  const PacketId id = core.packets.take();
  core.packets[id] = {.seq = una_,
                      .sent = now,
                      .flow = flow_,
                      .bytes = transport().ack_bytes,
                      .hop = source_->first_hop,
                      .flags = flags,
                      .connection = connection_};
  outbox_.hand_over(core, id, now);
  arm_timer(core, now);
}

bool TcpFlow::window_open() const noexcept {
  const double window = transport().paced ? std::ceil(2 * window_.cwnd) + 1 : window_.cwnd;
  if (transport().sack)
    return pipe() < std::max<std::int64_t>(static_cast<std::int64_t>(window), 1);
  const std::int64_t limit = static_cast<std::int64_t>(window) + (in_recovery_ ? duplicates_ : 0);
  return next_ - una_ < std::max<std::int64_t>(limit, 1);
}

double TcpFlow::cap_bps(Time now) const noexcept {
  const std::int64_t own = source_->capped ? source_->capped->cap_bps(now) : -1;
  if (own < 0) return order_cap_bps_;
  const double cap = static_cast<double>(own) * factor_;
  return order_cap_bps_ < 0 ? cap : std::min(cap, order_cap_bps_);
}

Time TcpFlow::pace_interval() const noexcept {
  if (!transport().paced) return 0;
  if (law_.has_rate()) return Gate::interval(kPsPerSecond / law_.send_rate());
  if (!round_trip_.known()) return 0;
  const Time t = aims_by_time() ? round_trip_.for_weight() : round_trip_.mean();
  return Gate::interval(static_cast<double>(t) / window_.cwnd);
}

// From one packet, at `from`, to the next. Under a profile the interval is one of operational time, so
// that a step in the middle of it counts from its own time on.
Time TcpFlow::cap_interval(Time now, Time from) const noexcept {
  const double cap = cap_bps(now);
  if (cap < 0) return 0;
  const auto interval = [&](double bps) {
    return Gate::interval(8.0 * source_->packet_bytes() / bps * kPsPerSecond);
  };
  const std::int64_t own =
      step_at_ != kNever && source_->capped ? source_->capped->cap_bps(now) : -1;
  if (own < 0) return interval(cap);
  const Time ordered = order_cap_bps_ < 0 ? 0 : interval(order_cap_bps_);
  const Time pause = interval(static_cast<double>(own));
  return std::max(ordered, source_->plan->profile.stretch(from, pause));
}

void TcpFlow::shut_gate(Time now) noexcept {
  const Time pace = pace_interval();
  const Time by_cap = cap_interval(now, gate_.at());
  if (by_cap > pace) not_window_limited();
  const Time interval = std::max(pace, by_cap);
  if (interval > 0) gate_.shut(now, interval, outbox_.draw());
}

// A cap was lifted or raised: the wait that it set counts no longer.
void TcpFlow::reopen_gate(Time now) noexcept {
  gate_.shorten(std::max(pace_interval(), cap_interval(now, gate_.from())));
}

// A window that has grown shortens the wait that was set when it was small.
void TcpFlow::hasten_gate(Time now) noexcept {
  if (transport().paced && cap_bps(now) < 0) gate_.hasten(now, pace_interval());
}

// Whether a packet may leave now; if not for the gate alone, an event will open it.
bool TcpFlow::gate_open(Core& core, Time now) {
  if (gate_.open(now)) return true;
  const Time at = gate_.leaves_at();
  if (pace_event_at_ == kNever || at < pace_event_at_) {
    pace_event_at_ = at;
    core.events.push(at, EventKind::pace, static_cast<std::uint32_t>(flow_));
  }
  return false;
}

void TcpFlow::on_pace(Core& core, Time now) {
  if (now != pace_event_at_) return;
  pace_event_at_ = kNever;
  send_allowed(core, now);
}

// From here on, what holds the flow back is not its window (RFC 7661).
void TcpFlow::not_window_limited() noexcept {
  app_limited_until_ = std::max(app_limited_until_, next_);
}

void TcpFlow::send_allowed(Core& core, Time now) {
  if (state_ != State::open) return;
  restart_after_idle(now);
  while (window_open()) {
    const std::int64_t seq = held_back(core, now) ? kNoSegment : next_segment();
    if (seq == kNoSegment) return not_window_limited();
    if (!gate_open(core, now)) return;
    if (seq >= next_) {
      next_ = seq + 1;
    } else {
      resent(seq);
    }
    emit(core, seq, now);
    shut_gate(now);
  }
}

// By what neither its window nor its data says.
bool TcpFlow::held_back(Core& core, Time now) const noexcept {
  return !active(now) || spent(core) || cap_bps(now) == 0;
}

bool TcpFlow::spent(Core& core) const noexcept {
  return mark_cap_ >= 0 && stats(core).ce + stats(core).under_way() >= mark_cap_;
}

// There is such a segment and the receiver has room for it. It offers its window from the cumulative
// ACK on: what it holds beyond a hole is in it.
bool TcpFlow::available(std::int64_t seq) const noexcept {
  return seq < end_ && seq - una_ < source_->offered;
}

std::int64_t TcpFlow::next_segment() const noexcept {
  if (transport().sack && (in_recovery_ || !scoreboard_.empty())) return repair();
  return available(next_) ? next_ : kNoSegment;
}

// An ack-clocked flow that was silent for an RTO has lost its clock and begins again with the initial
// window (RFC 5681 section 4.1); a paced one keeps its rate.
void TcpFlow::restart_after_idle(Time now) noexcept {
  if (transport().paced || next_ != una_ || now - last_sent_at_ < rto_.rto()) return;
  set_cwnd_clock(now);
  window_.set(std::min(window_.cwnd, transport().initial_window));
}

void TcpFlow::emit(Core& core, std::int64_t seq, Time now) {
  FlowStats& counters = stats(core);
  const bool again = seq < sent_;
  const bool ect = again ? transport().ect_all : transport().ect;
  std::uint16_t flags = static_cast<std::uint16_t>((again ? kRetransmit : 0) | (ect ? kEct : 0));
  if (seq + 1 == end_) flags |= kLast;
  if (cwr_due_ && !again) {
    flags = static_cast<std::uint16_t>(flags | kCwr);
    cwr_due_ = false;
  }
  const std::int32_t bytes = segment_bytes(seq);
  const PacketId id = core.packets.take();
  core.packets[id] = {.seq = seq,
                      .sent = now,
                      .flow = flow_,
                      .bytes = bytes,
                      .hop = source_->first_hop,
                      .flags = flags,
                      .connection = connection_};
  ++counters.sent;
  if (core.tally) core.tally->sent(flow_, now);
  counters.sent_bytes += bytes;
  counters.retransmitted += again ? 1 : 0;
  sent_ = std::max(sent_, seq + 1);
  last_sent_at_ = now;
  if (next_ <= una_ + 1) {
    last_ack_at_ = now;
    arm_timer(core, now);
  }
  const bool gated = transport().paced || cap_bps(now) >= 0;
  if (gated && outbox_.empty()) return outbox_.leave(core, id, now);
  outbox_.hand_over(core, id, now);
}

// The oldest segment at once, whatever window and gate say. A mark cap holds where it can be marked: the
// timer tries again.
void TcpFlow::retransmit(Core& core, Time now) {
  again_ = rescue_ = una_;
  if (transport().ect_all && spent(core)) return;
  again_ = rescue_ = una_ + 1;
  emit(core, una_, now);
}

// A deadline that moved back is looked at again when its event comes; only one that moved forward
// needs a new event.
void TcpFlow::arm_timer(Core& core, Time now) {
  timer_at_ = now + rto_.rto();
  if (timer_event_at_ != kNever && timer_event_at_ <= timer_at_) return;
  timer_event_at_ = timer_at_;
  core.events.push(timer_at_, EventKind::timeout, static_cast<std::uint32_t>(flow_));
}

void TcpFlow::on_timeout(Core& core, Time now) {
  if (now != timer_event_at_) return;
  timer_event_at_ = kNever;
  const bool waiting = state_ == State::connecting || (state_ == State::open && next_ > una_);
  if (!waiting) return;
  if (timer_at_ > now) {
    timer_event_at_ = timer_at_;
    return core.events.push(timer_at_, EventKind::timeout, static_cast<std::uint32_t>(flow_));
  }
  ++stats(core).timeouts;
  rto_.back_off();
  if (state_ == State::connecting) return syn_lost(core, now);
  lose_window(now);
  resend_from_una(core, now);
}

// ssthresh follows the flight of the first timeout of a segment only (RFC 5681 Eq. 4).
void TcpFlow::lose_window(Time now) noexcept {
  set_cwnd_clock(now);
  const double ssthresh = window_.ssthresh;
  law_.on_timeout(window_, static_cast<double>(next_ - una_));
  if (timer_una_ == una_) window_.ssthresh = ssthresh;
  if (!transport().slow_start) window_.ssthresh = 0;
  timer_una_ = una_;
  recover_ = cut_until_ = sent_;
  in_recovery_ = false;
  scoreboard_.clear();  // RFC 6675 section 5.1: the receiver may have dropped what it held
  cwr_due_ = transport().echo == Echo::rfc3168;
}

void TcpFlow::resend_from_una(Core& core, Time now) {
  duplicates_ = 0;
  next_ = una_;
  last_sent_at_ = now;
  send_allowed(core, now);
}

}  // namespace ecnomy::engine
