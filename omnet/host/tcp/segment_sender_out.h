// SPDX-License-Identifier: Apache-2.0
// The packets that a SegmentSender may send, and their times; part of segment_sender.h.
//
// An ack-clocked flow sends while the flight is below floor(cwnd). A paced flow sends a packet every T / cwnd, so its
// rate is cwnd / T for any cwnd > 0. If the law has its own rate, the flow sends at that rate instead. Its flight is
// limited only to about twice the window, or to the window itself for a law that tracks packets. T is the smoothed RTT
// (RFC 6298), which follows the queue as an ACK clock does, or a mean over seconds, which does not. With this mean the
// queue integrates the windows, and RED's average causes oscillations. If weights are in marks per second, T is at most
// twice the smallest RTT (laws/window/round_trip.h). A rate cap keeps the same gate shut for longer.
#ifndef ECNOMY_HOST_TCP_SEGMENT_SENDER_OUT_H_
#define ECNOMY_HOST_TCP_SEGMENT_SENDER_OUT_H_

#include <algorithm>
#include <cmath>

#include "host/tcp/segment_sender.h"

namespace ecnomy {

// After a timeout the flight grows as in slow start, even if the law keeps its window. A whole window sent at once
// would be lost again.
inline bool SegmentSender::window_open() const noexcept {
  const bool wide = transport().paced && !law_.tracks();
  double window = wide ? std::ceil(2 * window_.cwnd) + 1 : window_.cwnd;
  if (healed_ >= 0) [[unlikely]]
    window = std::min(window, 1.0 + healed_);
  if (transport().sack)
    return pipe() < std::max<std::int64_t>(static_cast<std::int64_t>(window), 1);
  const std::int64_t limit = static_cast<std::int64_t>(window) + (in_recovery_ ? duplicates_ : 0);
  return next_ - una_ < std::max<std::int64_t>(limit, 1);
}

inline double SegmentSender::cap_bps(Time now) const noexcept {
  const std::int64_t own = setup_->capped ? setup_->capped->cap_bps(now) : -1;
  if (own < 0) return order_cap_bps_;
  const double cap = static_cast<double>(own) * factor_;
  return order_cap_bps_ < 0 ? cap : std::min(cap, order_cap_bps_);
}

inline Time SegmentSender::pace_interval() const noexcept {
  if (!transport().paced) return 0;
  if (law_.has_rate()) return Gate::interval(kPsPerSecond / law_.send_rate());
  if (!round_trip_.known()) return 0;
  return Gate::interval(static_cast<double>(round_trip()) / window_.cwnd);
}

// Interval from a packet at `from` to the next packet. Under a profile, this is an interval of operational time, so a
// step within it applies from the step's time on.
inline Time SegmentSender::cap_interval(double cap, Time now, Time from) const noexcept {
  if (cap < 0) return 0;
  const auto interval = [&](double bps) {
    return Gate::interval(8.0 * setup_->packet_bytes / bps * kPsPerSecond);
  };
  const std::int64_t own = step_at_ != kNever && setup_->capped ? setup_->capped->cap_bps(now) : -1;
  if (own < 0) return interval(cap);
  const Time ordered = order_cap_bps_ < 0 ? 0 : interval(order_cap_bps_);
  const Time pause = interval(static_cast<double>(own));
  return std::max(ordered, setup_->source->profile.stretch(from, pause));
}

template <SegmentPort Port>
void SegmentSender::shut_gate(Port& port, double cap, Time now) {
  const Time pace = pace_interval();
  const Time by_cap = cap_interval(cap, now, gate_.at());
  if (by_cap > pace) not_window_limited();
  const Time interval = std::max(pace, by_cap);
  if (interval > 0) gate_.shut(now, interval, port.overhead());
}

// Shortens the wait that a cap has set, after the cap was lifted or raised.
inline void SegmentSender::reopen_gate(Time now) noexcept {
  gate_.shorten(std::max(pace_interval(), cap_interval(cap_bps(now), now, gate_.from())));
}

// Shortens the wait if the window has grown since the wait was set. If the window is below one packet, all packets sent
// are answered before the next one leaves. The wait is then that of the current window, whether shorter or longer.
inline void SegmentSender::hasten_gate(Time now) noexcept {
  if (!transport().paced || cap_bps(now) >= 0) return;
  const Time pace = pace_interval();
  if (window_.cwnd < 1 && !law_.has_rate()) [[unlikely]]
    return gate_.retime(pace);
  gate_.hasten(now, pace);
}

// Returns true if the gate is open. Otherwise schedules an event for the time at which it opens.
template <SegmentPort Port>
bool SegmentSender::gate_open(Port& port, Time now) {
  if (gate_.open(now)) return true;
  const Time at = gate_.leaves_at();
  if (pace_event_at_ == kNever || at < pace_event_at_) {
    pace_event_at_ = at;
    port.wake_at(at);
  }
  return false;
}

template <SegmentPort Port>
void SegmentSender::on_pace(Port& port, Time now) {
  if (now != pace_event_at_) return;
  pace_event_at_ = kNever;
  send_allowed(port, now);
}

// Notes that something other than the window limits the flow (RFC 7661).
inline void SegmentSender::not_window_limited() noexcept {
  app_limited_until_ = std::max(app_limited_until_, next_);
}

template <SegmentPort Port>
void SegmentSender::resume(Port& port, Time now) {
  reopen_gate(now);
  send_allowed(port, now);
}

template <SegmentPort Port>
void SegmentSender::send_allowed(Port& port, Time now) {
  if (state_ != State::open || one_waits_) return;
  restart_after_idle(now);
  if (!window_open()) return;
  const double cap = cap_bps(now);
  do {
    const std::int64_t seq = held_back(port.stats(), cap, now) ? kNoSegment : next_segment(port);
    if (seq == kNoSegment) return not_window_limited();
    if (!gate_open(port, now)) return;
    if (seq >= next_) {
      next_ = seq + 1;
    } else {
      resent(seq);
    }
    emit(port, seq, cap, now);
    shut_gate(port, cap, now);
  } while (window_open());
}

// True if the flow is inactive, its mark cap is spent, or its rate cap is 0.
inline bool SegmentSender::held_back(const FlowStats& stats, double cap, Time now) const noexcept {
  return !active(now) || spent(stats) || cap == 0;
}

inline bool SegmentSender::spent(const FlowStats& stats) const noexcept {
  return mark_cap_ >= 0 && stats.ce + stats.under_way() >= mark_cap_;
}

// True if the segment exists and the receiver has room for it. The receiver's window begins at the cumulative
// ACK, so it includes segments that the receiver holds beyond a hole.
template <SegmentPort Port>
bool SegmentSender::available(Port& port, std::int64_t seq) const {
  if (seq >= end_ || seq - una_ >= setup_->offered) return false;
  return seq < sent_ || port.available(seq);
}

template <SegmentPort Port>
std::int64_t SegmentSender::next_segment(Port& port) const {
  if (transport().sack && (in_recovery_ || !scoreboard_.empty())) return repair(port);
  return available(port, next_) ? next_ : kNoSegment;
}

// NextSeg() of RFC 6675, with its four rules in order.
template <SegmentPort Port>
std::int64_t SegmentSender::repair(Port& port) const {
  if (!in_recovery_) {
    const std::int64_t seq = scoreboard_.hole_from(next_);
    return available(port, seq) ? seq : kNoSegment;
  }
  const std::int64_t hole = scoreboard_.hole_from(std::max(again_, una_));
  if (hole < scoreboard_.lost_below()) return hole;
  if (available(port, next_)) return next_;
  if (hole < scoreboard_.end()) return hole;
  return una_ > rescue_ ? scoreboard_.last_hole(next_) : kNoSegment;
}

// An ack-clocked flow that was silent for an RTO has lost its clock. It restarts with the initial window (RFC
// 5681 section 4.1), in slow start up to three quarters of its former window (RFC 2861 section 2; RFC 7661
// section 4.4.2). A paced flow keeps its rate.
inline void SegmentSender::restart_after_idle(Time now) noexcept {
  if (transport().paced || next_ != una_ || now - last_sent_at_ < rto_.rto()) return;
  set_cwnd_clock(now);
  if (transport().slow_start) window_.ssthresh = std::max(window_.ssthresh, 0.75 * window_.cwnd);
  window_.set(std::min(window_.cwnd, transport().initial_window));
}

template <SegmentPort Port>
void SegmentSender::emit(Port& port, std::int64_t seq, double cap, Time now) {
  const bool again = seq < sent_;
  const std::int32_t bytes = port.cut(seq, !again);
  if (law_.tracks()) [[unlikely]]
    law_.on_sent(path(now), seq);
  FlowStats& counters = port.stats();
  ++counters.sent;
  port.note_sent(now);
  counters.sent_bytes += bytes;
  counters.retransmitted += again ? 1 : 0;
  sent_ = std::max(sent_, seq + 1);
  last_sent_at_ = now;
  if (next_ <= una_ + 1) {
    last_ack_at_ = now;
    arm_timer(port, now);
  }
  const bool cwr = cwr_due_ && !again;
  if (cwr) cwr_due_ = false;
  const bool gated = transport().paced || cap >= 0;
  port.emit({seq, bytes, again, cwr, seq + 1 == end_, gated}, now);
}

// Sends the oldest segment at once, regardless of window and gate. If the mark cap is spent and the segment can be
// marked, it is not sent, and the timer tries again.
template <SegmentPort Port>
void SegmentSender::retransmit(Port& port, Time now) {
  again_ = rescue_ = una_;
  if (transport().ect_all && spent(port.stats())) return;
  again_ = rescue_ = una_ + 1;
  emit(port, una_, cap_bps(now), now);
}

// If the deadline has moved to a later time, it is checked again at the current event. Only an earlier deadline needs
// a new event.
template <SegmentPort Port>
void SegmentSender::arm_timer(Port& port, Time now) {
  timer_at_ = now + rto_.rto();
  if (timer_event_at_ != kNever && timer_event_at_ <= timer_at_) return;
  timer_event_at_ = timer_at_;
  port.alarm_at(timer_at_);
}

template <SegmentPort Port>
void SegmentSender::on_timeout(Port& port, Time now) {
  if (now != timer_event_at_) return;
  timer_event_at_ = kNever;
  const bool waiting =
      state_ == State::connecting || (state_ == State::open && (next_ > una_ || one_waits_));
  if (!waiting) return;
  if (timer_at_ > now) {
    timer_event_at_ = timer_at_;
    return port.alarm_at(timer_at_);
  }
  if (state_ == State::connecting) return port.syn_timed_out(now);
  one_waits_ = false;
  if (next_ == una_) return send_allowed(port, now);
  ++port.stats().timeouts;
  rto_.back_off();
  if (!transport().repair) return let_go(port, now);
  lose_window(now);
  resend_from_una(port, now);
}

// The packets that a timeout counts as lost. With SACK these are the packets not reported to have arrived (RFC 6675).
inline double SegmentSender::in_network() const noexcept {
  return used(transport().sack ? pipe() : next_ - una_);
}

// Keeps the window and gives up all outstanding packets.
template <SegmentPort Port>
void SegmentSender::let_go(Port& port, Time now) {
  set_cwnd_clock(now);
  una_ = next_;
  last_sent_at_ = now;
  if (una_ == end_) return port.all_acked(now);
  send_allowed(port, now);
}

// Only the first timeout of a segment sets ssthresh from the flight (RFC 5681 Eq. 4).
inline void SegmentSender::lose_window(Time now) noexcept {
  set_cwnd_clock(now);
  const double ssthresh = window_.ssthresh;
  show_path(now);
  law_.on_timeout(window_, in_network());
  if (timer_una_ == una_) window_.ssthresh = ssthresh;
  if (!transport().slow_start) window_.ssthresh = 0;
  timer_una_ = una_;
  healed_ = 0;
  recover_ = cut_until_ = sent_;
  in_recovery_ = false;
  scoreboard_.clear();  // RFC 6675 section 5.1: the receiver may have dropped its segments
  cwr_due_ = transport().echo == Echo::rfc3168;
}

template <SegmentPort Port>
void SegmentSender::resend_from_una(Port& port, Time now) {
  duplicates_ = 0;
  next_ = una_;
  last_sent_at_ = now;
  send_allowed(port, now);
}

}  // namespace ecnomy

#endif  // ECNOMY_HOST_TCP_SEGMENT_SENDER_OUT_H_
