// SPDX-License-Identifier: LGPL-3.0-or-later
// Results at the sender of a source's flows: sentPackets, lostPackets and ackedRate for all flows together. Each flow also
// has cwnd-I, rate-I and rtt-I, if the market's series have them and each flow has its own row. They are counts of the
// books since the last sample (Sample.h), and signals of the module that the author of a network sees.
#ifndef ECNOMY_INET_RESULTS_SENDINGFIGURES_H_
#define ECNOMY_INET_RESULTS_SENDINGFIGURES_H_

#include <omnetpp.h>

#include <cstdint>
#include <vector>

#include "market/MarketBridge.h"
#include "results/Sample.h"

namespace ecnomy::omnet {

class SendingFigures {
 public:
  void open(omnetpp::cModule* shown, MarketBridge& market, int source);
  void sample(const Sample& sample, ISource& host);

 private:
  using Signals = std::vector<omnetpp::simsignal_t>;  // by member; empty if not recorded

  Signals series(const char* name) const;
  void sampleMember(const Sample& sample, std::size_t member, const FlowState& state);

  omnetpp::cModule* shown_ = nullptr;
  MarketBridge* market_ = nullptr;
  int first_ = 0, count_ = 0;
  std::int64_t sent_ = 0, lost_ = 0, acked_ = 0;  // at the last sample; acked_ in bytes
  std::vector<std::int64_t> ackedEach_;
  Signals cwnd_, rate_, rtt_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_RESULTS_SENDINGFIGURES_H_
