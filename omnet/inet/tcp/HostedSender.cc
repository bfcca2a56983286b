// SPDX-License-Identifier: LGPL-3.0-or-later
// The sender's source files, compiled for a HostedWindow. They replace ../host/tcp/*.cc (makefrag).
#include "tcp/HostedSender.h"

#define WindowHost HostedWindow
#define SenderSetup HostedSetup
#define SegmentSender HostedSender
#include "host/tcp/segment_sender.cc"
#include "host/tcp/segment_sender_sack.cc"
#undef WindowHost
#undef SenderSetup
#undef SegmentSender

namespace ecnomy::omnet {

HostedSetup hostedSetup(const TransportPlan& transport, const SourcePlan* source) {
  TransportPlan idle = transport;
  idle.window = {HostedWindow::kIdle, HostedWindow::idleValues()};
  HostedSetup setup(idle, source);
  setup.transport = &transport;
  setup.law = HostedWindow(transport.window);
  return setup;
}

}  // namespace ecnomy::omnet
