// SPDX-License-Identifier: Apache-2.0
#include "marking/adaptive_virtual_queue.h"

#include "marking_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_marking<ecnomy::AdaptiveVirtualQueue>(
    [](const ecnomy::AdaptiveVirtualQueue& law) { return law.capacity_share(); });
}  // namespace
}  // namespace ecnomy_testing
