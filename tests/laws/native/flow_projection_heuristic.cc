// SPDX-License-Identifier: Apache-2.0
#include "marking/flow_projection_heuristic.h"

#include "marking_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_marking<ecnomy::FlowProjectionHeuristic>(
    [](const ecnomy::FlowProjectionHeuristic& law) { return law.excess_bytes(); });
}  // namespace
}  // namespace ecnomy_testing
