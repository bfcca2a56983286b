// SPDX-License-Identifier: Apache-2.0
// What links and hosts of one simulation share: events, packets, paths, counters, the trace.
#ifndef ECNOMY_ENGINE_CORE_H_
#define ECNOMY_ENGINE_CORE_H_

#include <cstdint>
#include <vector>

#include "engine/event_queue.h"
#include "engine/packet.h"

namespace ecnomy::engine {

// One step of a source's path or ack path, with the accounts of that (source, link).
struct Hop {
  std::int32_t link;
  bool last;
  std::int64_t arrivals = 0;
  std::int64_t marks = 0;
  std::int64_t drops = 0;
  std::int64_t ce_dropped = 0;
  std::int64_t ce_in_flight = 0;
};

// One flow's cumulative counters; columns of report.flows (PROTOCOL.md).
struct FlowStats {
  std::int64_t sent = 0, sent_bytes = 0, retransmitted = 0;
  std::int64_t acked = 0, acked_bytes = 0;
  std::int64_t delivered = 0, delivered_bytes = 0;
  std::int64_t ce = 0, ce_bytes = 0;
  std::int64_t ece = 0, lost = 0;
  std::int64_t delay_sum_ps = 0;
  std::int64_t timeouts = 0;
  std::int64_t saturated_ps = 0;
  std::int64_t control_ce = 0;

  std::int64_t under_way() const noexcept { return sent - delivered - lost; }
};

enum class TraceEvent : std::int64_t { send, enqueue, mark, drop, deliver, ack };

struct Trace {
  std::vector<std::int64_t> t_ps, event, link, flow, seq, bytes, ce;

  void add(Time now, TraceEvent what, std::int64_t at_link, const Packet& packet) {
    t_ps.push_back(now);
    event.push_back(static_cast<std::int64_t>(what));
    link.push_back(at_link);
    flow.push_back(packet.flow);
    seq.push_back(packet.seq);
    bytes.push_back(packet.bytes);
    ce.push_back(packet.has(kCe) ? 1 : 0);
  }
  void clear() {
    for (auto* column : {&t_ps, &event, &link, &flow, &seq, &bytes, &ce}) column->clear();
  }
};

class Link;
class Tally;

struct Core {
  EventQueue events;
  PacketPool packets;
  std::vector<Hop> hops;  // every source's path, then its ack path
  std::vector<Link> links;
  std::vector<FlowStats> flows;
  std::vector<std::int64_t> late;  // flow * thresholds + threshold
  std::vector<Time> delay_thresholds;
  Trace* trace = nullptr;  // not owned; null where nothing is traced
  Tally* tally = nullptr;  // not owned; null where, or while, nothing is counted apart

  void enter(PacketId id, Time now);  // a packet enters the link of its present hop
  void count_delivery(const Packet& packet, Time now) noexcept;
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_CORE_H_
