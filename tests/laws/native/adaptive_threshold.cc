// SPDX-License-Identifier: Apache-2.0
#include "marking/adaptive_threshold.h"

#include "marking_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_marking<ecnomy::AdaptiveThreshold>(
    [](const ecnomy::AdaptiveThreshold& law) { return law.threshold_bytes(); });
}  // namespace
}  // namespace ecnomy_testing
