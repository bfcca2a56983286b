// SPDX-License-Identifier: Apache-2.0
#include "window/cubic.h"

#include "window_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_window<ecnomy::Cubic>();
}  // namespace
}  // namespace ecnomy_testing
