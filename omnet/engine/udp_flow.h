// SPDX-License-Identifier: Apache-2.0
// A datagram source (cbr, poisson, video) and its sink. It obeys only the column `active` of a decision.
#ifndef ECNOMY_ENGINE_UDP_FLOW_H_
#define ECNOMY_ENGINE_UDP_FLOW_H_

#include <algorithm>

#include "engine/core.h"
#include "engine/outbox.h"
#include "engine/source.h"
#include "host/traffic_parts.h"

namespace ecnomy::engine {

class UdpFlow {
 public:
  UdpFlow(const SourceConfig& source, std::int32_t flow, Outbox outbox, Stream traffic);

  void start(Core& core, Time now);
  void on_application(Core& core, Time now);  // a datagram is due
  [[gnu::noinline]] void receive(Core& core, PacketId id, Time now);
  void order(const FlowOrder& order) noexcept { active_ = order.active; }
  bool active(Time now) const noexcept;

 private:
  void schedule(Core& core, Time gap);

  const SourceConfig* source_;
  std::int32_t flow_;
  Outbox outbox_;
  Stream stream_;
  DatagramLaw law_;
  Time due_ = 0;   // time of the next datagram, without overhead
  Time last_ = 0;  // time of the last datagram, with overhead
  std::int64_t seq_ = 0;
  bool started_ = false;
  bool active_ = true;
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_UDP_FLOW_H_
