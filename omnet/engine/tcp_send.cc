// SPDX-License-Identifier: Apache-2.0
// What a TCP flow may send, and when.
//
// Ack-clocked: while the flight is below floor(cwnd). Paced: a packet every T / cwnd, T the mean RTT
// (or T_w where the market pays by the second), so that the rate is cwnd / T for any cwnd > 0;
// the flight is then only guarded, at twice the window. A rate cap shuts the same gate for longer.
#include <algorithm>
#include <cmath>

#include "engine/tcp_flow.h"

namespace ecnomy::engine {

std::int32_t TcpFlow::segment_bytes(std::int64_t seq) const noexcept {
  const std::int32_t payload = seq + 1 == end_ ? last_segment_bytes_ : transport().payload_bytes;
  return payload + transport().header_bytes;
}

void TcpFlow::send_syn(Core& core, bool again, Time now) {
  const PacketId id = core.packets.take();
  core.packets[id] = {una_,
                      now,
                      flow_,
                      transport().ack_bytes,
                      source_->first_hop,
                      kNoPacket,
                      static_cast<std::uint16_t>(again ? kSyn | kRetransmit : kSyn),
                      connection_};
  outbox_.hand_over(core, id, now);
  arm_timer(core, now);
}

bool TcpFlow::window_open() const noexcept {
  const double window = transport().paced ? std::ceil(2 * window_.cwnd) + 1 : window_.cwnd;
  const std::int64_t limit = static_cast<std::int64_t>(window) + (in_recovery_ ? duplicates_ : 0);
  return next_ - una_ < std::max<std::int64_t>(limit, 1);
}

double TcpFlow::cap_bps(Time now) const noexcept {
  const std::int64_t own = capped_ ? capped_->cap_bps(now) : -1;
  if (own < 0) return order_cap_bps_;
  const double cap = static_cast<double>(own);
  return order_cap_bps_ < 0 ? cap : std::min(cap, order_cap_bps_);
}

Time TcpFlow::pace_interval() const noexcept {
  if (!transport().paced || !round_trip_.known()) return 0;
  const Time t = mark_rate_ >= 0 ? round_trip_.for_weight() : round_trip_.mean();
  return static_cast<Time>(static_cast<double>(t) / window_.cwnd);
}

// After a packet: when the next may leave. A flow that was blocked gains no credit meanwhile.
void TcpFlow::shut_gate(Time now) noexcept {
  const Time pace = pace_interval();
  const double cap = cap_bps(now);
  Time interval = pace;
  if (cap >= 0) {
    const double bits = 8.0 * source_->packet_bytes();
    const Time by_cap = cap > 0 ? static_cast<Time>(bits / cap * kPsPerSecond) : 0;
    interval = std::max(interval, by_cap);
    if (by_cap > pace) app_limited_until_ = std::max(app_limited_until_, next_);
  }
  if (interval > 0) gate_at_ = std::max(gate_at_, now - interval) + interval;
}

// Whether a packet may leave now; if not for the gate alone, an event will open it.
bool TcpFlow::gate_open(Core& core, Time now) {
  if (cap_bps(now) == 0) return false;
  if (gate_at_ <= now) return true;
  if (pace_event_at_ == kNever || gate_at_ < pace_event_at_) {
    const Time at = gate_at_ + outbox_.draw();
    if (pace_event_at_ == kNever || at < pace_event_at_) {
      pace_event_at_ = at;
      core.events.push(at, EventKind::pace, static_cast<std::uint32_t>(flow_));
    }
  }
  return false;
}

void TcpFlow::on_pace(Core& core, Time now) {
  if (now != pace_event_at_) return;
  pace_event_at_ = kNever;
  if (state_ == State::open) send_allowed(core, now);
}

// A window that has grown shortens the wait that was set when it was small.
void TcpFlow::hasten_gate(Time now) noexcept {
  if (!transport().paced || cap_bps(now) >= 0) return;
  gate_at_ = std::min(gate_at_, now + pace_interval());
}

void TcpFlow::send_allowed(Core& core, Time now) {
  if (!active(now)) return;
  while (window_open()) {
    if (next_ >= end_) {
      app_limited_until_ = std::max(app_limited_until_, next_);
      return;
    }
    if (mark_cap_ >= 0 && stats(core).ece + in_flight() >= mark_cap_) return;
    if (!gate_open(core, now)) return;
    emit(core, next_++, now);
    shut_gate(now);
  }
}

void TcpFlow::emit(Core& core, std::int64_t seq, Time now) {
  FlowStats& counters = stats(core);
  const bool again = seq < sent_;
  std::uint16_t flags = again ? kRetransmit : transport().ect ? kEct : 0;
  if (cwr_due_ && !again) {
    flags = static_cast<std::uint16_t>(flags | kCwr);
    cwr_due_ = false;
  }
  const std::int32_t bytes = segment_bytes(seq);
  const PacketId id = core.packets.take();
  core.packets[id] = {seq, now, flow_, bytes, source_->first_hop, kNoPacket, flags, connection_};
  ++counters.sent;
  counters.sent_bytes += bytes;
  counters.retransmitted += again ? 1 : 0;
  sent_ = std::max(sent_, seq + 1);
  if (next_ <= una_ + 1) arm_timer(core, now);
  if (transport().paced) return outbox_.leave(core, id, now);
  outbox_.hand_over(core, id, now);
}

void TcpFlow::retransmit(Core& core, Time now) { emit(core, una_, now); }

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
  if (state_ == State::connecting) return send_syn(core, true, now);
  set_cwnd_clock(now);
  law_.on_timeout(window_, static_cast<double>(next_ - una_));
  if (!transport().slow_start) window_.ssthresh = 0;
  recover_ = cut_until_ = sent_;
  in_recovery_ = false;
  cwr_due_ = false;
  duplicates_ = 0;
  next_ = una_;
  gate_at_ = now;
  send_allowed(core, now);
}

}  // namespace ecnomy::engine
