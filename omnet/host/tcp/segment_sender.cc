// SPDX-License-Identifier: Apache-2.0
#include "host/tcp/segment_sender.h"

#include <algorithm>

namespace ecnomy {

SenderSetup::SenderSetup(const TransportPlan& plan, const SourcePlan* of)
    : transport(&plan),
      source(of),
      law(make_window(plan.window.law, plan.window.values)),
      offered(plan.receiver_window < 0 ? SegmentSender::kEndless : plan.receiver_window),
      packet_bytes(plan.payload_bytes + plan.header_bytes) {
  if (of && of->traffic.law == RateCapped::kName) capped.emplace(of->traffic.values.data());
}

SegmentSender::SegmentSender(const SenderSetup& setup) noexcept
    : setup_(&setup),
      law_(setup.law),
      window_{1, 0, setup.transport->min_window, setup.transport->max_window},
      rto_(setup.transport->initial_rto, setup.transport->min_rto, setup.transport->max_rto),
      mark_rate_(setup.transport->initial_mark_rate < 0 ? kOwnWeight
                                                        : setup.transport->initial_mark_rate) {
  set_floor();
}

bool SegmentSender::active(Time now) const noexcept {
  const Time stop = setup_->source ? setup_->source->stop_ps : kNever;
  return started_ && active_ && on_ && (stop < 0 || now < stop);
}

FlowState SegmentSender::state(Time now) const noexcept {
  const double since =
      state_ == State::closed ? 0 : window_.cwnd * static_cast<double>(now - cwnd_since_);
  return {0,
          active(now),
          window_.cwnd,
          (cwnd_integral_ps_ + since) / kPsPerSecond,
          seconds(rto_.srtt()),
          law_.weight(),
          {}};
}

void SegmentSender::begin(Time now) noexcept {
  started_ = true;
  cwnd_since_ = now;
}

// A step of the profile switches a greedy flow on or off, or changes a cap.
void SegmentSender::set_profile(bool on, double factor, Time next_step) noexcept {
  on_ = setup_->capped || on;
  factor_ = factor;
  step_at_ = next_step;
}

void SegmentSender::open(std::int64_t segments, Time now) noexcept {
  state_ = State::connecting;
  una_ = next_ = sent_;
  end_ = segments < 0 ? kEndless : una_ + segments;
  recover_ = una_ - 1;
  again_ = rescue_ = una_;
  scoreboard_.clear();
  cut_until_ = app_limited_until_ = una_;
  in_recovery_ = cwr_due_ = one_waits_ = false;
  duplicates_ = 0;
  healed_ = -1;
  learned_ = 0;
  timer_una_ = -1;
  gate_.restart(now);
  last_ack_at_ = now;
  cwnd_since_ = now;
  window_.ssthresh = transport().slow_start ? std::numeric_limits<double>::infinity() : 0;
  window_.set(transport().initial_window);
  round_trip_ = RoundTrip();
  rto_ = Rto(transport().initial_rto, transport().min_rto, transport().max_rto);
  show_path(now);
  law_.begin(window_);
}

void SegmentSender::close(Time now) noexcept {
  set_cwnd_clock(now);
  state_ = State::closed;
  una_ = next_ = sent_;
}

void SegmentSender::take(const FlowOrder& order) noexcept {
  active_ = order.active;
  order_cap_bps_ = order.rate_cap_bps;
  mark_cap_ = order.mark_cap;
  if (order.weight >= 0) {
    const double weight = std::max(kLeastWeight, order.weight);
    mark_rate_ = -weight;
    law_.weigh(weight);
    set_floor();
  } else if (order.mark_rate >= 0) {
    mark_rate_ = order.mark_rate;
  } else {
    return;
  }
  aim();
}

// After a lost SYN the window begins with one packet (RFC 5681 section 3.1), and the RTO for data is at least 3 s
// (RFC 6298 rule 5.7). A flow that was switched off meanwhile gives up.
bool SegmentSender::syn_lost(FlowStats& stats, Time now) noexcept {
  ++stats.timeouts;
  rto_.back_off();
  set_cwnd_clock(now);
  if (setup_->source && !active(now)) {
    state_ = State::closed;
    return false;
  }
  window_.set(std::min(window_.cwnd, 1.0));
  return true;
}

// Converts marks per second to marks per round trip, with the T by which the flow is paced. The mean rate is then the
// requested number of marks per second, however T changes. With a reference round trip T_ref, weight and gain are
// scaled by T / T_ref (siris2002 section 5.1); a weight from marks per second is already in proportion to T. Some laws
// take marks per second directly.
void SegmentSender::aim() noexcept {
  if (law_.aims() && mark_rate_ >= 0) return law_.aim(std::max(kLeastWeight, mark_rate_));
  if (!aims_by_time() || !round_trip_.known()) return;
  const double t_s = seconds(round_trip());
  double weight = mark_rate_ * t_s;
  if (transport().reference_rtt > 0) {
    const double scale = t_s / seconds(transport().reference_rtt);
    law_.set_gain(std::max(kLeastWeight, setup_->law.gain() * scale));
    if (mark_rate_ < 0) {
      weight = scale * (mark_rate_ == kOwnWeight ? setup_->law.weight() : -mark_rate_);
    }
  }
  law_.set_weight(std::max(kLeastWeight, weight));
  set_floor();
}

// The floor of a paced WTP window: w / 4, at most one packet. A window of w suffices even if every packet is marked;
// a quarter of it leaves room for oscillations. The floor limits the wait after a burst of marks or an increase of w.
void SegmentSender::set_floor() noexcept {
  if (!transport().paced || transport().min_window > kLeastWindow) return;
  if (!law_.per_mark() || law_.has_rate()) return;
  window_.min = std::clamp(law_.weight() / 4, kLeastWeight, 1.0);
  window_.set(window_.cwnd);
}

// The integral of cwnd covers only the time in which a connection exists.
void SegmentSender::set_cwnd_clock(Time now) noexcept {
  cwnd_integral_ps_ += window_.cwnd * static_cast<double>(now - cwnd_since_);
  cwnd_since_ = now;
}

}  // namespace ecnomy
