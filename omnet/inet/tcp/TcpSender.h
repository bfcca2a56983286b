// SPDX-License-Identifier: LGPL-3.0-or-later
// A source's application at its sending host: one TCP connection per flow, or one per file of a flow, one after the
// other. The FlowSenders of the flows decide when segments leave, and receive the market's orders.
#ifndef ECNOMY_INET_TCP_TCPSENDER_H_
#define ECNOMY_INET_TCP_TCPSENDER_H_

#include <memory>
#include <optional>
#include <vector>

#include "laws/traffic/web_user.h"
#include "tcp/MarketTcp.h"
#include "tcp/TcpMember.h"
#include "traffic/SourceBase.h"

namespace ecnomy::omnet {

class TcpSender : public SourceBase {
 public:
  void takeOrder(int member, const FlowOrder& order) override;
  FlowState state(int member) override;
  void sample(const Sample& sample) override;

 protected:
  void openMembers() override;
  void startMember(int member) override;
  void handleOther(omnetpp::cMessage* message) override;
  void refreshDisplay() const override;

 private:
  struct Connected {
    int flows = 0;
    double windows = 0;  // sum of cwnd, packets
  };

  void checkSizes() const;
  void watchWindows();
  Connected connected() const;
  TcpMember& at(int member) { return *members_.at(static_cast<std::size_t>(member)); }

  std::optional<WebTraffic> web_;  // traffic that web users share
  std::vector<std::unique_ptr<TcpMember>> members_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_TCPSENDER_H_
