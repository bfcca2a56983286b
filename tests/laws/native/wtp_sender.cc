// SPDX-License-Identifier: Apache-2.0
#include "window/wtp_sender.h"

#include "window_host.h"

namespace ecnomy_testing {
namespace {
const bool registered = register_window<ecnomy::WtpSender>();
}  // namespace
}  // namespace ecnomy_testing
