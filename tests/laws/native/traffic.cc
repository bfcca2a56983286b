// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic.h"

#include "host.h"

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

template <class Law>
class PacketsOf : public Traffic {
 public:
  explicit PacketsOf(const double* values) : law_(values) {}
  Drawn first(const Draws& draws) override {
    Uniforms uniforms(draws);
    const Ps value = law_.first(uniforms);
    return {value, uniforms.used()};
  }
  Drawn gap(const Draws& draws) override {
    Uniforms uniforms(draws);
    const Ps value = law_.gap(uniforms);
    return {value, uniforms.used()};
  }

 private:
  Law law_;
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

template <class Law, class Host>
void add() {
  const Rows rows = rows_of(Law::kParameters);
  registry().traffic[Law::kName] = {rows, [rows](const std::vector<double>& values) {
                                      check_count(rows, values);
                                      return std::make_unique<Host>(values.data());
                                    }};
}

bool register_traffic() {
  add<ecnomy::RateCapped, RateCappedOf>();
  add<ecnomy::Cbr, PacketsOf<ecnomy::Cbr>>();
  add<ecnomy::Poisson, PacketsOf<ecnomy::Poisson>>();
  add<ecnomy::Web, WebOf>();
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
