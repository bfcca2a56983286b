// SPDX-License-Identifier: Apache-2.0
// Packets live in one pool and never move, so a packet is identified by its address. The packet freed last is reused
// first. A packet takes one cache line, and links chain their queues through the packets themselves.
#ifndef ECNOMY_ENGINE_PACKET_H_
#define ECNOMY_ENGINE_PACKET_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/sack_blocks.h"
#include "laws/marking/marking.h"

namespace ecnomy::engine {

struct Packet;
using PacketId = Packet*;
inline constexpr PacketId kNoPacket = nullptr;

enum Flag : std::uint16_t {
  kEct = 1 << 0,
  kCe = 1 << 1,
  kAck = 1 << 2,
  kEce = 1 << 3,
  kCwr = 1 << 4,
  kSyn = 1 << 5,
  kRetransmit = 1 << 6,  // a SYN that is not the first: no RTT sample (Karn)
  kLast = 1 << 7,        // ends its file; it replaces a FIN, so its ACK is not delayed
  kSack = 1 << 8,        // an ACK with SACK blocks
  kEct1 = 1 << 9,        // with kEct: ECT(1), not ECT(0)
};

// The flags of an ECN-capable packet, which is sent as ECT(1) or ECT(0). There are no flags if `ect` is false.
constexpr std::uint16_t ect_flags(bool ect, bool ect_1) noexcept {
  return static_cast<std::uint16_t>((ect ? kEct : 0) | (ect && ect_1 ? kEct1 : 0));
}

struct alignas(64) Packet {
  std::int64_t seq = 0;  // segment number; on an ACK the next one expected
  Time sent = 0;         // when the data left its host; an ACK carries its data packet's time
  std::int32_t flow = 0;
  std::int32_t bytes = 0;     // size of the IP packet
  std::uint32_t hop = 0;      // index into the simulation's hops: the path and the position on it
  std::uint32_t block = 0;    // index into PacketPool::blocks, with kSack
  PacketId next = kNoPacket;  // the packet behind it on its link, at its host, or in the pool
  Time started = 0;           // when its transmission on the current link begins
  Time delivered = 0;         // when its last bit reaches the far end of that link
  std::uint32_t marks = 0;    // on an ACK: CE packets its connection has received so far
  std::uint16_t flags = 0;
  std::uint16_t connection = 0;  // low bits of the connection number, to detect stray packets

  bool has(Flag flag) const noexcept { return (flags & flag) != 0; }
  bool is_data() const noexcept { return !has(kAck) && !has(kSyn); }
  // The marking law's view of the packet, with its size on the wire.
  PacketView view(std::int32_t wire_bytes) const noexcept {
    return {flow, wire_bytes, has(kEct), has(kCe), has(kEct1)};
  }
};

static_assert(sizeof(Packet) == 64);

// Packets in order, chained through themselves.
struct PacketFifo {
  PacketId first = kNoPacket, last = kNoPacket;

  bool empty() const noexcept { return first == kNoPacket; }
  void push(PacketId id) noexcept {
    id->next = kNoPacket;
    (empty() ? first : last->next) = id;
    last = id;
  }
  // Inserts the packet after those that are delivered no later.
  void insert(PacketId id) noexcept {
    if (empty() || last->delivered <= id->delivered) return push(id);
    PacketId* place = &first;
    while ((*place)->delivered <= id->delivered) place = &(*place)->next;
    id->next = *place;
    *place = id;
  }
  PacketId pop() noexcept {
    const PacketId id = first;
    first = id->next;
    return id;
  }
};

class PacketPool {
 public:
  PacketId take() {
    if (free_ == kNoPacket) grow();
    const PacketId id = free_;
    free_ = id->next;
    return id;
  }
  void release(PacketId id) noexcept {
    if (id->has(kSack)) free_blocks_.push_back(id->block);  // attach_blocks has reserved the space
    id->next = free_;
    free_ = id;
  }
  Packet& operator[](PacketId id) noexcept { return *id; }

  // Attaches SACK blocks to the packet.
  SackBlocks& attach_blocks(PacketId id) {
    if (free_blocks_.empty()) {
      free_blocks_.push_back(static_cast<std::uint32_t>(blocks_.size()));
      blocks_.emplace_back();
      free_blocks_.reserve(blocks_.capacity());
    }
    id->flags |= kSack;
    id->block = free_blocks_.back();
    free_blocks_.pop_back();
    return blocks_[id->block];
  }
  const SackBlocks& blocks(PacketId id) const noexcept { return blocks_[id->block]; }

 private:
  static constexpr std::size_t kChunk = 1024;

  void grow() {
    chunks_.push_back(std::make_unique<Packet[]>(kChunk));
    Packet* const chunk = chunks_.back().get();
    for (std::size_t i = 0; i + 1 < kChunk; ++i) chunk[i].next = chunk + i + 1;
    free_ = chunk;
  }

  std::vector<std::unique_ptr<Packet[]>> chunks_;
  PacketId free_ = kNoPacket;
  std::vector<SackBlocks> blocks_;
  std::vector<std::uint32_t> free_blocks_;
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_PACKET_H_
