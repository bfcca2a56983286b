// SPDX-License-Identifier: Apache-2.0
#include "marking/sred.h"

#include "marking_host.h"

namespace ecnomy_testing {
namespace {
const bool registered =
    register_marking<ecnomy::Sred>([](const ecnomy::Sred& law) { return law.hit_frequency(); });
}  // namespace
}  // namespace ecnomy_testing
