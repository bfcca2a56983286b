// SPDX-License-Identifier: Apache-2.0
#include "marking/rem.h"

#include "marking_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_marking<ecnomy::Rem>(
    [](const ecnomy::Rem& law) { return law.price(); });
}  // namespace
}  // namespace ecnomy_testing
