// SPDX-License-Identifier: Apache-2.0
#include "marking/pie.h"

#include "marking_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_marking<ecnomy::Pie>(nullptr);
}  // namespace
}  // namespace ecnomy_testing
