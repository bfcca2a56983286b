// SPDX-License-Identifier: LGPL-3.0-or-later
// A connection of INET's TCP that leaves some of INET's tasks to ecnomy's flavour: the timers of the handshake,
// selective ACKs, and the times and ECN codepoints of departing segments. With another flavour it behaves as in INET.
#ifndef ECNOMY_INET_TCP_MARKETCONNECTION_H_
#define ECNOMY_INET_TCP_MARKETCONNECTION_H_

#include "inet/transportlayer/tcp/TcpConnection.h"

namespace ecnomy::omnet {

class TcpMarketFlavour;

class MarketConnection : public inet::tcp::TcpConnection {
 public:
  // `ofMarket` is true if the connection is for a flow of the market.
  static MarketConnection* make(inet::tcp::Tcp& tcp, int socketId, bool ofMarket);
  void adopt(TcpMarketFlavour* flavour) { flavour_ = flavour; }
  void release();  // ends it without a message to its peer

  void sendAck() override;
  void startSynRexmitTimer() override;
  void sendToIP(inet::Packet* packet, const inet::Ptr<inet::tcp::TcpHeader>& header) override;

 protected:
  using Header = inet::Ptr<const inet::tcp::TcpHeader>;
  using Event = inet::tcp::TcpEventCode;

  void sendToIP(inet::Packet* packet, const inet::Ptr<inet::tcp::TcpHeader>& header,
                inet::L3Address from, inet::L3Address to) override;
  void process_ACCEPT(Event& event, inet::TcpCommand* command, omnetpp::cMessage* message) override;
  void sendIndicationToApp(int code, const int id = 0) override;
  bool performStateTransition(const Event& event) override;
  void process_OPEN_ACTIVE(Event& event, inet::TcpCommand* command,
                           omnetpp::cMessage* message) override;
  void process_TIMEOUT_SYN_REXMIT(Event& event) override;
  Event process_RCV_SEGMENT(inet::Packet* packet, const Header& header, inet::L3Address from,
                            inet::L3Address to) override;
  Event processSynInListen(inet::Packet* packet, const Header& header, inet::L3Address from,
                           inet::L3Address to) override;
  Event processSegmentInSynSent(inet::Packet* packet, const Header& header, inet::L3Address from,
                                inet::L3Address to) override;
  bool processAckInEstabEtc(inet::Packet* packet, const Header& header) override;
  bool processSACKOption(const Header& header, const inet::tcp::TcpOptionSack& option) override;
  inet::tcp::TcpConnection* cloneListeningConnection() override;
  void selectInitialSeqNum() override;
  inet::tcp::TcpHeader writeHeaderOptions(const inet::Ptr<inet::tcp::TcpHeader>& header) override;

 private:
  void addHeld(inet::tcp::TcpHeader& header) const;

  TcpMarketFlavour* flavour_ = nullptr;
  bool forked_ = false;  // forked off a listening connection
  bool composesAck_ = false;
  bool peerClosed_ = false;  // the peer closed it before the application accepted it
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_MARKETCONNECTION_H_
