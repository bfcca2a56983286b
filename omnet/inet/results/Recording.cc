// SPDX-License-Identifier: LGPL-3.0-or-later
// A result filter and a recorder for @statistic. They respect the warm-up and never record NaN.
//
//   source="held(x)"   x is a state: its last value before the end of the warm-up (warmup-period) is its value at
//                      this time, even if it does not change afterwards. Needs autoWarmupFilter=false.
//   record=average     the sum of value times weight, divided by the sum of weights (Weight.h; the weight is 1 if
//                      a value has none); no scalar if the sum of weights is 0
#include <cmath>

#include "results/Weight.h"

namespace ecnomy::omnet {

using omnetpp::cObject;
using omnetpp::cResultFilter;
using omnetpp::simtime_t;
using omnetpp::simtime_t_cref;

class HeldFilter : public omnetpp::cNumericResultFilter {
 protected:
  bool process(simtime_t& t, double& value, cObject*) override {
    const simtime_t warm = omnetpp::getSimulation()->getWarmupPeriod();
    if (t <= warm) {
      before_ = value;
      return false;
    }
    begin(warm);
    begun_ = true;
    return true;
  }
  void finish(cResultFilter*) override {
    const simtime_t warm = omnetpp::getSimulation()->getWarmupPeriod();
    if (omnetpp::simTime() > warm) begin(warm);  // otherwise nothing was measured
  }

 private:
  void begin(simtime_t_cref warm) {
    if (begun_ || std::isnan(before_)) return;
    begun_ = true;
    fire(this, warm, before_, nullptr);
  }

  double before_ = NAN;
  bool begun_ = false;  // a value has passed
};

Register_ResultFilter2("held", HeldFilter,
                       "A state during the measured time: its last value before the end of the "
                       "warm-up is its first value.");

class AverageRecorder : public omnetpp::cNumericResultRecorder {
 protected:
  void collect(simtime_t_cref, double value, cObject* details) override {
    const auto* given = dynamic_cast<const Weight*>(details);
    const double weight = given ? given->value : 1.0;
    sum_ += value * weight;
    weights_ += weight;
  }
  void finish(cResultFilter*) override {
    if (!(weights_ > 0)) return;
    omnetpp::opp_string_map attributes = getStatisticAttributes();
    omnetpp::getEnvir()->recordScalar(getComponent(), getResultName().c_str(), sum_ / weights_,
                                      &attributes);
  }

 private:
  double sum_ = 0, weights_ = 0;
};

Register_ResultRecorder2("average", AverageRecorder,
                         "The mean of the values, each with its weight; no scalar if there "
                         "are no values.");

}  // namespace ecnomy::omnet
