// SPDX-License-Identifier: Apache-2.0
#include "window/reno.h"

#include "window_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_window<ecnomy::Reno>() && register_window<ecnomy::NewReno>();
}  // namespace
}  // namespace ecnomy_testing
