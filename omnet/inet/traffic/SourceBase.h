// SPDX-License-Identifier: LGPL-3.0-or-later
// What all senders share: parameters, announcement to the market, start times, streams. A sender is the
// submodule of a Source that acts; the Source holds the parameters, its submodules `traffic` and `window`
// (not for datagrams) those of the laws.
#ifndef ECNOMY_INET_TRAFFIC_SOURCEBASE_H_
#define ECNOMY_INET_TRAFFIC_SOURCEBASE_H_

#include <omnetpp.h>

#include "inet/common/INETDefs.h"
#include "inet/networklayer/common/L3Address.h"
#include "laws/random/stream.h"
#include "market/MarketBridge.h"
#include "results/FlowFigures.h"

namespace ecnomy::omnet {

class SourceBase : public omnetpp::cSimpleModule, public ISource, public ISampled {
 public:
  void sample(const Sample& sample) override;

  double heldWeight(int) const override { return knob("weight"); }
  double heldWillingness() const override { return knob("willingness"); }

 protected:
  std::string path(bool ack) const override;
  int numInitStages() const override { return inet::NUM_INIT_STAGES; }
  // LOCAL: reads and announces. APPLICATION_LAYER: openMembers, and the starts are scheduled.
  void initialize(int stage) override;
  void handleMessage(omnetpp::cMessage* message) override;

  virtual void openMembers() = 0;            // the books are open
  virtual void startMember(int member) = 0;  // at its start time
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
