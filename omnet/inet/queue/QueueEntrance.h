// SPDX-License-Identifier: LGPL-3.0-or-later
// The entrance of a CountedQueue. A packet sent to a compound module goes to the simple module at the end of the path.
// The entrance is this simple module, and hands the packet to the CountedQueue.
#ifndef ECNOMY_INET_QUEUE_QUEUEENTRANCE_H_
#define ECNOMY_INET_QUEUE_QUEUEENTRANCE_H_

#include <omnetpp.h>

#include "InetCompat.h"
#include "inet/queueing/base/PacketProcessorBase.h"
#include "inet/queueing/contract/IPassivePacketSink.h"

namespace ecnomy::omnet {

class QueueEntrance : public inet::queueing::PacketProcessorBase,
                      public inet::queueing::IPassivePacketSink {
 public:
  bool supportsPacketPushing(QueueGate*) const override { return true; }
  bool supportsPacketPulling(QueueGate*) const override { return false; }
  bool canPushSomePacket(QueueGate*) const override { return true; }
  bool canPushPacket(inet::Packet*, QueueGate*) const override { return true; }
  void pushPacket(inet::Packet* packet, QueueGate* gate) override;
  void pushPacketStart(inet::Packet*, QueueGate*, inet::bps) override { refuse(); }
  void pushPacketEnd(inet::Packet*, QueueGate*) override { refuse(); }
  void pushPacketProgress(inet::Packet*, QueueGate*, inet::bps, inet::b, inet::b) override {
    refuse();
  }

 protected:
  void handleMessage(omnetpp::cMessage* message) override;

 private:
  [[noreturn]] void refuse() const { throw omnetpp::cRuntimeError("accepts only whole packets"); }
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_QUEUE_QUEUEENTRANCE_H_
