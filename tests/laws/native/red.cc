// SPDX-License-Identifier: Apache-2.0
#include "marking/red.h"

#include "marking_host.h"

namespace ecnomy_testing {
namespace {
const bool registered =
    register_marking<ecnomy::Red>([](const ecnomy::Red& law) { return law.average(); });
}  // namespace
}  // namespace ecnomy_testing
