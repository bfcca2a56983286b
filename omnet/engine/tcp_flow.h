// SPDX-License-Identifier: Apache-2.0
// A TCP flow: the sender that both engines share (host/tcp), its receiver, and the traffic that drives them.
//
//   tcp_flow.cc      the flow's start, connections, files and orders from the market
//   tcp_port.h       the engine's services for the sender: packets and events
//   tcp_receive.cc   arriving packets, and the receiving host with its ACKs, delayed or not
//
// Sequence numbers count segments, and continue from connection to connection. There is a SYN exchange
// (which yields the first RTT) but no FIN.
#ifndef ECNOMY_ENGINE_TCP_FLOW_H_
#define ECNOMY_ENGINE_TCP_FLOW_H_

#include <cstdint>
#include <memory>

#include "engine/core.h"
#include "engine/files.h"
#include "engine/outbox.h"
#include "engine/source.h"
#include "engine/tcp_receiver.h"
#include "host/tcp/segment_sender.h"

namespace ecnomy::engine {

class TcpFlow {
 public:
  TcpFlow(const SourceConfig& source, std::int32_t flow, Outbox outbox, Stream traffic);

  void start(Core& core, Time now);
  void on_application(Core& core, Time now);
  Time depart(Core& core, Time now) { return outbox_.depart(core, now); }
  void on_pace(Core& core, Time now);
  void on_timeout(Core& core, Time now);
  [[gnu::noinline]] void on_delayed_ack(Core& core, Time now);
  // It is not inlined, because in the event loop it would take registers from every event.
  [[gnu::noinline]] void receive(Core& core, PacketId id, Time now);
  void order(Core& core, const FlowOrder& order, Time now);

  FlowState state(Time now) const noexcept;

 private:
  struct Port;

  const TransportPlan& transport() const noexcept { return source_->plan->transport; }
  FlowStats& stats(Core& core) const noexcept {
    return core.flows[static_cast<std::size_t>(flow_)];
  }

  // tcp_flow.cc
  void open(Core& core, std::int64_t file_bytes, Time now);
  void send_syn(Core& core, bool again, Time now);
  void await_file(Core& core, Time now);
  void on_step(Core& core, Time now);
  void next_file(Core& core, Time now);
  void finish_file(Core& core, bool complete, Time now);
  std::int32_t segment_bytes(std::int64_t seq) const noexcept;

  // tcp_receive.cc
  // These two are not inlined: data would save the registers that only ACKs use.
  [[gnu::noinline]] void receive_ack(Core& core, PacketId id, Time now);
  [[gnu::noinline]] void receive_data(Core& core, PacketId id, Time now);
  [[gnu::noinline]] void put_off_ack(Core& core, Time now);
  void acknowledge(Core& core, PacketId id, std::uint16_t keep, Time now);
  [[gnu::noinline]] void report_held(Core& core, PacketId id);
  [[gnu::noinline]] bool note_blocks(Core& core, PacketId id);

  // The members are ordered by use: those that nearly every packet accesses come first, so that they share cache lines.
  const SourceConfig* source_;
  std::int32_t flow_;
  std::uint16_t connection_ = 0;
  bool ack_event_ = false;  // an event for the delayed ACK is scheduled
  TcpReceiver receiver_;
  SegmentSender sender_;
  Outbox outbox_;
  Time ack_due_ = 0;  // when the delayed ACK leaves
  std::unique_ptr<Files> files_;
  std::int32_t last_segment_bytes_ = 0;  // payload of a file's last segment
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_TCP_FLOW_H_
