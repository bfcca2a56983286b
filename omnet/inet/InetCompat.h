// SPDX-License-Identifier: LGPL-3.0-or-later
// One interface to INET 4.5, 4.6 and 4.7. Only this file handles differences in their declarations and calls.
// ../Makefile lists the tested versions.
#ifndef ECNOMY_INET_INETCOMPAT_H_
#define ECNOMY_INET_INETCOMPAT_H_

#include <omnetpp.h>

#include <cstring>

#include "inet/common/INETDefs.h"
#include "inet/queueing/base/PacketQueueBase.h"
#include "inet/transportlayer/tcp/Tcp.h"
#include "inet/transportlayer/tcp/TcpConnection.h"

namespace ecnomy::omnet {

// The gate type of functions that push and pull packets.
#if INET_VERSION >= 0x0406
using QueueGate = const omnetpp::cGate;
#else
using QueueGate = omnetpp::cGate;
#endif

class InetQueue : public inet::queueing::PacketQueueBase {
 protected:
  void animatePulled(inet::Packet* packet) const {
#if INET_VERSION >= 0x0406
    animatePullPacket(packet, outputGate, outputGate->getPathEndGate());
#else
    animatePullPacket(packet, outputGate);
#endif
  }
};

class InetTcp : public inet::tcp::Tcp {
 public:
#if INET_VERSION >= 0x0407
  void sendToIp(inet::Packet* segment) override {
    Enter_Method("sendToIp");
    take(segment);
    ++numSegmentsSent;
    segmentToIp(segment);
  }
#else
  void sendFromConn(omnetpp::cMessage* message, const char* gate, int index = -1) override {
    if (std::strcmp(gate, "ipOut") != 0) return Tcp::sendFromConn(message, gate, index);
    Enter_Method("sendFromConn");
    take(message);
    segmentToIp(omnetpp::check_and_cast<inet::Packet*>(message));
  }
#endif

 protected:
  // Sends a connection's segment, which the callee now owns.
  virtual void segmentToIp(inet::Packet* segment) = 0;
};

inline inet::tcp::TcpReceiveQueue& receiveQueueOf(inet::tcp::TcpConnection& connection) {
#if INET_VERSION >= 0x0406
  return *connection.getReceiveQueueForUpdate();
#else
  return *connection.getReceiveQueue();
#endif
}

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_INETCOMPAT_H_
