// SPDX-License-Identifier: Apache-2.0
// The dual queue of L4S; the caller states a packet's class.
#include "scheduling/dualpi2.h"

#include "host.h"

namespace ecnomy_testing {
namespace {

class DualQueue : public Scheduler {
 public:
  explicit DualQueue(ecnomy::DualPi2 law) : law_(std::move(law)) {}

  void arrive(std::size_t service, const MarkedPacket& p, bool busy, Ps now) override {
    const bool l4s = service == ecnomy::CodepointClass::kL4s;
    law_.arrive(service, {std::get<0>(p), std::get<1>(p), std::get<2>(p), std::get<3>(p), l4s},
                busy, now);
  }
  int drop(bool overflow, Ps now) override { return law_.drop(overflow, now); }
  void settle(Ps now) override { law_.settle(now); }
  Drawing draw_next(Ps now, const Draws& draws) override {
    Uniforms uniforms(draws);
    const auto served = law_.next(now, uniforms);
    return {static_cast<int>(served.service), served.mark, served.waited, served.drop,
            uniforms.used()};
  }
  std::vector<ClassRow> classes() override {
    std::vector<ClassRow> rows;
    for (std::size_t n = 0; n < law_.classes(); ++n) {
      rows.emplace_back(law_.queue(n).packets(), law_.queue(n).bytes(), law_.settled(n),
                        law_.credit_bytes(), 0.0, law_.queue(n).loss());
    }
    return rows;
  }

 private:
  ecnomy::DualPi2 law_;
};

const bool registered = [] {
  registry().scheduling[ecnomy::DualPi2::kName] = {
      rows_of(ecnomy::DualPi2::kParameters), ecnomy::CodepointClass::kName,
      rows_of(ecnomy::CodepointClass::kParameters),
      [](const std::vector<double>& values, const std::vector<std::vector<double>>& classes,
         std::int64_t rate_bps) -> std::unique_ptr<Scheduler> {
        return std::make_unique<DualQueue>(ecnomy::DualPi2(values.data(), classes, rate_bps));
      }};
  registry().codepoint_class = [](bool ect, bool ce, bool ect_1) {
    return ecnomy::CodepointClass::of({0, 1500, ect, ce, ect_1});
  };
  return true;
}();

}  // namespace
}  // namespace ecnomy_testing
