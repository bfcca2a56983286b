// SPDX-License-Identifier: Apache-2.0
// Any marking law behind the plain interface of host.h.
#ifndef ECNOMY_TESTS_LAWS_MARKING_HOST_H_
#define ECNOMY_TESTS_LAWS_MARKING_HOST_H_

#include <cmath>
#include <utility>
#include <vector>

#include "host.h"
#include "marking/marking.h"

namespace ecnomy_testing {

// `measure` reads the quantity that the law tracks.
template <class Law>
class MarkingOf : public Marking {
 public:
  using Measure = double (*)(const Law&);
  MarkingOf(Law law, Measure measure) : law_(law), measure_(measure) {}

  Verdict on_arrival(const Queue& queue, const MarkedPacket& packet, Ps now,
                     const Draws& draws) override {
    Uniforms uniforms(draws);
    return said(law_.on_arrival(view(queue), view(packet), now, uniforms), uniforms);
  }
  Verdict on_departure(const Queue& queue, const MarkedPacket& packet, Ps now,
                       const Draws& draws) override {
    Uniforms uniforms(draws);
    return said(law_.on_departure(view(queue), view(packet), now, uniforms), uniforms);
  }
  void on_drop(const MarkedPacket& packet, Ps now) override { law_.on_drop(view(packet), now); }
  bool watches_departures() override { return law_.watches_departures(); }
  Ps first_timer() override { return law_.first_timer(); }
  Ps on_timer(const Queue& queue, Ps now) override { return law_.on_timer(view(queue), now); }
  double probability() override { return law_.probability(); }
  void configure(const std::vector<double>& values) override {
    check_count(rows_of(Law::kParameters), values);
    law_.configure(values.data());
  }
  double measure() override { return measure_ == nullptr ? NAN : measure_(law_); }

 private:
  static ecnomy::QueueView view(const Queue& q) {
    return {std::get<0>(q), std::get<1>(q), std::get<2>(q), std::get<3>(q)};
  }
  static ecnomy::PacketView view(const MarkedPacket& p) {
    return {std::get<0>(p), std::get<1>(p), std::get<2>(p), std::get<3>(p)};
  }
  static Verdict said(const ecnomy::Decision& decision, const Uniforms& uniforms) {
    return {static_cast<int>(decision.action), decision.waiting, uniforms.used()};
  }

  Law law_;
  Measure measure_;
};

template <class Law>
bool register_marking(typename MarkingOf<Law>::Measure measure) {
  const Rows rows = rows_of(Law::kParameters);
  registry().marking[Law::kName] = {rows, [rows, measure](const std::vector<double>& values) {
                                      check_count(rows, values);
                                      return std::make_unique<MarkingOf<Law>>(Law(values.data()),
                                                                              measure);
                                    }};
  return true;
}

}  // namespace ecnomy_testing

#endif  // ECNOMY_TESTS_LAWS_MARKING_HOST_H_
