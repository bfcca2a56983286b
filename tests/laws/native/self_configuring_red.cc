// SPDX-License-Identifier: Apache-2.0
#include "marking/self_configuring_red.h"

#include "marking_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_marking<ecnomy::SelfConfiguringRed>(
    [](const ecnomy::SelfConfiguringRed& law) { return law.max_probability(); });
}  // namespace
}  // namespace ecnomy_testing
