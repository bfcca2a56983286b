// SPDX-License-Identifier: Apache-2.0
// What arrives at either end of a TCP flow.
#include <algorithm>

#include "engine/tcp_flow.h"

namespace ecnomy::engine {

void TcpFlow::receive(Core& core, PacketId id, Time now) {
  Packet& packet = core.packets[id];
  if (!packet.has(kAck)) return receive_data(core, id, now);
  if (packet.connection == connection_) receive_ack(core, packet, now);
  core.packets.release(id);
}

// At the receiving host: count, echo, and send the packet back as its own ACK.
void TcpFlow::receive_data(Core& core, PacketId id, Time now) {
  Packet& packet = core.packets[id];
  const bool syn = packet.has(kSyn);
  if (!syn) core.count_delivery(packet, now);
  if (packet.connection != connection_) return core.packets.release(id);
  bool echo = false;
  if (syn) {
    if (state_ == State::connecting) receiver_.open(packet.seq);
  } else {
    receiver_.accept(packet.seq);
    echo = receiver_.echo(packet, transport().echo);
  }
  const std::uint16_t keep = packet.flags & (kSyn | kRetransmit);
  packet.flags = static_cast<std::uint16_t>(kAck | keep | (echo ? kEce : 0));
  packet.seq = receiver_.next();
  packet.bytes = transport().ack_bytes;
  packet.hop = source_->first_ack_hop;
  core.enter(id, now);
}

void TcpFlow::receive_ack(Core& core, const Packet& packet, Time now) {
  if (core.trace) core.trace->add(now, TraceEvent::ack, -1, packet);
  const Time sent = packet.has(kRetransmit) ? kNever : packet.sent;
  if (packet.has(kSyn)) {
    if (state_ != State::connecting) return;
    state_ = State::open;
    gate_at_ = now;
    if (sent != kNever) sample_rtt(sent, now);
    return send_allowed(core, now);
  }
  if (state_ != State::open) return;
  if (round_trip_.known() && mark_rate_ >= 0 && round_trip_.saturated()) {
    stats(core).saturated_ps += now - last_ack_at_;
  }
  last_ack_at_ = now;
  set_cwnd_clock(now);
  if (packet.seq > una_) {
    advance(core, packet, now);
  } else if (packet.seq == una_ && next_ > una_) {
    duplicate(core, packet, now);
  }
  if (state_ == State::open) {
    hasten_gate(now);
    send_allowed(core, now);
  }
}

void TcpFlow::sample_rtt(Time sent, Time now) {
  rto_.sample(now - sent);
  round_trip_.sample(now, now - sent);
  aim();
}

// New data is acknowledged.
void TcpFlow::advance(Core& core, const Packet& packet, Time now) {
  const std::int64_t n = packet.seq - una_;
  const std::int64_t flight = next_ - una_;
  FlowStats& counters = stats(core);
  counters.acked += n;
  counters.acked_bytes += n * source_->packet_bytes();
  if (packet.seq == end_) counters.acked_bytes += segment_bytes(end_ - 1) - source_->packet_bytes();
  if (!packet.has(kRetransmit)) sample_rtt(packet.sent, now);
  una_ = packet.seq;
  next_ = std::max(next_, una_);
  const bool recovering = in_recovery_;
  if (recovering && law_.partial_acks() && una_ < recover_) {
    duplicates_ = static_cast<std::int32_t>(std::max<std::int64_t>(0, duplicates_ - n + 1));
    retransmit(core, now);
  } else {
    duplicates_ = 0;
    in_recovery_ = false;
  }
  learn_marks(core, recovering ? 0 : growth(n, flight), packet.has(kEce));
  if (next_ > una_) arm_timer(core, now);
  if (una_ == end_) finish_file(core, now);
}

void TcpFlow::duplicate(Core& core, const Packet& packet, Time now) {
  learn_marks(core, 0, packet.has(kEce));
  ++duplicates_;
  if (duplicates_ != 3 || in_recovery_ || una_ <= recover_) return;
  in_recovery_ = true;
  if (law_.partial_acks()) recover_ = sent_;
  cut_until_ = sent_;
  cwr_due_ = transport().echo == Echo::rfc3168;
  law_.on_loss(window_);
  if (!transport().slow_start) window_.ssthresh = 0;
  retransmit(core, now);
  arm_timer(core, now);
}

// How many of the newly acknowledged packets may grow the window: none where the application or a cap,
// not the window, held the flow back and less than half of the window was used (RFC 7661).
std::int64_t TcpFlow::growth(std::int64_t newly_acked, std::int64_t flight) const noexcept {
  const bool limited = una_ <= app_limited_until_;
  return limited && 2.0 * static_cast<double>(flight) <= window_.cwnd ? 0 : newly_acked;
}

// Accurate echo: every mark goes to the law. RFC 3168: one response per window of data, and no
// growth on an ACK that carries ECE.
void TcpFlow::learn_marks(Core& core, std::int64_t grown, bool echo) noexcept {
  const bool accurate = transport().echo == Echo::accurate;
  const bool new_round = una_ > cut_until_;
  if (echo && (accurate || new_round)) ++stats(core).ece;
  if (!echo || (accurate && law_.per_mark())) {
    if (grown > 0 || echo) law_.on_ack(window_, {grown, echo ? 1 : 0});
    return;
  }
  if (!new_round) return;
  cut_until_ = sent_;
  cwr_due_ = true;
  if (law_.per_mark()) return law_.on_ack(window_, {grown, 1});
  law_.on_congestion(window_);
  if (!transport().slow_start) window_.ssthresh = 0;
}

}  // namespace ecnomy::engine
