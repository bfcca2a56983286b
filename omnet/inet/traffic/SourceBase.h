// SPDX-License-Identifier: LGPL-3.0-or-later
// The common part of all senders: parameters, registration with the market, start times and streams. A sender is the
// active submodule of a Source. The Source has the parameters; its submodules `traffic` and `window` (not for
// datagrams) have the parameters of the laws.
#ifndef ECNOMY_INET_TRAFFIC_SOURCEBASE_H_
#define ECNOMY_INET_TRAFFIC_SOURCEBASE_H_

#include <omnetpp.h>

#include "inet/common/INETDefs.h"
#include "inet/networklayer/common/L3Address.h"
#include "laws/random/stream.h"
#include "market/MarketBridge.h"
#include "results/SendingFigures.h"

namespace ecnomy::omnet {

class SourceBase : public omnetpp::cSimpleModule, public ISource, public ISampled {
 public:
  void sample(const Sample& sample) override;

  double heldWeight(int) const override { return knob("weight"); }
  double heldWillingness() const override { return knob("willingness"); }

 protected:
  std::string path(bool ack) const override;
  int numInitStages() const override { return inet::NUM_INIT_STAGES; }
  // In stage LOCAL it reads the parameters and registers. In stage APPLICATION_LAYER it calls openMembers and schedules
  // the starts.
  void initialize(int stage) override;
  void handleMessage(omnetpp::cMessage* message) override;

  virtual void openMembers() = 0;            // called when the books are open
  virtual void startMember(int member) = 0;  // called at the member's start time
  virtual void handleOther(omnetpp::cMessage* message) = 0;

  const SourcePlan& plan() const { return plan_; }
  int index() const { return index_; }
  int flowOf(int member) const { return firstFlow_ + member; }
  FlowStats& stats(int member) { return market_->flow(flowOf(member)); }
  // `use` is "traffic", "overhead" or "start".
  Stream stream(int member, const char* use) const;
  bool stopped() const { return plan_.stop_ps >= 0 && now() >= plan_.stop_ps; }

  SourcePlan plan_;
  MarketBridge* market_ = nullptr;
  inet::L3Address local_, remote_;
  int port_ = 0;

 private:
  Time startOf(int member) const;
  double knob(const char* name) const;

  int index_ = -1;
  int firstFlow_ = 0;
  SendingFigures figures_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TRAFFIC_SOURCEBASE_H_
