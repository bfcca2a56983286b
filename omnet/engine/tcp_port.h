// SPDX-License-Identifier: Apache-2.0
// This engine's services for a TCP flow's sender (host/tcp/segment_port.h): packets for its segments, events for its
// timers, and counters of its flow.
#ifndef ECNOMY_ENGINE_TCP_PORT_H_
#define ECNOMY_ENGINE_TCP_PORT_H_

#include "engine/tcp_flow.h"
#include "host/tally.h"

namespace ecnomy::engine {

struct TcpFlow::Port {
  Core& core;
  TcpFlow& flow;

  FlowStats& stats() const noexcept { return flow.stats(core); }
  bool available(std::int64_t) const noexcept { return true; }
  std::int32_t cut(std::int64_t seq, bool) const noexcept { return flow.segment_bytes(seq); }
  Time overhead() noexcept { return flow.outbox_.draw(); }
  void disturb(WindowHost& law) { law.disturb(flow.source_->rtt_error(flow.flow_)); }
  void note_sent(Time now) {
    if (core.tally) core.tally->sent(flow.flow_, now);
  }
  void wake_at(Time at) { schedule(at, EventKind::pace); }
  void alarm_at(Time at) { schedule(at, EventKind::timeout); }
  void all_acked(Time now) { flow.finish_file(core, true, now); }

  void syn_timed_out(Time now) {
    if (flow.sender_.syn_lost(stats(), now)) return flow.send_syn(core, true, now);
    flow.await_file(core, now);
  }

  void emit(const Emission& emission, Time now) {
    const SourceConfig& source = *flow.source_;
    const int ecn = emission.again ? source.other_flags : source.data_flags;
    const PacketId id = core.packets.take();
    core.packets[id] = {.seq = emission.seq,
                        .sent = now,
                        .flow = flow.flow_,
                        .bytes = emission.bytes,
                        .hop = source.first_hop,
                        .flags = static_cast<std::uint16_t>(
                            ecn | (emission.last && !flow.files_->lasting() ? kLast : 0) |
                            (emission.cwr ? kCwr : 0)),
                        .connection = flow.connection_};
    if (emission.gated && flow.outbox_.empty()) return flow.outbox_.leave(core, id, now);
    flow.outbox_.hand_over(core, id, now);
  }

  void schedule(Time at, EventKind kind) {
    core.events.push(at, kind, static_cast<std::uint32_t>(flow.flow_));
  }
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_TCP_PORT_H_
