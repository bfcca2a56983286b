// SPDX-License-Identifier: LGPL-3.0-or-later
// The IPv4 datagram in a frame of an interface's queue: bare (PPP) or behind an Ethernet header.
#ifndef ECNOMY_INET_QUEUE_IPFRAME_H_
#define ECNOMY_INET_QUEUE_IPFRAME_H_

#include <cstdint>

#include "inet/common/packet/Packet.h"

namespace ecnomy::omnet {

struct IpFrame {
  inet::b offset{0};  // where the network layer begins
  bool ipv4 = false;  // only such a datagram can be marked
  bool ect = false;   // ECN-capable, already marked or not
  bool ce = false;
  std::int32_t bytes = 0;  // of the network layer's packet, without padding
};

IpFrame readFrame(const inet::Packet* packet);

// The datagram carries CE from here on; the caller has seen that it is ECT.
void markFrame(inet::Packet* packet);

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_QUEUE_IPFRAME_H_
