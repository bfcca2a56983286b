// SPDX-License-Identifier: LGPL-3.0-or-later
// The receiving end of a source's datagrams. It counts them in the market's books, by flow, and discards them. It
// notifies a sender that is an IDeliveryListener.
#ifndef ECNOMY_INET_TRAFFIC_UDPSINK_H_
#define ECNOMY_INET_TRAFFIC_UDPSINK_H_

#include <omnetpp.h>

#include <cstdint>
#include <vector>

#include "inet/common/INETDefs.h"
#include "inet/networklayer/common/L3Address.h"
#include "inet/transportlayer/contract/udp/UdpSocket.h"
#include "market/MarketBridge.h"
#include "results/ArrivalFigures.h"
#include "traffic/IDeliveryListener.h"

namespace ecnomy::omnet {

class UdpSink : public omnetpp::cSimpleModule, public ISampled {
 public:
  void sample(const Sample& sample) override { figures_.sample(sample); }

 protected:
  int numInitStages() const override { return inet::NUM_INIT_STAGES; }
  void initialize(int stage) override;
  void handleMessage(omnetpp::cMessage* message) override;
  void refreshDisplay() const override;

 private:
  void findSource();
  void openSockets();
  void count(const inet::Packet* packet);

  MarketBridge* market_ = nullptr;
  inet::L3Address address_;
  int port_ = 0, count_ = 0;
  int firstFlow_ = -1;
  IDeliveryListener* listener_ = nullptr;  // not owned; null if the sender is not a listener
  std::vector<inet::UdpSocket> sockets_;   // by member

  std::int64_t received_ = 0, marked_ = 0;
  double delaySum_s_ = 0;
  ArrivalFigures figures_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TRAFFIC_UDPSINK_H_
