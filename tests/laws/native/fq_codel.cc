// SPDX-License-Identifier: Apache-2.0
// Queues for flows; the caller states a packet's queue. Packets of odd flows are ECT(1).
#include "scheduling/fq_codel.h"

#include "host.h"

namespace ecnomy_testing {
namespace {

class FlowQueues : public Scheduler {
 public:
  explicit FlowQueues(ecnomy::FqCodel law) : law_(std::move(law)) {}

  void arrive(std::size_t queue, const MarkedPacket& p, bool busy, Ps now) override {
    join(queue, p, std::get<0>(p) % 2 == 1, 0, busy, now, {});
  }
  std::tuple<int, bool, int> join(std::size_t queue, const MarkedPacket& p, bool ect_1,
                                  std::uint64_t, bool busy, Ps now, const Draws&) override {
    law_.arrive(queue, {std::get<0>(p), std::get<1>(p), std::get<2>(p), std::get<3>(p), ect_1},
                busy, now);
    return {static_cast<int>(queue), false, 0};
  }
  int drop(bool overflow, Ps now) override { return law_.drop(overflow, now); }
  void settle(Ps now) override { law_.settle(now); }
  Drawing draw_next(Ps now, const Draws&) override {
    const auto served = law_.next(now);
    return {static_cast<int>(served.service), served.mark, served.waited, served.drop, 0};
  }
  std::vector<ClassRow> classes() override {
    std::vector<ClassRow> rows;
    for (std::size_t n = 0; n < law_.queues(); ++n) {
      rows.emplace_back(law_.queue(n).packets(), law_.queue(n).bytes(), law_.settled(n), 0.0, 0.0,
                        law_.total().loss());
    }
    return rows;
  }

 private:
  ecnomy::FqCodel law_;
};

const bool registered = [] {
  registry().scheduling[ecnomy::FqCodel::kName] = {
      rows_of(ecnomy::FqCodel::kParameters), ecnomy::FlowClass::kName,
      rows_of(ecnomy::FlowClass::kParameters),
      [](const std::vector<double>& values, const std::vector<std::vector<double>>& classes,
         std::int64_t rate_bps) -> std::unique_ptr<Scheduler> {
        return std::make_unique<FlowQueues>(ecnomy::FqCodel(values.data(), classes, rate_bps));
      }};
  registry().flow_class = [](int flow, std::uint64_t salt, std::size_t queues) {
    return ecnomy::FlowClass::of({flow, 1500}, salt, queues);
  };
  return true;
}();

}  // namespace
}  // namespace ecnomy_testing
