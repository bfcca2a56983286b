// SPDX-License-Identifier: LGPL-3.0-or-later
// host/tcp/segment_sender.h over a HostedWindow in place of a WindowHost, so that flows on INET take window laws of
// the user's own. The sender's text is the built-in engine's, compiled for another host of laws; it has a
// name of its own for that. The only way to that header in this folder.
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
              "host/tcp/segment_sender.h came in by another way");

// What flows share. The plans must outlive it. Throws BadParameter.
HostedSetup hostedSetup(const TransportPlan& transport, const SourcePlan* source);

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_HOSTEDSENDER_H_
