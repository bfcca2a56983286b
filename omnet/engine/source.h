// SPDX-License-Identifier: Apache-2.0
// What the flows of one source share, and what is told to a flow from outside.
#ifndef ECNOMY_ENGINE_SOURCE_H_
#define ECNOMY_ENGINE_SOURCE_H_

#include <cstdint>

#include "host/plan.h"

namespace ecnomy::engine {

struct SourceConfig {
  const SourcePlan* plan;
  std::uint32_t first_hop;      // of the path, in Core::hops
  std::uint32_t first_ack_hop;  // of the ack path
  std::int32_t first_flow;      // of its members

  std::int32_t packet_bytes() const noexcept {
    return plan->transport.payload_bytes + plan->transport.header_bytes;
  }
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_SOURCE_H_
