// SPDX-License-Identifier: LGPL-3.0-or-later
// Results at the receiver of a source's flows: deliveredPackets, cePackets, goodput, markRate, ceShare and meanDelay for
// all flows together. They are counts of the books since the last sample (Sample.h), and signals of the module that the
// author of a network sees.
#ifndef ECNOMY_INET_RESULTS_ARRIVALFIGURES_H_
#define ECNOMY_INET_RESULTS_ARRIVALFIGURES_H_

#include <omnetpp.h>

#include <cstdint>

#include "market/MarketBridge.h"
#include "results/Sample.h"

namespace ecnomy::omnet {

class ArrivalFigures {
 public:
  void open(omnetpp::cModule* shown, MarketBridge& market, int source);
  void sample(const Sample& sample);

 private:
  omnetpp::cModule* shown_ = nullptr;
  MarketBridge* market_ = nullptr;
  int first_ = 0, count_ = 0;
  std::int64_t delivered_ = 0, bytes_ = 0, ce_ = 0;  // at the last sample
  double delays_s_ = 0;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_RESULTS_ARRIVALFIGURES_H_
