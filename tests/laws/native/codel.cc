// SPDX-License-Identifier: Apache-2.0
#include "marking/codel.h"

#include "marking_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_marking<ecnomy::Codel>(nullptr);
}  // namespace
}  // namespace ecnomy_testing
