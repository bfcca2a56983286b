// SPDX-License-Identifier: LGPL-3.0-or-later
// host/tcp/segment_sender.h with a HostedWindow instead of a WindowHost, so that flows on INET can have custom window
// laws. The sender has the same source code as in the built-in engine, compiled for another law host under another
// name. Files in this folder must include that header through this one.
#ifndef ECNOMY_INET_TCP_HOSTEDSENDER_H_
#define ECNOMY_INET_TCP_HOSTEDSENDER_H_

#include <type_traits>

#include "tcp/HostedWindow.h"

namespace ecnomy {
using HostedWindow = omnet::HostedWindow;
}

#define WindowHost HostedWindow
#define SenderSetup HostedSetup
#define SegmentSender HostedSender
#include "host/tcp/segment_sender.h"
#undef WindowHost
#undef SenderSetup
#undef SegmentSender

namespace ecnomy::omnet {

static_assert(std::is_same_v<decltype(HostedSetup::law), HostedWindow>,
              "host/tcp/segment_sender.h was included by another header");

// The setup that flows share. The plans must outlive it. Throws BadParameter.
HostedSetup hostedSetup(const TransportPlan& transport, const SourcePlan* source);

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_HOSTEDSENDER_H_
