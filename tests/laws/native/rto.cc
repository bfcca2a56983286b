// SPDX-License-Identifier: Apache-2.0
#include "window/rto.h"

#include "host.h"

namespace ecnomy_testing {
namespace {

class RtoOf : public RtoHost {
 public:
  RtoOf(Ps initial, Ps min, Ps max) : law_(initial, min, max) {}
  void sample(Ps rtt) override { law_.sample(rtt); }
  void back_off() override { law_.back_off(); }
  Ps rto() override { return law_.rto(); }
  Ps srtt() override { return law_.srtt(); }

 private:
  ecnomy::Rto law_;
};

bool register_rto() {
  registry().rto = [](Ps initial, Ps min, Ps max) {
    return std::make_unique<RtoOf>(initial, min, max);
  };
  return true;
}

const bool registered = register_rto();

}  // namespace
}  // namespace ecnomy_testing
