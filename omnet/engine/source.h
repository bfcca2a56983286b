// SPDX-License-Identifier: Apache-2.0
// The data that all flows of one source share. It is stored once per source.
#ifndef ECNOMY_ENGINE_SOURCE_H_
#define ECNOMY_ENGINE_SOURCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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

// The name of a flow's random stream.
inline std::string stream_name(const SourcePlan& source, std::int32_t member, const char* use) {
  return "source/" + source.name + "/" + std::to_string(member) + "/" + use;
}

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

  // Has an effect only for a source of calls.
  void prepare_calls(const Plan& whole) {
    if (plan->traffic.law != Voip::kName) return;
    latest = latest_by(whole.links, *plan);
    if (!Voip(plan->traffic.values.data()).pooled()) return;
    const Stream arrivals(whole.seed, stream_name(*plan, 0, "arrivals"));
    callers = std::make_unique<Callers>(*plan, arrivals, first_flow);
  }

  // Draws the flow's next random error of the RTT. Requires `rtt_errors`.
  double rtt_error(std::int32_t flow) const noexcept {
    return standard_normal((*rtt_errors)[static_cast<std::size_t>(flow - first_flow)]);
  }

  std::int32_t packet_bytes() const noexcept {
    return plan->transport.payload_bytes + plan->transport.header_bytes;
  }

  const SourcePlan* plan;
  std::uint32_t first_hop;      // first hop of the path, in Core::hops
  std::uint32_t first_ack_hop;  // first hop of the ACK path
  std::int32_t first_flow;      // flow of the first member
  std::uint16_t data_flags;     // ECN flags of data
  std::uint16_t other_flags;    // ECN flags of SYNs, retransmissions and ACKs
  TransferSink* transfers;
  std::optional<SenderSetup> sender;  // for TCP flows only
  std::optional<WebTraffic> web;
  std::unique_ptr<std::vector<Stream>> rtt_errors;  // one per member, if the law needs random draws
  std::unique_ptr<Callers> callers;                 // for calls from an unlimited population
  Time latest = 0;                                  // for calls: see latest_by()
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_SOURCE_H_
