// SPDX-License-Identifier: LGPL-3.0-or-later
// What results show of a source's flows, at its two ends: signals of what the books have counted since the
// last sample (Sample.h), emitted by the modules that a network's author sees.
#ifndef ECNOMY_INET_RESULTS_FLOWFIGURES_H_
#define ECNOMY_INET_RESULTS_FLOWFIGURES_H_

#include <omnetpp.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "market/MarketBridge.h"
#include "results/Sample.h"

namespace ecnomy::omnet {

// At the receiver: deliveredPackets, cePackets, goodput, markRate and ceShare of all flows together.
class ArrivalFigures {
 public:
  void open(omnetpp::cModule* shown, MarketBridge& market, int source);
  void sample(const Sample& sample);

 private:
  omnetpp::cModule* shown_ = nullptr;
  MarketBridge* market_ = nullptr;
  int first_ = 0, count_ = 0;
  std::int64_t delivered_ = 0, bytes_ = 0, ce_ = 0;  // by the last sample
};

// At the sender: sentPackets, lostPackets and ackedRate of all flows together; and each flow's cwnd-I, rate-I
// and rtt-I where the market's series have them and its row is of one flow.
class SendingFigures {
 public:
  void open(omnetpp::cModule* shown, MarketBridge& market, int source);
  void sample(const Sample& sample, ISource& host);

 private:
  using Signals = std::vector<omnetpp::simsignal_t>;  // by member; empty where nobody wants them

  Signals series(const char* name) const;
  void sampleMember(const Sample& sample, std::size_t member, const FlowState& state);

  omnetpp::cModule* shown_ = nullptr;
  MarketBridge* market_ = nullptr;
  int first_ = 0, count_ = 0;
  std::int64_t sent_ = 0, lost_ = 0, acked_ = 0;  // by the last sample; bytes
  std::vector<std::int64_t> ackedEach_;
  Signals cwnd_, rate_, rtt_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_RESULTS_FLOWFIGURES_H_
