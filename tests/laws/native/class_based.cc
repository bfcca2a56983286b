// SPDX-License-Identifier: Apache-2.0
// The class scheduler, and the promises to its classes.
#include "host.h"
#include "scheduling/class_scheduler.h"

namespace ecnomy_testing {
namespace {

class SchedulerOf : public Scheduler {
 public:
  explicit SchedulerOf(ecnomy::ClassScheduler law) : law_(std::move(law)) {}

  void arrive(std::size_t service, const MarkedPacket& p, bool busy, Ps now) override {
    law_.arrive(service, {std::get<0>(p), std::get<1>(p), std::get<2>(p), std::get<3>(p)}, busy,
                now);
  }
  int drop(bool overflow, Ps now) override { return law_.drop(overflow, now); }
  void settle(Ps now) override { law_.settle(now); }
  Served next(Ps now) override {
    const auto served = law_.next(now);
    return {static_cast<int>(served.service), served.mark, served.waited};
  }
  std::vector<ClassRow> classes() override {
    std::vector<ClassRow> rows;
    for (std::size_t n = 0; n < law_.classes(); ++n) {
      rows.emplace_back(law_.queue(n).packets(), law_.queue(n).bytes(), law_.rate_bps(n),
                        law_.credit_bytes(n), law_.share(n), law_.queue(n).loss());
    }
    return rows;
  }
  std::tuple<double, double> projected() override {
    if (!law_.regulator()) throw std::logic_error("this scheduler does not regulate");
    return {law_.regulator()->excess_bytes(), law_.regulator()->needed_bps()};
  }

 private:
  ecnomy::ClassScheduler law_;
};

const bool registered = [] {
  registry().scheduling[ecnomy::ClassScheduler::kName] = {
      rows_of(ecnomy::ClassScheduler::kParameters), ecnomy::ServiceClass::kName,
      rows_of(ecnomy::ServiceClass::kParameters),
      [](const std::vector<double>& values, const std::vector<std::vector<double>>& classes,
         std::int64_t rate_bps) -> std::unique_ptr<Scheduler> {
        return std::make_unique<SchedulerOf>(
            ecnomy::ClassScheduler(values.data(), classes, rate_bps));
      }};
  registry().weights = [](const std::vector<double>& ratios) {
    return ecnomy::Chains(ratios).weight;
  };
  return true;
}();

}  // namespace
}  // namespace ecnomy_testing
