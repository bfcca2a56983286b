// SPDX-License-Identifier: Apache-2.0
// What the flows of one source share, so that no flow carries it.
#ifndef ECNOMY_ENGINE_SOURCE_H_
#define ECNOMY_ENGINE_SOURCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/packet.h"
#include "host/accounts.h"
#include "host/callers.h"
#include "host/plan.h"
#include "host/tcp/segment_sender.h"
#include "host/traffic_parts.h"
#include "laws/random/inversion.h"
#include "laws/random/stream.h"

namespace ecnomy::engine {

struct SourceConfig {
  // The plan and the sink must outlive it.
  SourceConfig(const SourcePlan& source, std::uint32_t hop, std::uint32_t ack_hop,
               std::int32_t flow, TransferSink* sink)
      : plan(&source),
        first_hop(hop),
        first_ack_hop(ack_hop),
        first_flow(flow),
        data_flags(ect_flags(source.transport.ect, source.transport.ect_1)),
        other_flags(ect_flags(source.transport.ect_all, source.transport.ect_1)),
        transfers(sink) {
    if (source.transport.tcp) sender.emplace(source.transport, &source);
    if (source.traffic.law == Web::kName) web.emplace(make_web(source));
  }

  // The next draw of a flow, where there are any.
  double rtt_error(std::int32_t flow) const noexcept {
    return standard_normal((*rtt_errors)[static_cast<std::size_t>(flow - first_flow)]);
  }

  std::int32_t packet_bytes() const noexcept {
    return plan->transport.payload_bytes + plan->transport.header_bytes;
  }

  const SourcePlan* plan;
  std::uint32_t first_hop;      // of the path, in Core::hops
  std::uint32_t first_ack_hop;  // of the ack path
  std::int32_t first_flow;      // of its members
  std::uint16_t data_flags;     // of the ECN field of data
  std::uint16_t other_flags;    // and of SYNs, retransmissions and ACKs
  TransferSink* transfers;
  std::optional<SenderSetup> sender;  // of TCP flows
  std::optional<WebTraffic> web;
  std::unique_ptr<std::vector<Stream>> rtt_errors;  // one a member, of a law that wants draws
  std::unique_ptr<Callers> callers;                 // of calls from a population without limit
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_SOURCE_H_
