// SPDX-License-Identifier: Apache-2.0
#include "marking/sfb.h"

#include "marking_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_marking<ecnomy::Sfb>(nullptr);
}  // namespace
}  // namespace ecnomy_testing
