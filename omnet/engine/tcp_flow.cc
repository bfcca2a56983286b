// SPDX-License-Identifier: Apache-2.0
#include "engine/tcp_flow.h"

namespace ecnomy::engine {

TcpFlow::TcpFlow(const SourceConfig& source, std::int32_t flow, Outbox outbox, Stream traffic,
                 TransferSink* transfers)
    : source_(&source),
      flow_(flow),
      law_(make_window(source.plan->transport.window.law, source.plan->transport.window.values)),
      window_{1, 0, source.plan->transport.min_window, source.plan->transport.max_window},
      rto_(source.plan->transport.initial_rto, source.plan->transport.min_rto,
           source.plan->transport.max_rto),
      outbox_(outbox),
      stream_(traffic),
      mark_rate_(source.plan->transport.initial_mark_rate),
      transfers_(transfers) {
  const LawPlan& law = source.plan->traffic;
  if (law.law == RateCapped::kName) capped_.emplace(law.values.data());
  if (law.law == Web::kName) web_.emplace(law.values.data());
}

bool TcpFlow::active(Time now) const noexcept {
  const Time stop = source_->plan->stop_ps;
  return started_ && active_ && (stop < 0 || now < stop);
}

void TcpFlow::start(Core& core, Time now) {
  started_ = true;
  cwnd_since_ = now;
  if (web_) return read(core, now);
  if (capped_ && capped_->lifted_at() > now) {
    core.events.push(capped_->lifted_at(), EventKind::application,
                     static_cast<std::uint32_t>(flow_));
  }
  open(core, -1, now);
}

void TcpFlow::read(Core& core, Time now) {
  core.events.push(now + web_->reading(stream_), EventKind::application,
                   static_cast<std::uint32_t>(flow_));
}

void TcpFlow::on_application(Core& core, Time now) {
  if (!web_) return send_allowed(core, now);
  const std::int64_t bytes = web_->file_bytes(stream_);
  if (!active(now)) return read(core, now);
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
    file_ = {flow_,           file_.number + 1, now, 0, file_bytes, -stats(core).retransmitted,
             -stats(core).ece};
  }
  recover_ = una_ - 1;
  cut_until_ = app_limited_until_ = una_;
  in_recovery_ = cwr_due_ = false;
  duplicates_ = 0;
  gate_at_ = now;
  last_ack_at_ = now;
  cwnd_since_ = now;
  window_.ssthresh = transport().slow_start ? std::numeric_limits<double>::infinity() : 0;
  window_.set(transport().initial_window);
  round_trip_ = RoundTrip();
  rto_ = Rto(transport().initial_rto, transport().min_rto, transport().max_rto);
  send_syn(core, false, now);
}

void TcpFlow::finish_file(Core& core, Time now) {
  set_cwnd_clock(now);
  state_ = State::closed;
  if (transfers_) {
    file_.end_ps = now;
    file_.retransmitted += stats(core).retransmitted;
    file_.ece += stats(core).ece;
    transfers_->add(file_);
  }
  read(core, now);
}

void TcpFlow::order(Core& core, const FlowOrder& order, Time now) {
  active_ = order.active;
  order_cap_bps_ = order.rate_cap_bps;
  mark_cap_ = order.mark_cap;
  if (order.mark_rate >= 0) {
    mark_rate_ = order.mark_rate;
    aim();
  }
  if (state_ == State::open) send_allowed(core, now);
}

// Marks per second become marks per round trip (laws/window/round_trip.h).
void TcpFlow::aim() {
  if (mark_rate_ < 0 || !round_trip_.known()) return;
  constexpr double kLeast = 1e-9;  // the law divides by it
  law_.set_weight(std::max(kLeast, mark_rate_ * seconds(round_trip_.for_weight())));
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
