// SPDX-License-Identifier: Apache-2.0
// Packets on their way between the hosts and the links.
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "linux/router.h"

namespace ecnomy::kernel {
namespace {

constexpr int kPacketsAtOnce = 64;

}  // namespace

// Takes packets that the hosts of one side have sent. Returns false if there were none.
bool Router::take_packets(bool forward) {
  const int tunnel = forward ? network_.senders() : network_.receivers();
  int taken = 0;
  for (; taken < kPacketsAtOnce; ++taken) {
    const ssize_t size = ::read(tunnel, buffer_.data(), buffer_.size());
    if (size < 0 && errno != EAGAIN) throw_errno("TUN device");
    if (size <= 0) break;
    const auto header = read_header(buffer_.data(), static_cast<std::size_t>(size));
    if (!header) continue;
    advance(clock_.now());
    if (now_ < plan_->duration) enter(*header, forward, now_);
  }
  return taken > 0;
}

void Router::enter(const PacketHeader& header, bool forward, Time now) {
  const std::int32_t flow = forward ? network_.flow_of(header.source_address, header.source_port)
                                    : network_.flow_of(header.target_address, header.target_port);
  if (flow < 0 || header.has(kRstFlag)) return;
  const engine::PacketId id = header.datagram
                                  ? datagram_of(header, static_cast<std::size_t>(flow), now)
                                  : packet_of(header, flow, forward, now);
  frames_[id].assign(buffer_.begin(), buffer_.begin() + header.ip_bytes);
  if (core_.trace && forward) core_.note(TraceEvent::send, -1, *id, now);
  core_.enter(id, now);
}

// Makes the packet for a TCP segment.
engine::PacketId Router::packet_of(const PacketHeader& header, std::int32_t flow, bool forward,
                                   Time now) {
  const std::size_t index = static_cast<std::size_t>(flow);
  const std::size_t source = network_.source_of(index);
  const engine::PacketId id = core_.packets.take();
  *id = {.sent = now,
         .flow = flow,
         .bytes = header.ip_bytes,
         .hop = forward ? first_hop_[source] : first_ack_hop_[source],
         .connection = network_.stream(index)->connection()};
  fill_packet(*id, header, forward);
  return id;
}

// Returns the packet whose datagram has reached the router, with the ECN field that it has there. The datagrams of a
// flow keep their order.
engine::PacketId Router::datagram_of(const PacketHeader& header, std::size_t flow, Time now) {
  const engine::PacketId id = network_.datagrams(flow)->take(header.ip_bytes);
  const std::size_t source = network_.source_of(flow);
  if (id == engine::kNoPacket) {
    throw std::runtime_error("source " + plan_->sources[source].name +
                             ": the kernel has lost a datagram on its way to the router");
  }
  id->sent = now;
  id->hop = first_hop_[source];
  id->flags = engine::ect_flags(header.codepoint != Codepoint::not_ect,
                                header.codepoint == Codepoint::ect_1);
  return id;
}

// Sends a datagram that is due. Its lateness counts like that of a packet at its host.
void Router::leave(engine::PacketId id, Time now) {
  lateness_.add(clock_.now() - now);
  network_.datagrams(static_cast<std::size_t>(id->flow))->send(id);
}

// Sets the flags and number of a packet that leaves its host, and counts data. Packets without data are not charged, so
// links do not mark them.
void Router::fill_packet(engine::Packet& packet, const PacketHeader& header, bool forward) {
  const std::size_t flow = static_cast<std::size_t>(packet.flow);
  ByteCount& bytes = network_.stream(flow)->bytes;
  const bool syn = header.has(kSynFlag);
  if (!forward || header.payload_bytes == 0) {
    if (forward && syn) bytes.open(header.seq);
    packet.flags = static_cast<std::uint16_t>(engine::kAck | (syn ? engine::kSyn : 0));
    return;
  }
  const ByteCount::Sent sent = bytes.send(header.seq, header.payload_bytes);
  packet.seq = sent.segment;
  packet.flags = engine::ect_flags(header.codepoint != Codepoint::not_ect,
                                   header.codepoint == Codepoint::ect_1);
  FlowStats& stats = core_.flows[flow];
  ++stats.sent;
  stats.sent_bytes += header.ip_bytes;
  stats.retransmitted += sent.again ? 1 : 0;
  // The kernel sets CWR in the first packet after it has reduced its window because of a mark.
  const std::size_t source = network_.source_of(flow);
  if (plan_->sources[source].transport.echo == Echo::rfc3168) {
    stats.ece += header.has(kCwrFlag) && !sent.again ? 1 : 0;
  }
  if (core_.tally) core_.tally->sent(packet.flow, packet.sent);
}

// A packet reaches the far end of its link.
void Router::arrive(engine::PacketId id, Time now) {
  if (core_.hops[id->hop].last) return host_receive(id, now);
  ++id->hop;
  core_.enter(id, now);
}

void Router::host_receive(engine::PacketId id, Time now) {
  std::vector<std::uint8_t>& frame = frames_[id];
  const auto header = read_header(frame.data(), frame.size());
  const std::size_t flow = static_cast<std::size_t>(id->flow);
  const bool forward = header->source_address < kReceivers;
  if (id->has(engine::kCe)) set_ce(frame.data());
  DatagramFlow* const datagrams = network_.datagrams(flow);
  if (id->is_data() && !datagrams) {
    core_.count_delivery(*id, now);
  } else if (!id->is_data() && id->has(engine::kCe)) {
    ++core_.flows[flow].control_ce;
  }
  if (core_.trace && !forward) core_.note(TraceEvent::ack, -1, *id, now);
  const int tunnel = forward ? network_.receivers() : network_.senders();
  lateness_.add(clock_.now() - now);
  if (::write(tunnel, frame.data(), frame.size()) < 0) throw_errno("TUN device");
  if (datagrams) return datagrams->receive(core_, id, now);
  const bool present = id->connection == network_.stream(flow)->connection();
  core_.packets.release(id);
  if (!forward && present) acknowledged(flow, *header, now);
}

// The kernel already has the ACK, so if it completes a file, the connection may be closed.
void Router::acknowledged(std::size_t flow, const PacketHeader& header, Time now) {
  if (!header.has(kAckFlag) || header.has(kSynFlag)) return;
  const ByteCount::Acked acked = network_.stream(flow)->bytes.acknowledge(header.ack);
  FlowStats& stats = core_.flows[flow];
  stats.acked += acked.packets;
  stats.acked_bytes +=
      acked.bytes + acked.packets * plan_->sources[network_.source_of(flow)].transport.header_bytes;
  network_.stream(flow)->acknowledged(stats, now);
}

}  // namespace ecnomy::kernel
