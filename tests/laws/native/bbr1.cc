// SPDX-License-Identifier: Apache-2.0
#include "window/bbr1.h"

#include "window_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_window<ecnomy::Bbr1>();
}  // namespace
}  // namespace ecnomy_testing
