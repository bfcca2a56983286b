// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tcp/FlowSender.h"

#include <algorithm>

namespace ecnomy::omnet {
FlowSender::FlowSender(const TransportPlan& transport, FlowStats& stats, Outbox outbox,
                       Identity identity)
    : transport_(&transport),
      stats_(&stats),
      identity_(identity),
      law_(make_window(transport.window.law, transport.window.values)),
      window_{1, 0, transport.min_window, transport.max_window},
      rto_(transport.initial_rto, transport.min_rto, transport.max_rto),
      outbox_(outbox),
      mss_(plannedMss()),
      offered_(transport.receiver_window < 0 ? kEndless : transport.receiver_window),
      markRate_(transport.initial_mark_rate),
      ownWeight_(law_.weight()),
      ownGain_(law_.gain()) {
  if (!law_.noisy()) identity_.rttError.reset();
  if (!identity.plan) return;
  const LawPlan& law = identity.plan->traffic;
  if (law.law == RateCapped::kName) capped_.emplace(law.values.data());
}

std::uint32_t FlowSender::plannedMss() const noexcept {
  return static_cast<std::uint32_t>(transport_->payload_bytes + transport_->header_bytes) -
         kHeaders;
}

bool FlowSender::active(Time now) const noexcept {
  const Time stop = identity_.plan ? identity_.plan->stop_ps : kNever;
  return started_ && active_ && on_ && (stop < 0 || now < stop);
}

FlowState FlowSender::state(Time now) const noexcept {
  const double since =
      state_ == State::closed ? 0 : window_.cwnd * static_cast<double>(now - cwndSince_);
  return {0,
          active(now),
          window_.cwnd,
          (cwndIntegralPs_ + since) / kPsPerSecond,
          seconds(rto_.srtt()),
          law_.weight()};
}

std::optional<Time> FlowSender::capLifted() const noexcept {
  if (!capped_ || capped_->lifted_at() == kNever) return std::nullopt;
  return capped_->lifted_at();
}

void FlowSender::begin(Time now) noexcept {
  started_ = true;
  cwndSince_ = now;
}

// A step of the profile: a greedy flow goes on or off, a cap changes.
void FlowSender::setProfile(bool on, double factor, Time nextStep) noexcept {
  on_ = capped_ || on;
  factor_ = factor;
  stepAt_ = nextStep;
}

void FlowSender::open(std::int64_t segments, Time now) noexcept {
  state_ = State::connecting;
  una_ = next_ = sent_;
  end_ = segments < 0 ? kEndless : una_ + segments;
  recover_ = una_ - 1;
  again_ = rescue_ = una_;
  scoreboard_.clear();
  cutUntil_ = appLimitedUntil_ = una_;
  inRecovery_ = cwrDue_ = asked_ = false;
  duplicates_ = 0;
  learned_ = 0;
  timerUna_ = -1;
  gate_.restart(now);
  lastAckAt_ = now;
  cwndSince_ = now;
  window_.ssthresh = transport_->slow_start ? std::numeric_limits<double>::infinity() : 0;
  window_.set(transport_->initial_window);
  law_.begin(window_);
  roundTrip_ = RoundTrip();
  rto_ = Rto(transport_->initial_rto, transport_->min_rto, transport_->max_rto);
}

void FlowSender::close(Time now) noexcept {
  setCwndClock(now);
  state_ = State::closed;
  una_ = next_ = sent_;
  segments_.clear();
  paceEventAt_ = timerEventAt_ = kNever;
  if (port_) port_->sever();
  port_ = nullptr;
}

void FlowSender::lostConnection(const char* how, Time now) {
  close(now);
  if (identity_.owner) identity_.owner->lost(how);
}

void FlowSender::resume(Time now) {
  reopenGate(now);
  sendAllowed(now);
}

void FlowSender::order(const FlowOrder& order, Time now) {
  active_ = order.active;
  orderCapBps_ = order.rate_cap_bps;
  markCap_ = order.mark_cap;
  if (order.mark_rate >= 0) {
    markRate_ = order.mark_rate;
    aim();
  }
  resume(now);
}

// A lost SYN: one packet to begin with (RFC 5681 section 3.1) and an RTO of at least 3 s once data
// flows (RFC 6298 rule 5.7). A flow that was switched off meanwhile gives up.
bool FlowSender::synLost(Time now) {
  ++stats_->timeouts;
  rto_.back_off();
  setCwndClock(now);
  if (identity_.plan && !active(now)) {
    close(now);
    if (identity_.owner) identity_.owner->gaveUp();
    return false;
  }
  window_.set(std::min(window_.cwnd, 1.0));
  return true;
}

void FlowSender::connected(const TcpAck& ack, std::uint32_t first, std::uint32_t mss, Time now) {
  trace(ack, now);
  if (state_ != State::connecting) return;
  state_ = State::open;
  tail_ = first;
  mss_ = mss;
  room_ = ack.room;
  lastSentAt_ = now;
  gate_.restart(now);
  if (ack.answersAgain) {
    rto_.at_least(3 * static_cast<Time>(kPsPerSecond));
  } else if (ack.answered != kNever) {
    sampleRtt(ack.answered, now);
  }
  sendAllowed(now);
}

void FlowSender::dataHandedOver(Time now) {
  asked_ = false;
  sendAllowed(now);
}

// Marks per second become marks per round trip (laws/window/round_trip.h). With a reference round trip
// T_ref weight and gain are scaled by T / T_ref (siris2002 section 5.1); a weight that comes from
// marks per second is in proportion to T already. Some laws take marks per second as they are.
void FlowSender::aim() noexcept {
  if (law_.aims() && markRate_ >= 0) return law_.aim(std::max(kLeastWeight, markRate_));
  if (!aimsByTime() || !roundTrip_.known()) return;
  const double t_s = seconds(roundTrip_.for_weight());
  double weight = markRate_ * t_s;
  if (transport_->reference_rtt > 0) {
    const double scale = t_s / seconds(transport_->reference_rtt);
    law_.set_gain(std::max(kLeastWeight, ownGain_ * scale));
    if (markRate_ < 0) weight = ownWeight_ * scale;
  }
  law_.set_weight(std::max(kLeastWeight, weight));
}

// The integral of cwnd is over the time in which there is a connection.
void FlowSender::setCwndClock(Time now) noexcept {
  cwndIntegralPs_ += window_.cwnd * static_cast<double>(now - cwndSince_);
  cwndSince_ = now;
}

}  // namespace ecnomy::omnet
