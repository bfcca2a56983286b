// SPDX-License-Identifier: Apache-2.0
#include "window/round_trip.h"

#include "host.h"

namespace ecnomy_testing {
namespace {

class RoundTripOf : public RoundTripHost {
 public:
  void sample(Ps now, Ps rtt) override { law_.sample(now, rtt); }
  bool known() override { return law_.known(); }
  Ps min() override { return law_.min(); }
  Ps mean() override { return law_.mean(); }
  Ps for_weight() override { return law_.for_weight(law_.mean()); }
  bool saturated() override { return law_.saturated(law_.mean()); }

 private:
  ecnomy::RoundTrip law_;
};

bool register_round_trip() {
  registry().round_trip = [] { return std::make_unique<RoundTripOf>(); };
  return true;
}

const bool registered = register_round_trip();

}  // namespace
}  // namespace ecnomy_testing
