// SPDX-License-Identifier: Apache-2.0
// Arrivals at both ends of a TCP flow. The receiving host counts packets and sends ACKs, at once or for several packets
// together.
#include "engine/tcp_flow.h"
#include "engine/tcp_port.h"

namespace ecnomy::engine {

void TcpFlow::receive(Core& core, PacketId id, Time now) {
  if (core.packets[id].has(kAck)) return receive_ack(core, id, now);
  receive_data(core, id, now);
}

bool TcpFlow::note_blocks(Core& core, PacketId id) {
  if (!sender_.is_open()) return false;
  const SackBlocks& blocks = core.packets.blocks(id);
  bool news = false;
  for (std::int32_t i = 0; i < blocks.count; ++i) {
    if (sender_.note_block(blocks.ranges[static_cast<std::size_t>(i)])) news = true;
  }
  return news;
}

// Each packet carries its departure time, as with timestamps. So the RTT of a retransmission is measured from its own
// departure (RFC 7323 section 4), and its ACK ends the back-off of the timer. The ACK is read and released first, as
// packets sent in response may reuse its place.
void TcpFlow::receive_ack(Core& core, PacketId id, Time now) {
  const Packet& packet = core.packets[id];
  if (packet.has(kCe)) ++stats(core).control_ce;
  if (packet.connection != connection_) return core.packets.release(id);
  const bool news = packet.has(kSack) && note_blocks(core, id);
  if (core.trace) core.note(TraceEvent::ack, -1, packet, now);
  AckNews ack{packet.seq, 0, packet.marks, packet.sent, packet.has(kEce), true, news};
  const bool syn = packet.has(kSyn), again = packet.has(kRetransmit);
  core.packets.release(id);
  Port port{core, *this};
  if (syn) {
    if (sender_.connecting()) sender_.connected(port, again, ack.sent, now);
    return;
  }
  if (!sender_.is_open()) return;
  const std::int64_t packets = transport().repair ? ack.next - sender_.una() : 1;
  ack.bytes = packets * source_->packet_bytes();
  if (ack.next == sender_.end()) ack.bytes += segment_bytes(ack.next - 1) - source_->packet_bytes();
  sender_.on_ack(port, ack, now);
}

// An ACK that is not delayed reuses its data packet's place in the pool.
void TcpFlow::receive_data(Core& core, PacketId id, Time now) {
  Packet& packet = core.packets[id];
  const bool syn = packet.has(kSyn);
  if (!syn) {
    core.count_delivery(packet, now);
  } else if (packet.has(kCe)) {
    ++stats(core).control_ce;
  }
  if (packet.connection != connection_) return core.packets.release(id);
  if (syn) {
    if (sender_.connecting()) receiver_.open(packet.seq);
    return acknowledge(core, id, packet.flags & (kSyn | kRetransmit), now);
  }
  const bool in_order = receiver_.accept(packet.seq, transport().repair);
  receiver_.note_marks(packet);
  if (transport().delayed_acks > 1) {
    if (receiver_.may_wait(packet, in_order, transport().delayed_acks, transport().echo)) {
      core.packets.release(id);
      return put_off_ack(core, now);
    }
    packet.sent = receiver_.waiting().sent;
  }
  acknowledge(core, id, 0, now);
}

// Delays an ACK. The first packet that waits determines the ACK's time. At most one event per flow is scheduled.
void TcpFlow::put_off_ack(Core& core, Time now) {
  if (receiver_.waiting().packets > 1) return;
  ack_due_ = now + transport().delayed_ack;
  if (ack_event_) return;
  ack_event_ = true;
  core.events.push(ack_due_, EventKind::delayed_ack, static_cast<std::uint32_t>(flow_));
}

void TcpFlow::on_delayed_ack(Core& core, Time now) {
  ack_event_ = false;
  const TcpReceiver::Waiting& waiting = receiver_.waiting();
  if (waiting.packets == 0) return;
  if (ack_due_ > now) {
    ack_event_ = true;
    return core.events.push(ack_due_, EventKind::delayed_ack, static_cast<std::uint32_t>(flow_));
  }
  const PacketId id = core.packets.take();
  core.packets[id] = {.sent = waiting.sent, .flow = flow_, .connection = waiting.connection};
  acknowledge(core, id, 0, now);
}

// Turns the packet `id` into an ACK of all data that has arrived. Its flow, connection and sending time are kept.
void TcpFlow::acknowledge(Core& core, PacketId id, std::uint16_t keep, Time now) {
  Packet& packet = core.packets[id];
  const bool syn = (keep & kSyn) != 0;
  const bool echo = !syn && receiver_.echo(transport().echo);
  packet.flags = static_cast<std::uint16_t>(kAck | keep | (echo ? kEce : 0) | source_->other_flags);
  packet.seq = receiver_.next();
  packet.marks = receiver_.marks();
  packet.bytes = transport().ack_bytes;
  packet.hop = source_->first_ack_hop;
  if (!syn) {
    receiver_.ack_sent();
    if (receiver_.holds() && transport().sack) report_held(core, id);
  }
  core.enter(id, now);
}

void TcpFlow::report_held(Core& core, PacketId id) {
  SackBlocks& blocks = core.packets.attach_blocks(id);
  blocks = receiver_.blocks();
  core.packets[id].bytes += blocks.option_bytes();
}

}  // namespace ecnomy::engine
