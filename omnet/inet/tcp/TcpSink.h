// SPDX-License-Identifier: LGPL-3.0-or-later
// The receiving end of a source's connections. It accepts all connections and discards all data. It does not close
// connections (see TcpMember.h).
#ifndef ECNOMY_INET_TCP_TCPSINK_H_
#define ECNOMY_INET_TCP_TCPSINK_H_

#include <omnetpp.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "inet/common/INETDefs.h"
#include "inet/networklayer/common/L3Address.h"
#include "inet/transportlayer/contract/tcp/TcpSocket.h"
#include "market/MarketBridge.h"
#include "results/ArrivalFigures.h"

namespace ecnomy::omnet {

class TcpSink : public omnetpp::cSimpleModule, public ISampled, private inet::TcpSocket::ICallback {
 public:
  void sample(const Sample& sample) override { figures_.sample(sample); }

 protected:
  int numInitStages() const override { return inet::NUM_INIT_STAGES; }
  void initialize(int stage) override;
  void handleMessage(omnetpp::cMessage* message) override;
  void refreshDisplay() const override;

 private:
  void checkSource();
  void countSockets();
  void listen();

  void socketDataArrived(inet::TcpSocket* socket, inet::Packet* packet, bool urgent) override;
  void socketAvailable(inet::TcpSocket* socket, inet::TcpAvailableInfo* info) override;
  void socketEstablished(inet::TcpSocket*) override {}
  void socketPeerClosed(inet::TcpSocket*) override;
  void socketClosed(inet::TcpSocket* socket) override { forget(socket); }
  void socketFailure(inet::TcpSocket* socket, int) override { forget(socket); }
  void socketStatusArrived(inet::TcpSocket*, inet::TcpStatusInfo*) override {}
  void socketDeleted(inet::TcpSocket*) override {}
  void forget(inet::TcpSocket* socket);

  inet::L3Address address_;
  int port_ = 0, count_ = 0;
  std::vector<inet::TcpSocket> listening_;                             // by member
  std::unordered_map<int, std::unique_ptr<inet::TcpSocket>> sockets_;  // by socket id
  std::vector<std::unique_ptr<inet::TcpSocket>> gone_;  // kept until their callbacks return
  std::int64_t accepted_ = 0, closed_ = 0, bytes_ = 0;
  ArrivalFigures figures_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_TCPSINK_H_
