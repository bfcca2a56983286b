// SPDX-License-Identifier: Apache-2.0
#include "marking/virtual_queue.h"

#include "marking_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_marking<ecnomy::VirtualQueue>(
    [](const ecnomy::VirtualQueue& law) { return law.backlog_bytes(); });
}  // namespace
}  // namespace ecnomy_testing
