// SPDX-License-Identifier: LGPL-3.0-or-later
// The flavour of INET's TCP that hosts ecnomy's window laws. It forwards INET's callbacks to a FlowSender and a
// FlowReceiver, which make the decisions. INET's own window arithmetic is not used.
//
// A connection of a TcpSource has the transport of its source, at both ends. Any other connection has the transport of
// its host (HostTransport.h), with the law that the flavour's name denotes.
#ifndef ECNOMY_INET_TCP_TCPMARKETFLAVOUR_H_
#define ECNOMY_INET_TCP_TCPMARKETFLAVOUR_H_

#include <memory>
#include <vector>

#include "inet/transportlayer/tcp/TcpAlgorithm.h"
#include "inet/transportlayer/tcp/flavours/TcpTahoeRenoFamilyState_m.h"
#include "tcp/FlowReceiver.h"
#include "tcp/FlowSender.h"
#include "tcp/MarketConnection.h"
#include "tcp/MarketTcp.h"

namespace ecnomy::omnet {

class TcpMarketFlavour : public inet::tcp::TcpAlgorithm, public SenderPort {
 public:
  TcpMarketFlavour() = default;
  ~TcpMarketFlavour() override;

  // ---- calls from MarketConnection
  // True if its transport is that of a source of the market.
  bool planned() const { return planned_; }
  void begins();  // called before the first segment leaves
  // Makes this connection the receiver of the flow that sent this SYN.
  void serve(const inet::tcp::TcpHeader& syn, const inet::L3Address& from,
             const inet::L3Address& to);
  bool sends() const { return flow_ != nullptr; }
  Time synTimeout() const;
  bool synLost();
  void segmentArrives(const inet::Packet& packet, const inet::tcp::TcpHeader& header);
  void heldBeyond(const SeqRange& range) { arrivingAck_.held.push_back(range); }
  void connectedAgain();  // called if a SYN was answered twice
  void ackArrives(const inet::tcp::TcpHeader& header);
  void segmentLeaves(const inet::Packet& packet, inet::tcp::TcpHeader& header);
  std::vector<SeqRange> held();

  // ---- calls from INET
  void initialize() override;
  void established(bool active) override;
  void connectionClosed() override;
  void processTimer(omnetpp::cMessage* timer, inet::tcp::TcpEventCode& event) override;
  void sendCommandInvoked() override;
  void receivedOutOfOrderSegment() override;
  void receiveSeqChanged() override;
  void receivedDataAck(std::uint32_t) override {}
  void receivedDuplicateAck() override {}
  void receivedAckForDataNotYetSent(std::uint32_t) override { conn->sendAck(); }
  void ackSent() override;
  void dataSent(std::uint32_t) override {}
  void segmentRetransmitted(std::uint32_t, std::uint32_t) override {}
  void restartRexmitTimer() override;  // called after a FIN without data has left
  void rttMeasurementCompleteUsingTS(std::uint32_t) override {}
  bool shouldMarkAck() override;
  void processEcnInEstablished() override;

  // ---- calls from a FlowSender
  std::uint32_t waiting(std::uint32_t from) override;
  void emit(const Segment& segment, const Departing& how) override;
  void wakeAt(Time at) override { schedule(paceTimer_, at); }
  void alarmAt(Time at) override { schedule(lossTimer_, at); }
  void windowChanged() override;
  void sever() override;

  // The law of a connection outside the market; "" means the host's law.
  virtual const char* law() const { return ""; }

 protected:
  inet::tcp::TcpStateVariables* createStateVariables() override {
    return new inet::tcp::TcpTahoeRenoFamilyStateVariables();
  }

 private:
  using Variables = inet::tcp::TcpTahoeRenoFamilyStateVariables;

  Variables& variables() { return static_cast<Variables&>(*state); }
  const TransportPlan& plan() const { return *plan_; }
  void adopt(const TransportPlan& plan, bool planned);
  void agree();
  void openOwnFlow();
  void closeOwnFlow();
  void connectFlow();
  TcpAck readAck(const inet::tcp::TcpHeader& header) const;
  bool holdsData() const;
  void schedule(omnetpp::cMessage* timer, Time at);
  void resendFin();
  MarketTcp::Departure departure(const inet::Packet& packet, const inet::tcp::TcpHeader& header);

  MarketTcp* tcp_ = nullptr;
  MarketConnection* connection_ = nullptr;
  FlowSender* flow_ = nullptr;  // the present sender, if any
  std::unique_ptr<FlowSender> ownFlow_;
  FlowStats ownStats_;
  TransportPlan ownPlan_{};
  const TransportPlan* plan_ = nullptr;
  bool planned_ = false;
  int flowIndex_ = -1;
  bool sack_ = false;  // negotiated

  FlowReceiver receiver_;
  TcpAck arrivingAck_;  // content of the segment that is being processed
  std::uint32_t arrivalSeq_ = 0, arrivalBytes_ = 0;
  bool arrivalCwr_ = false, arrivalFin_ = false;
  bool heldBefore_ = false;  // data beyond a gap was held when the segment arrived
  bool acked_ = false;       // an ACK has left

  const Segment* emitted_ = nullptr;  // the segment that is being sent
  Time lastLeaves_ = 0;
  Time finTimeout_ = 0;
  omnetpp::cMessage* paceTimer_ = nullptr;
  omnetpp::cMessage* lossTimer_ = nullptr;
  omnetpp::cMessage* ackTimer_ = nullptr;
  omnetpp::cMessage* finTimer_ = nullptr;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_TCPMARKETFLAVOUR_H_
