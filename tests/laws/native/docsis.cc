// SPDX-License-Identifier: Apache-2.0
// The dual queue of DOCSIS; the caller states a packet's class and the hash of its flow.
#include "scheduling/docsis.h"

#include "host.h"

namespace ecnomy_testing {
namespace {

class CableQueue : public Scheduler {
 public:
  explicit CableQueue(ecnomy::Docsis law) : law_(std::move(law)) {}

  void arrive(std::size_t, const MarkedPacket&, bool, Ps) override {
    throw std::logic_error("this scheduler judges arrivals");
  }
  std::tuple<int, bool, int> join(std::size_t service, const MarkedPacket& p, bool,
                                  std::uint64_t flow, bool busy, Ps now,
                                  const Draws& draws) override {
    Uniforms uniforms(draws);
    const bool l4s = service == ecnomy::CodepointClass::kL4s;
    const std::size_t queue =
        law_.arrive(service, {std::get<0>(p), std::get<1>(p), std::get<2>(p), std::get<3>(p), l4s},
                    busy, now, flow, uniforms);
    return {static_cast<int>(queue), law_.marks(), uniforms.used()};
  }
  int drop(bool overflow, Ps now) override { return law_.drop(overflow, now); }
  void settle(Ps now) override { law_.settle(now); }
  Drawing draw_next(Ps now, const Draws&) override {
    const auto served = law_.next(now);
    return {static_cast<int>(served.service), served.mark, served.waited, served.drop, 0};
  }
  std::vector<ClassRow> classes() override {
    std::vector<ClassRow> rows;
    for (std::size_t n = 0; n < law_.classes(); ++n) {
      rows.emplace_back(law_.queue(n).packets(), law_.queue(n).bytes(), law_.settled(n), 0.0, 0.0,
                        law_.queue(n).loss());
    }
    return rows;
  }

 private:
  ecnomy::Docsis law_;
};

const bool registered = [] {
  registry().scheduling[ecnomy::Docsis::kName] = {
      rows_of(ecnomy::Docsis::kParameters), ecnomy::CodepointClass::kName,
      rows_of(ecnomy::CodepointClass::kParameters),
      [](const std::vector<double>& values, const std::vector<std::vector<double>>& classes,
         std::int64_t rate_bps) -> std::unique_ptr<Scheduler> {
        return std::make_unique<CableQueue>(ecnomy::Docsis(values.data(), classes, rate_bps));
      }};
  return true;
}();

}  // namespace
}  // namespace ecnomy_testing
