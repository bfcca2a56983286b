// SPDX-License-Identifier: LGPL-3.0-or-later
// The IPv4 datagram in a frame of an interface's queue. It is the whole frame (PPP) or follows an Ethernet header.
#ifndef ECNOMY_INET_QUEUE_IPFRAME_H_
#define ECNOMY_INET_QUEUE_IPFRAME_H_

#include <cstdint>

#include "inet/common/packet/Packet.h"
#include "inet/networklayer/common/EcnTag_m.h"

namespace ecnomy::omnet {

struct IpFrame {
  inet::b offset{0};  // beginning of the network layer's packet
  bool ipv4 = false;  // only such a datagram can be marked
  bool ect = false;   // ECN-capable, whether marked or not
  bool ce = false;
  bool ect1 = false;
  std::int32_t bytes = 0;  // size of the network layer's packet, without padding
};

// The ECN field of a packet that leaves its host: ECT(0) unless the plan has ECT(1). INET's own TCP sends all
// ECN-capable packets as ECT(1).
inline inet::IpEcnCode ecnField(bool ect, bool ect1) {
  if (!ect) return inet::IP_ECN_NOT_ECT;
  return ect1 ? inet::IP_ECN_ECT_1 : inet::IP_ECN_ECT_0;
}

IpFrame readFrame(const inet::Packet* packet);

// Sets CE in the datagram. The caller must have checked that it is ECT.
void markFrame(inet::Packet* packet);

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_QUEUE_IPFRAME_H_
