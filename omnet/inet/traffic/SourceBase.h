// SPDX-License-Identifier: Apache-2.0
// What all sources share: parameters, announcement to the market, start times, streams.
#ifndef ECNOMY_INET_TRAFFIC_SOURCEBASE_H_
#define ECNOMY_INET_TRAFFIC_SOURCEBASE_H_

#include <omnetpp.h>

#include "inet/common/INETDefs.h"
#include "inet/networklayer/common/L3Address.h"
#include "laws/random/stream.h"
#include "market/MarketBridge.h"

namespace ecnomy::omnet {

class SourceBase : public omnetpp::cSimpleModule, public ISource {
 protected:
  int numInitStages() const override { return inet::NUM_INIT_STAGES; }
  void initialize(
      int stage) override;  // LOCAL: reads and announces; APPLICATION_LAYER: startMember

  // The source's compound module holds it, `traffic` and `window` (for datagrams without).
  virtual void openMembers() = 0;            // once, in INITSTAGE_APPLICATION_LAYER, books are open
  virtual void startMember(int member) = 0;  // at its start time

  // Calls `act` at `at`, which is not before now.
  const SourcePlan& plan() const { return plan_; }
  int flowOf(int member) const { return firstFlow_ + member; }
  FlowStats& stats(int member) { return market_->flow(flowOf(member)); }
  Stream stream(int member, const char* use) const;  // "traffic", "overhead", "start"
  Time startOf(int member) const;

  SourcePlan plan_;
  MarketBridge* market_ = nullptr;
  int index_ = -1;
  int firstFlow_ = 0;
  inet::L3Address local_, remote_;
  int port_ = 0;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TRAFFIC_SOURCEBASE_H_
