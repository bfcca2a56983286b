// SPDX-License-Identifier: Apache-2.0
#include "marking/flow_projection.h"

#include "marking_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_marking<ecnomy::FlowProjection>(
    [](const ecnomy::FlowProjection& law) { return law.excess_bytes(); });
}  // namespace
}  // namespace ecnomy_testing
