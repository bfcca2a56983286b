// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic.h"

#include "traffic_host.h"

namespace ecnomy_testing {
namespace {

class RateCappedOf : public Traffic {
 public:
  explicit RateCappedOf(const double* values) : law_(values) {}
  std::int64_t cap_bps(Ps now) override { return law_.cap_bps(now); }
  Ps lifted_at() override { return law_.lifted_at(); }

 private:
  ecnomy::RateCapped law_;
};

class WebOf : public Traffic {
 public:
  explicit WebOf(const double* values) : law_(values) {}
  Drawn reading(const Draws& draws) override {
    Uniforms uniforms(draws);
    const Ps value = law_.reading(uniforms);
    return {value, uniforms.used()};
  }
  Drawn file_bytes(const Draws& draws) override {
    Uniforms uniforms(draws);
    const std::int64_t value = law_.file_bytes(uniforms);
    return {value, uniforms.used()};
  }

 private:
  ecnomy::Web law_;
};

bool register_traffic() {
  add_traffic<ecnomy::RateCapped, RateCappedOf>();
  add_traffic<ecnomy::Cbr, PacketsOf<ecnomy::Cbr>>();
  add_traffic<ecnomy::Poisson, PacketsOf<ecnomy::Poisson>>();
  add_traffic<ecnomy::Web, WebOf>();
  registry().start = [](Ps at, Ps stagger, Ps spread, std::int64_t index, const Draws& draws) {
    Uniforms uniforms(draws);
    const Ps value = ecnomy::StartLaw{at, stagger, spread}.draw(index, uniforms);
    return Drawn{value, uniforms.used()};
  };
  return true;
}

const bool registered = register_traffic();

}  // namespace
}  // namespace ecnomy_testing
