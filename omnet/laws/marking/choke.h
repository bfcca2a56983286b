// SPDX-License-Identifier: Apache-2.0
// CHOKe: choose and keep for responsive flows, choose and kill for unresponsive flows (Pan, Prabhakar and Psounis,
// INFOCOM 2000; Linux's sch_choke). While the average queue of RED (red.h) is above min_threshold, each arrival is
// compared with a waiting packet drawn at random:
//
//   both of one flow   both are dropped, even ECN-capable ones: flows that ignore marks must not gain
//   else               RED decides, with the average and the count of the packets that met another flow
//
// A flow meets its own packets by its share of the queue, so a flow that does not respond loses most. The rules follow
// Linux with ECN: above max_threshold every packet is marked, where the paper drops it. As Floyd and Jacobson's, RED
// is not gentle and spreads its marks without a wait.
//
// One draw u selects the waiting packet at position floor(u q) of q; RED draws after that. The law keeps the flows of
// waiting packets, without those that the link refused after on_arrival. Packets without a flow match no packet.
#ifndef ECNOMY_LAWS_MARKING_CHOKE_H_
#define ECNOMY_LAWS_MARKING_CHOKE_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "../boxed.h"
#include "red.h"

namespace ecnomy {

class Choke : public MarkingLaw {
 public:
  static constexpr const char* kName = "choke";
  static constexpr About kAbout{
      "RED that also drops an arriving packet and a random waiting one if both are of one flow.",
      "Pan, Prabhakar and Psounis 2000; Linux sch_choke"};
  static constexpr MarkingTraits kTraits{
      .departures = true, .ceiling = "max_probability", .saturates = true};
  static constexpr Parameter kParameters[] = {
      {"unit", "choice", 0, 0, 1, "packets,bytes", "Unit of the thresholds and the queue."},
      {"min_threshold", "unit", NAN, 0, kUnlimited, "",
       "Average queue above which an arrival is compared with one random waiting packet, and RED "
       "marks."},
      {"max_threshold", "unit", NAN, 0, kUnlimited, "",
       "Average queue from which on every packet is marked."},
      {"max_probability", "", 0.1, 0, 1, "",
       "Marking probability just below max_threshold: max_p of RED."},
      {"weight", "", 0.002, 1e-9, 1, "",
       "Weight of the current queue in its moving average: w of Floyd and Jacobson 1993."},
      {"mean_packet_bytes", "bytes", 1000, 1, 1e9, "",
       "Mean packet size, for the average of an idle link."},
  };
  static constexpr AtLeast kOrder[] = {{"max_threshold", "min_threshold"}};

  explicit Choke(const double* values) { configure(values); }

  // May be called between packets; the state is kept.
  void configure(const double* values) {
    check_parameters(this, values);
    own_->red.configure(as_red(values).data());
    own_->min = values[1];
  }

  template <class Uniform>
  [[gnu::noinline]] Decision on_arrival(const QueueView& queue, const PacketView& packet, Time now,
                                        Uniform&& uniform) noexcept {
    std::deque<std::int32_t>& flows = own_->flows;
    while (static_cast<std::int64_t>(flows.size()) > queue.packets) flows.pop_back();
    const double q = own_->red.observe(queue, now);
    if (own_->red.average() > own_->min && !flows.empty()) {
      const double count = static_cast<double>(flows.size());
      const auto at = std::min(static_cast<std::ptrdiff_t>(uniform() * count),
                               static_cast<std::ptrdiff_t>(flows.size()) - 1);
      if (flows.begin()[at] == packet.flow && packet.flow != kNoFlow) {
        flows.erase(flows.begin() + at);
        return {Action::drop_pair, static_cast<std::int32_t>(at)};
      }
    }
    const Decision decision = own_->red.decide(q, queue, packet, uniform);
    flows.push_back(packet.flow);
    return decision;
  }

  template <class Uniform>
  [[gnu::noinline]] Decision on_departure(const QueueView&, const PacketView&, Time,
                                          Uniform&&) noexcept {
    if (!own_->flows.empty()) own_->flows.pop_front();
    return {};
  }

  bool watches_departures() const noexcept { return true; }

  double probability() const noexcept { return own_->red.probability(); }

 private:
  struct State {
    Red red;
    double min;
    std::deque<std::int32_t> flows;  // of waiting packets, in their order
  };

  // RED's parameters: not gentle, with a count and no wait.
  static std::array<double, std::size(Red::kParameters)> as_red(const double* values) {
    auto red = Red::from_first_five(values, values[5]);
    red[5] = red[6] = 0;
    return red;
  }
  static State first() {
    constexpr double kAny[] = {0, 1, 2, 0.1, 0.002, 1000};  // configure() replaces them
    return {Red(as_red(kAny).data()), 0.0, {}};
  }

  Boxed<State> own_{first()};
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_CHOKE_H_
