// SPDX-License-Identifier: Apache-2.0
// The scheduler by weights, and the parameters of its classes.
#include "scheduling/deficit_round_robin.h"

#include "host.h"

namespace ecnomy_testing {
namespace {

class RoundRobin : public Scheduler {
 public:
  explicit RoundRobin(ecnomy::DeficitRoundRobin law) : law_(std::move(law)) {}

  void arrive(std::size_t service, const MarkedPacket& p, bool busy, Ps now) override {
    law_.arrive(service, {std::get<0>(p), std::get<1>(p), std::get<2>(p), std::get<3>(p)}, busy,
                now);
  }
  int drop(bool refused, Ps now) override { return law_.drop(refused, now); }
  void settle(Ps now) override { law_.settle(now); }
  Served next(Ps now) override {
    const auto served = law_.next(now);
    return {static_cast<int>(served.service), false, served.waited};
  }
  std::vector<ClassRow> classes() override {
    std::vector<ClassRow> rows;
    for (std::size_t n = 0; n < law_.classes(); ++n) {
      rows.emplace_back(law_.queue(n).packets(), law_.queue(n).bytes(),
                        static_cast<double>(law_.deficit_bytes(n)),
                        static_cast<double>(law_.quantum_bytes(n)),
                        static_cast<double>(law_.view(n, 0).rate_bps), law_.queue(n).loss());
    }
    return rows;
  }
  Ps idle_since(std::size_t service, Ps now) override { return law_.view(service, now).idle_since; }

 private:
  ecnomy::DeficitRoundRobin law_;
};

const bool registered = [] {
  registry().scheduling[ecnomy::DeficitRoundRobin::kName] = {
      rows_of(ecnomy::DeficitRoundRobin::kParameters), ecnomy::WeightedClass::kName,
      rows_of(ecnomy::WeightedClass::kParameters),
      [](const std::vector<double>& values, const std::vector<std::vector<double>>& classes,
         std::int64_t rate_bps) -> std::unique_ptr<Scheduler> {
        return std::make_unique<RoundRobin>(
            ecnomy::DeficitRoundRobin(values.data(), classes, rate_bps));
      }};
  return true;
}();

}  // namespace
}  // namespace ecnomy_testing
