// SPDX-License-Identifier: LGPL-3.0-or-later
// A result filter and a recorder for @statistic, which know the warm-up and record no NaN.
//
//   source="held(x)"   x is a state: the value that it had before the end of the warm-up (warmup-period) is its
//                      value at that time, whether or not it changes afterwards. Needs autoWarmupFilter=false.
//   record=average     sum of value times weight over the sum of weights (Weighted.h; 1 where a value comes
//                      without), and no scalar where that is 0
#include <cmath>

#include "results/Weighted.h"

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
    if (omnetpp::simTime() > warm) begin(warm);  // else nothing was measured
  }

 private:
  void begin(simtime_t_cref warm) {
    if (begun_ || std::isnan(before_)) return;
    begun_ = true;
    fire(this, warm, before_, nullptr);
  }

  double before_ = NAN;
  bool begun_ = false;  // something has been let through
};

Register_ResultFilter2("held", HeldFilter,
                       "A state as the measured time has it: what it was before the end of the "
                       "warm-up is its value then.");

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
                         "The mean of the values, each by what it stands for; nothing where there "
                         "are none.");

}  // namespace ecnomy::omnet
