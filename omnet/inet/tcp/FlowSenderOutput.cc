// SPDX-License-Identifier: LGPL-3.0-or-later
// What a TCP flow may send, and when.
//
// Ack-clocked: while the flight is below floor(cwnd). Paced: a packet every T / cwnd, T the mean RTT
// (or T_w where the market pays by the second), so that the rate is cwnd / T for any cwnd > 0; at the
// law's own rate where it has one;
// the flight is then only guarded, at twice the window. A rate cap shuts the same gate for longer.
#include <algorithm>
#include <cmath>

#include "host/tally.h"
#include "tcp/FlowSender.h"

namespace ecnomy::omnet {

bool FlowSender::windowOpen() const noexcept {
  const double window = transport_->paced ? std::ceil(2 * window_.cwnd) + 1 : window_.cwnd;
  if (transport_->sack) {
    return pipe() < std::max<std::int64_t>(static_cast<std::int64_t>(window), 1);
  }
  const std::int64_t limit = static_cast<std::int64_t>(window) + (inRecovery_ ? duplicates_ : 0);
  return next_ - una_ < std::max<std::int64_t>(limit, 1);
}

double FlowSender::capBps(Time now) const noexcept {
  const std::int64_t own = capped_ ? capped_->cap_bps(now) : -1;
  if (own < 0) return orderCapBps_;
  const double cap = static_cast<double>(own) * factor_;
  return orderCapBps_ < 0 ? cap : std::min(cap, orderCapBps_);
}

Time FlowSender::paceInterval() const noexcept {
  if (!transport_->paced) return 0;
  if (law_.has_rate()) return Gate::interval(kPsPerSecond / law_.send_rate());
  if (!roundTrip_.known()) return 0;
  const Time t = aimsByTime() ? roundTrip_.for_weight() : roundTrip_.mean();
  return Gate::interval(static_cast<double>(t) / window_.cwnd);
}

// From one packet, at `from`, to the next. Under a profile the interval is one of operational time, so
// that a step in the middle of it counts from its own time on.
Time FlowSender::capInterval(Time now, Time from) const noexcept {
  const double cap = capBps(now);
  if (cap < 0) return 0;
  const auto interval = [&](double bps) {
    return Gate::interval(8.0 * (mss_ + kHeaders) / bps * kPsPerSecond);
  };
  const std::int64_t own = stepAt_ != kNever && capped_ ? capped_->cap_bps(now) : -1;
  if (own < 0) return interval(cap);
  const Time ordered = orderCapBps_ < 0 ? 0 : interval(orderCapBps_);
  const Time pause = interval(static_cast<double>(own));
  return std::max(ordered, identity_.plan->profile.stretch(from, pause));
}

void FlowSender::shutGate(Time now) noexcept {
  const Time pace = paceInterval();
  const Time byCap = capInterval(now, gate_.at());
  if (byCap > pace) notWindowLimited();
  const Time interval = std::max(pace, byCap);
  if (interval > 0) gate_.shut(now, interval, outbox_.draw());
}

// A cap was lifted or raised: the wait that it set counts no longer.
void FlowSender::reopenGate(Time now) noexcept {
  gate_.shorten(std::max(paceInterval(), capInterval(now, gate_.from())));
}

// A window that has grown shortens the wait that was set when it was small.
void FlowSender::hastenGate(Time now) noexcept {
  if (transport_->paced && capBps(now) < 0) gate_.hasten(now, paceInterval());
}

// Whether a packet may leave now; if not for the gate alone, an event will open it.
bool FlowSender::gateOpen(Time now) {
  if (gate_.open(now)) return true;
  const Time at = gate_.leaves_at();
  if (paceEventAt_ == kNever || at < paceEventAt_) {
    paceEventAt_ = at;
    port_->wakeAt(at);
  }
  return false;
}

void FlowSender::onPace(Time now) {
  paceEventAt_ = kNever;
  sendAllowed(now);
}

// From here on, what holds the flow back is not its window (RFC 7661).
void FlowSender::notWindowLimited() noexcept {
  appLimitedUntil_ = std::max(appLimitedUntil_, next_);
}

void FlowSender::sendAllowed(Time now) {
  if (state_ != State::open) return;
  restartAfterIdle(now);
  while (windowOpen()) {
    const std::int64_t number = heldBack(now) ? kNoSegment : nextToSend();
    if (number == kNoSegment) return notWindowLimited();
    if (!gateOpen(now)) return;
    if (number >= next_) {
      next_ = number + 1;
    } else {
      resent(number);
    }
    emit(number, now);
    shutGate(now);
  }
}

// By what neither its window nor its data says.
bool FlowSender::heldBack(Time now) const noexcept {
  if (!identity_.plan) return false;
  return !active(now) || spent() || capBps(now) == 0;
}

bool FlowSender::spent() const noexcept {
  return markCap_ >= 0 && stats_->ce + stats_->under_way() >= markCap_;
}

// There is such a segment and the receiver has room for it. It offers its window from the cumulative
// ACK on: what it holds beyond a hole is in it. One segment may always be sent, as a probe.
bool FlowSender::available(std::int64_t number) const {
  if (number >= end_ || number - una_ >= offered_) return false;
  if (number < sent_) return true;
  const std::uint32_t bytes = port_->waiting(tail_);
  if (bytes == 0) return false;
  const std::uint64_t ahead = segments_.empty() ? 0 : tail_ - segments_.front().seq;
  return ahead == 0 || ahead + std::min(bytes, mss_) <= room_;
}

std::int64_t FlowSender::nextToSend() const {
  if (transport_->sack && (inRecovery_ || !scoreboard_.empty())) return repair();
  return available(next_) ? next_ : kNoSegment;
}

// An ack-clocked flow that was silent for an RTO has lost its clock and begins again with the initial
// window (RFC 5681 section 4.1); a paced one keeps its rate.
void FlowSender::restartAfterIdle(Time now) noexcept {
  if (transport_->paced || next_ != una_ || now - lastSentAt_ < rto_.rto()) return;
  setCwndClock(now);
  window_.set(std::min(window_.cwnd, transport_->initial_window));
}

// Whether segment `number` is one never sent before.
bool FlowSender::cut(std::int64_t number) {
  if (number < sent_) return false;
  const std::uint32_t waiting = port_->waiting(tail_);
  const std::uint32_t bytes = std::min(mss_, waiting);
  segments_.push_back({tail_, bytes, 0, false});
  tail_ += bytes;
  sent_ = number + 1;
  if (identity_.owner && !asked_ && waiting < kLittleData) {
    asked_ = true;
    identity_.owner->wantsData();
  }
  return true;
}

void FlowSender::emit(std::int64_t number, Time now) {
  const bool fresh = cut(number);
  Segment& segment = segments_[static_cast<std::size_t>(number - una_)];
  segment.again = !fresh;
  ++stats_->sent;
  if (identity_.accounts && identity_.accounts->tally) {
    identity_.accounts->tally->sent(identity_.flow, now);
  }
  stats_->sent_bytes += segment.bytes + kHeaders;
  stats_->retransmitted += fresh ? 0 : 1;
  lastSentAt_ = now;
  if (next_ <= una_ + 1) {
    lastAckAt_ = now;
    armTimer(now);
  }
  const bool gated = transport_->paced || capBps(now) >= 0;
  segment.sent = gated && outbox_.empty(now) ? now : outbox_.handOver(now);
  const bool cwr = cwrDue_ && fresh;
  if (cwr) cwrDue_ = false;
  port_->emit(segment, {number, cwr, number + 1 == end_});
}

// The oldest segment at once, whatever window and gate say. A mark cap holds where it can be marked: the
// timer tries again.
void FlowSender::retransmit(Time now) {
  again_ = rescue_ = una_;
  if (transport_->ect_all && spent()) return;
  again_ = rescue_ = una_ + 1;
  emit(una_, now);
}

// A deadline that moved back is looked at again when its event comes; only one that moved forward
// needs a new event.
void FlowSender::armTimer(Time now) {
  timerAt_ = now + rto_.rto();
  if (timerEventAt_ != kNever && timerEventAt_ <= timerAt_) return;
  timerEventAt_ = timerAt_;
  port_->alarmAt(timerAt_);
}

void FlowSender::onTimeout(Time now) {
  timerEventAt_ = kNever;
  if (state_ != State::open || next_ == una_) return;
  if (timerAt_ > now) {
    timerEventAt_ = timerAt_;
    return port_->alarmAt(timerAt_);
  }
  ++stats_->timeouts;
  rto_.back_off();
  loseWindow(now);
  resendFromUna(now);
  if (port_) port_->windowChanged();
}

// ssthresh follows the flight of the first timeout of a segment only (RFC 5681 Eq. 4).
void FlowSender::loseWindow(Time now) noexcept {
  setCwndClock(now);
  const double ssthresh = window_.ssthresh;
  law_.on_timeout(window_, static_cast<double>(next_ - una_));
  if (timerUna_ == una_) window_.ssthresh = ssthresh;
  if (!transport_->slow_start) window_.ssthresh = 0;
  timerUna_ = una_;
  recover_ = cutUntil_ = sent_;
  inRecovery_ = false;
  scoreboard_.clear();  // RFC 6675 section 5.1: the receiver may have dropped what it held
  cwrDue_ = transport_->echo == Echo::rfc3168;
}

void FlowSender::resendFromUna(Time now) {
  duplicates_ = 0;
  next_ = una_;
  lastSentAt_ = now;
  sendAllowed(now);
}

}  // namespace ecnomy::omnet
