// SPDX-License-Identifier: Apache-2.0
// The receiving host of a TCP flow: it counts, and sends ACKs, at once or for several packets together.
#include "engine/tcp_flow.h"

namespace ecnomy::engine {

// An ACK that need not wait goes in the place of its packet.
void TcpFlow::receive_data(Core& core, PacketId id, Time now) {
  Packet& packet = core.packets[id];
  const bool syn = packet.has(kSyn);
  if (!syn) {
    core.count_delivery(packet, now);
  } else if (packet.has(kCe)) {
    ++stats(core).control_ce;
  }
  if (packet.connection != connection_) return core.packets.release(id);
  std::uint16_t keep = packet.flags & (kSyn | kRetransmit);
  if (syn) {
    if (state_ == State::connecting) receiver_.open(packet.seq);
    return acknowledge(core, id, keep, now);
  }
  const bool in_order = receiver_.accept(packet.seq);
  receiver_.note_marks(packet);
  if (transport().delayed_acks > 1) {
    if (receiver_.may_wait(packet, in_order, transport().delayed_acks, transport().echo)) {
      core.packets.release(id);
      return put_off_ack(core, now);
    }
    packet.sent = receiver_.waiting().sent;
    keep = receiver_.waiting().retransmit;
  }
  acknowledge(core, id, keep, now);
}

// The first packet to wait sets the time; one event per flow at most is under way.
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
  acknowledge(core, id, waiting.retransmit, now);
}

// Makes packet id, whose flow, connection and time of sending stand, an ACK of all that has arrived.
void TcpFlow::acknowledge(Core& core, PacketId id, std::uint16_t keep, Time now) {
  Packet& packet = core.packets[id];
  const bool syn = (keep & kSyn) != 0;
  const bool echo = !syn && receiver_.echo(transport().echo);
  packet.flags = static_cast<std::uint16_t>(kAck | keep | (echo ? kEce : 0) |
                                            (transport().ect_all ? kEct : 0));
  packet.seq = receiver_.next();
  packet.marks = receiver_.marks();
  packet.bytes = transport().ack_bytes;
  packet.hop = source_->first_ack_hop;
  if (!syn) {
    receiver_.told();
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
