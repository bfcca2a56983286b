// SPDX-License-Identifier: Apache-2.0
// A host's output queue for one flow. A packet leaves U * overhead after it is handed over, with U uniform on (0, 1).
// Packets keep their order. This random send overhead breaks the phase locks of a deterministic simulator. It costs one
// event per packet. Senders with their own timer (paced, datagrams) add the overhead to this timer instead.
#ifndef ECNOMY_ENGINE_OUTBOX_H_
#define ECNOMY_ENGINE_OUTBOX_H_

#include <algorithm>

#include "engine/core.h"
#include "laws/random/stream.h"

namespace ecnomy::engine {

class Outbox {
 public:
  Outbox(Time overhead, Stream stream) noexcept : overhead_(overhead), stream_(stream) {}

  bool empty() const noexcept { return head_ == kNoPacket; }

  Time draw() noexcept {
    return overhead_ > 0 ? static_cast<Time>(stream_() * static_cast<double>(overhead_)) : 0;
  }

  // Sends the packet now, without overhead.
  void leave(Core& core, PacketId id, Time now) {
    if (core.hosts) return core.hosts->leave(id, now);
    Packet& packet = core.packets[id];
    packet.sent = now;
    if (core.trace) core.note(TraceEvent::send, -1, packet, now);
    core.enter(id, now);
  }

  void hand_over(Core& core, PacketId id, Time now) {
    if (overhead_ == 0) return leave(core, id, now);
    last_ = std::max(last_, now + draw());
    core.packets[id].sent = last_;
    core.packets[id].next = kNoPacket;
    if (head_ == kNoPacket) {
      head_ = id;
      core.events.push(last_, EventKind::depart, static_cast<std::uint32_t>(core.packets[id].flow));
    } else {
      core.packets[tail_].next = id;
    }
    tail_ = id;
  }

  // Sends the oldest packet. Returns the time of the next packet, or kNever if no packet waits.
  Time depart(Core& core, Time now) {
    const PacketId id = head_;
    head_ = core.packets[id].next;
    const Time next = head_ == kNoPacket ? kNever : core.packets[head_].sent;
    leave(core, id, now);
    return next;
  }

 private:
  Time overhead_;
  Stream stream_;
  PacketId head_ = kNoPacket;
  PacketId tail_ = kNoPacket;
  Time last_ = 0;
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_OUTBOX_H_
