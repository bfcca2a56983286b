// SPDX-License-Identifier: Apache-2.0
#include "window/primal.h"

#include "window_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_window<ecnomy::Primal>();
}  // namespace
}  // namespace ecnomy_testing
