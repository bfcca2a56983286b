// SPDX-License-Identifier: Apache-2.0
// Packets live in one pool and are named by index; a freed packet is the next one handed out.
#ifndef ECNOMY_ENGINE_PACKET_H_
#define ECNOMY_ENGINE_PACKET_H_

#include <cstdint>
#include <vector>

#include "host/sack_blocks.h"
#include "laws/parameter.h"

namespace ecnomy::engine {

using PacketId = std::uint32_t;
inline constexpr PacketId kNoPacket = 0xFFFFFFFFu;

enum Flag : std::uint16_t {
  kEct = 1 << 0,
  kCe = 1 << 1,
  kAck = 1 << 2,
  kEce = 1 << 3,
  kCwr = 1 << 4,
  kSyn = 1 << 5,
  kRetransmit = 1 << 6,  // no RTT sample (Karn), and ECT only with `ect: all` (RFC 3168 6.1.5)
  kLast = 1 << 7,        // ends its file; its ACK does not wait, as with the FIN it stands for
  kSack = 1 << 8,        // an ACK with PacketPool::blocks
};

struct Packet {
  std::int64_t seq;  // segment number; on an ACK the next one expected
  Time sent;         // when the data left its host; an ACK carries its data packet's
  std::int32_t flow;
  std::int32_t bytes;  // IP packet
  std::uint32_t hop;   // index into the simulation's hops: where on which path it is
  PacketId next;       // in a host's list of packets about to leave
  std::uint16_t flags;
  std::uint16_t connection;  // low bits of the flow's connection number: strays are told apart
  std::uint32_t marks;       // on an ACK: CE packets its connection has received so far

  bool has(Flag flag) const noexcept { return (flags & flag) != 0; }
};

class PacketPool {
 public:
  PacketId take() {
    if (free_ == kNoPacket) {
      packets_.emplace_back();
      return static_cast<PacketId>(packets_.size() - 1);
    }
    const PacketId id = free_;
    free_ = packets_[id].next;
    return id;
  }
  void release(PacketId id) noexcept {
    packets_[id].next = free_;
    free_ = id;
  }
  Packet& operator[](PacketId id) noexcept { return packets_[id]; }
  // What an ACK with kSack carries; beside the packets, which stay small without it.
  SackBlocks& blocks(PacketId id) {
    if (id >= blocks_.size()) blocks_.resize(packets_.size());
    return blocks_[id];
  }

 private:
  std::vector<Packet> packets_;
  std::vector<SackBlocks> blocks_;
  PacketId free_ = kNoPacket;
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_PACKET_H_
