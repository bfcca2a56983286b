// SPDX-License-Identifier: Apache-2.0
#include "engine/tcp_flow.h"

namespace ecnomy::engine {

TcpFlow::TcpFlow(const SourceConfig& source, std::int32_t flow, Outbox outbox, Stream traffic)
    : source_(&source),
      flow_(flow),
      law_(*source.window),
      window_{1, 0, source.plan->transport.min_window, source.plan->transport.max_window},
      rto_(source.plan->transport.initial_rto, source.plan->transport.min_rto,
           source.plan->transport.max_rto),
      outbox_(outbox),
      mark_rate_(source.plan->transport.initial_mark_rate),
      files_(Files::make(source, traffic)) {}

bool TcpFlow::active(Time now) const noexcept {
  const Time stop = source_->plan->stop_ps;
  return started_ && active_ && on_ && (stop < 0 || now < stop);
}

void TcpFlow::start(Core& core, Time now) {
  started_ = true;
  cwnd_since_ = now;
  if (files_) return await_file(core, now);
  if (source_->capped && source_->capped->lifted_at() > now) {
    core.events.push(source_->capped->lifted_at(), EventKind::application,
                     static_cast<std::uint32_t>(flow_));
  }
  if (!source_->plan->profile.none()) on_step(core, now);
  if (active(now)) open(core, -1, now);
}

// A step of the profile: a greedy member goes on or off, a cap changes.
void TcpFlow::on_step(Core& core, Time now) {
  const Profile& profile = source_->plan->profile;
  on_ = source_->capped || profile.on(now, flow_ - source_->first_flow, source_->plan->count);
  factor_ = profile.at(now);
  step_at_ = profile.next_step(now);
  core.events.push(step_at_, EventKind::application, static_cast<std::uint32_t>(flow_));
}

// The pause before the next file, if there is one.
void TcpFlow::await_file(Core& core, Time now) {
  if (!files_) return;
  const Time pause = files_->pause();
  if (pause == kNever) return;
  files_->due = now + source_->plan->profile.stretch(now, pause);
  core.events.push(files_->due, EventKind::application, static_cast<std::uint32_t>(flow_));
}

// An event may be stale: a file that came in time leaves its patience behind.
void TcpFlow::on_application(Core& core, Time now) {
  if (!files_) {
    if (now == step_at_) on_step(core, now);
    if (step_at_ != kNever && state_ == State::closed && active(now)) return open(core, -1, now);
    reopen_gate(now);
    return send_allowed(core, now);
  }
  if (state_ == State::closed && now == files_->due) return next_file(core, now);
  if (state_ != State::closed && now == files_->given_up) finish_file(core, false, now);
}

void TcpFlow::next_file(Core& core, Time now) {
  const std::int64_t bytes = files_->bytes(transport().payload_bytes);
  if (!active(now)) return await_file(core, now);
  files_->given_up = kNever;
  if (files_->patience() != kNever) {
    files_->given_up = now + files_->patience();
    core.events.push(files_->given_up, EventKind::application, static_cast<std::uint32_t>(flow_));
  }
  open(core, bytes, now);
}

// A new connection; file_bytes < 0 for one that never ends.
void TcpFlow::open(Core& core, std::int64_t file_bytes, Time now) {
  ++connection_;
  state_ = State::connecting;
  una_ = next_ = sent_;
  end_ = kEndless;
  if (file_bytes >= 0) {
    const std::int64_t mss = transport().payload_bytes;
    const std::int64_t segments = (file_bytes + mss - 1) / mss;
    end_ = una_ + segments;
    last_segment_bytes_ = static_cast<std::int32_t>(file_bytes - (segments - 1) * mss);
    Files::File& file = files_->present;
    file = {file.number + 1, now, file_bytes, -stats(core).retransmitted, -stats(core).ece};
  }
  recover_ = una_ - 1;
  again_ = rescue_ = una_;
  scoreboard_.clear();
  cut_until_ = app_limited_until_ = una_;
  in_recovery_ = cwr_due_ = false;
  duplicates_ = 0;
  learned_ = 0;
  timer_una_ = -1;
  gate_.restart(now);
  last_ack_at_ = now;
  cwnd_since_ = now;
  window_.ssthresh = transport().slow_start ? std::numeric_limits<double>::infinity() : 0;
  window_.set(transport().initial_window);
  law_.begin(window_);
  round_trip_ = RoundTrip();
  rto_ = Rto(transport().initial_rto, transport().min_rto, transport().max_rto);
  send_syn(core, false, now);
}

void TcpFlow::finish_file(Core& core, bool complete, Time now) {
  set_cwnd_clock(now);
  state_ = State::closed;
  una_ = next_ = sent_;
  if (source_->transfers) {
    const Files::File& file = files_->present;
    const FlowStats& so_far = stats(core);
    source_->transfers->add({flow_, file.number, file.start, now, file.bytes,
                             file.retransmitted + so_far.retransmitted, file.ece + so_far.ece,
                             complete ? 1 : 0});
  }
  files_->given_up = kNever;
  await_file(core, now);
}

void TcpFlow::order(Core& core, const FlowOrder& order, Time now) {
  active_ = order.active;
  order_cap_bps_ = order.rate_cap_bps;
  mark_cap_ = order.mark_cap;
  if (order.mark_rate >= 0) {
    mark_rate_ = order.mark_rate;
    aim();
  }
  if (state_ == State::closed && !files_ && active(now)) return open(core, -1, now);
  reopen_gate(now);
  send_allowed(core, now);
}

// A lost SYN: one packet to begin with (RFC 5681 section 3.1) and an RTO of at least 3 s once data
// flows (RFC 6298 rule 5.7). A flow that was switched off meanwhile gives up.
void TcpFlow::syn_lost(Core& core, Time now) {
  set_cwnd_clock(now);
  if (!active(now)) {
    state_ = State::closed;
    return await_file(core, now);
  }
  window_.set(std::min(window_.cwnd, 1.0));
  send_syn(core, true, now);
}

// Marks per second become marks per round trip (laws/window/round_trip.h). With a reference round trip
// T_ref weight and gain are scaled by T / T_ref (siris2002 section 5.1); a weight that comes from
// marks per second is in proportion to T already. Some laws take marks per second as they are.
void TcpFlow::aim() {
  if (law_.aims() && mark_rate_ >= 0) return law_.aim(std::max(kLeastWeight, mark_rate_));
  if (!aims_by_time() || !round_trip_.known()) return;
  const double t_s = seconds(round_trip_.for_weight());
  double weight = mark_rate_ * t_s;
  if (transport().reference_rtt > 0) {
    const double scale = t_s / seconds(transport().reference_rtt);
    law_.set_gain(std::max(kLeastWeight, source_->window->gain() * scale));
    if (mark_rate_ < 0) weight = source_->window->weight() * scale;
  }
  law_.set_weight(std::max(kLeastWeight, weight));
}

// The integral of cwnd is over the time in which there is a connection.
void TcpFlow::set_cwnd_clock(Time now) noexcept {
  cwnd_integral_ps_ += window_.cwnd * static_cast<double>(now - cwnd_since_);
  cwnd_since_ = now;
}

double TcpFlow::cwnd_integral(Time now) const noexcept {
  const double since =
      state_ == State::closed ? 0 : window_.cwnd * static_cast<double>(now - cwnd_since_);
  return (cwnd_integral_ps_ + since) / kPsPerSecond;
}

}  // namespace ecnomy::engine
