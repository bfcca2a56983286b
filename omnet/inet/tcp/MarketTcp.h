// SPDX-License-Identifier: LGPL-3.0-or-later
// INET's TCP with the additions that the market needs at a host: connections controlled by ecnomy's flavour, the send
// overhead, ECN codepoints as in the plan, and the count of arriving packets.
#ifndef ECNOMY_INET_TCP_MARKETTCP_H_
#define ECNOMY_INET_TCP_MARKETTCP_H_

#include <optional>
#include <string>
#include <unordered_map>

#include "InetCompat.h"
#include "market/MarketBridge.h"
#include "tcp/FlowSender.h"
#include "tcp/FlowTag.h"
#include "tcp/HostSource.h"

namespace ecnomy::omnet {

class MarketConnection;

class MarketTcp : public InetTcp {
 public:
  // The segment that is being processed.
  struct Arrival {
    Time sent = kNever;  // when it left its host
    bool ce = false;
    std::int64_t bytes = 0;        // size of its IP packet
    const FlowTag* tag = nullptr;  // its tag, if a MarketTcp sent it
  };
  // The departure of the next packet.
  struct Departure {
    Time at = 0;       // not before now
    bool ect = false;  // ECN-capable even if INET would send it as not ECN-capable
    bool notEct = false;
    bool ect1 = false;  // ECT(1) if it is ECN-capable
  };

  // Assigns the connection of this socket, once it is opened, to this flow.
  void expect(int socketId, FlowSender* flow) { expected_[socketId] = flow; }
  FlowSender* claim(int socketId);
  bool receivesAt(const inet::L3Address& address, int port) const;  // for a flow of the market
  // From now on this connection receives for the flow. The previous one is released.
  void serves(int flow, MarketConnection* connection);
  void servesNoLonger(int flow, const MarketConnection* connection);
  MarketBridge* market() { return market_; }
  // The flow of the market to which this host's own connections belong, or nullptr.
  HostSource::Member* payer() { return payer_ ? &*payer_ : nullptr; }
  const Arrival& arrival() const { return arrival_; }
  // Warns, once per run, that a flow needs an echo of each mark but its peer does not send it.
  void warnOfEcho(const std::string& law, const inet::L3Address& peer);
  void departs(const Departure& departure) { departure_ = departure; }

 protected:
  void initialize(int stage) override;
  void handleSelfMessage(omnetpp::cMessage* message) override;
  void reset() override;
  void segmentToIp(inet::Packet* segment) override;
  void handleLowerPacket(inet::Packet* packet) override;
  inet::tcp::TcpConnection* createConnection(int socketId) override;
  void segmentArrivalWhileClosed(inet::Packet* packet,
                                 const inet::Ptr<const inet::tcp::TcpHeader>& header,
                                 inet::L3Address from, inet::L3Address to) override;

 private:
  static constexpr std::int64_t kIpHeader = 20;

  void leave(inet::Packet* packet);
  void count(const inet::Packet& packet, const inet::tcp::TcpHeader& header);

  void joinSource();

  MarketBridge* market_ = nullptr;
  std::optional<HostSource::Member> payer_;
  std::unordered_map<int, FlowSender*> expected_;
  std::unordered_map<int, MarketConnection*> serving_;  // by flow
  Arrival arrival_;
  Departure departure_;
  static bool warnedOfEcho_;  // has warned in this run
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_MARKETTCP_H_
