// SPDX-License-Identifier: Apache-2.0
#include "marking/choke.h"

#include "marking_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_marking<ecnomy::Choke>(nullptr);
}  // namespace
}  // namespace ecnomy_testing
