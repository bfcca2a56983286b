// SPDX-License-Identifier: LGPL-3.0-or-later
// INET's PPP with a configurable frame overhead, so that a frame has as many bytes on the wire as in the plan: the IPv4
// datagram, followed by `framing` bytes (0 or more) without content.
#ifndef ECNOMY_INET_NODE_MARKETPPP_H_
#define ECNOMY_INET_NODE_MARKETPPP_H_

#include "inet/linklayer/ppp/Ppp.h"

namespace ecnomy::omnet {

class MarkingQueue;

class MarketPpp : public inet::Ppp {
 protected:
  void initialize(int stage) override;
  void startTransmitting() override;
  void encapsulate(inet::Packet* packet) override;
  void decapsulate(inet::Packet* packet) override;
  void handleLowerPacket(inet::Packet* packet) override;
  void handleSelfMessage(omnetpp::cMessage* message) override;
  void refreshOutGateConnection(bool connected) override;

 private:
  MarkingQueue* sendingQueue() const;
  void receive(inet::Packet* packet, bool lost);
  short colour(const inet::Packet* frame) const;
  omnetpp::simtime_t transmission(const inet::Packet* frame) const;

  inet::B framing_{0};
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_NODE_MARKETPPP_H_
