// SPDX-License-Identifier: Apache-2.0
#include "marking/load_based.h"

#include "marking_host.h"

namespace ecnomy_testing {
namespace {
const bool registered =
    register_marking<ecnomy::LoadBased>([](const ecnomy::LoadBased& law) { return law.load(); });
}  // namespace
}  // namespace ecnomy_testing
