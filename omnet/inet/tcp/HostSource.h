// SPDX-License-Identifier: LGPL-3.0-or-later
// Ordinary applications as a source of the market. Each MarketTcp that names this source is one of its flows, and the
// connections of a host share the flow's order evenly.
#ifndef ECNOMY_INET_TCP_HOSTSOURCE_H_
#define ECNOMY_INET_TCP_HOSTSOURCE_H_

#include <string>
#include <vector>

#include "market/MarketBridge.h"
#include "tcp/FlowSender.h"

namespace ecnomy::omnet {

class HostSource : public ISource {
 public:
  // One host of the source.
  class Member {
   public:
    Member(HostSource& source, int number) : source_(&source), number_(number) {}
    // Valid from INITSTAGE_PHYSICAL_ENVIRONMENT on.
    int flow() const;
    FlowSender::Identity identity() const;
    FlowStats& stats() const;
    void opened(FlowSender& connection);
    void closed(const FlowSender& connection);

   private:
    HostSource* source_;
    int number_;
  };

  // Called in INITSTAGE_LOCAL. The module's parameter `source` is the source's name; its first host registers it.
  // Throws cRuntimeError if the paths of a source's hosts differ. The plan has the first host's transport.
  static Member join(MarketBridge& market, const omnetpp::cModule& tcp,
                     const TransportPlan& transport);

  // ISource
  void takeOrder(int member, const FlowOrder& order) override;
  FlowState state(int member) override;
  double heldWeight(int member) const override;
  double heldWillingness() const override;
  std::string path(bool ack) const override;

 private:
  struct Host {
    const omnetpp::cModule* tcp;
    std::vector<FlowSender*> connections;
    FlowOrder order{-1, -1, -1, true, -1};
    double closedIntegral = 0;  // integral of cwnd over closed connections
  };

  explicit HostSource(MarketBridge& market) : market_(&market) {}
  void shareOut(Host& host);
  FlowStats& stats(int member) { return market_->flow(market_->firstFlow(index_) + member); }

  MarketBridge* market_;
  int index_ = -1;
  std::vector<Host> hosts_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_HOSTSOURCE_H_
