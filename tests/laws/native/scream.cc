// SPDX-License-Identifier: Apache-2.0
#include "window/scream.h"

#include "window_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_window<ecnomy::Scream>();
}  // namespace
}  // namespace ecnomy_testing
