// SPDX-License-Identifier: Apache-2.0
#include "window/rem_source.h"

#include "window_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_window<ecnomy::RemSource>();
}  // namespace
}  // namespace ecnomy_testing
