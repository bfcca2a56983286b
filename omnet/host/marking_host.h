// SPDX-License-Identifier: Apache-2.0
// One link's marking law, chosen by name: a tagged union, so that the hot path is a switch.
#ifndef ECNOMY_HOST_MARKING_HOST_H_
#define ECNOMY_HOST_MARKING_HOST_H_

#include <string>
#include <variant>
#include <vector>

#include "host/law_log.h"
#include "laws/marking/adaptive_virtual_queue.h"
#include "laws/marking/drop_tail.h"
#include "laws/marking/fixed.h"
#include "laws/marking/flow_projection.h"
#include "laws/marking/flow_projection_heuristic.h"
#include "laws/marking/load_based.h"
#include "laws/marking/pi.h"
#include "laws/marking/red.h"
#include "laws/marking/rem.h"
#include "laws/marking/threshold.h"
#include "laws/marking/virtual_queue.h"
#include "laws/random/stream.h"

namespace ecnomy {

using MarkingVariant =
    std::variant<DropTail, FixedMarking, Red, VirtualQueue, LoadBased, Threshold, Rem, Pi,
                 AdaptiveVirtualQueue, FlowProjection, FlowProjectionHeuristic>;

// values: one number per parameter, in the order of the law's table.
// Throws BadParameter naming law and parameter, or the unknown law.
MarkingVariant make_marking(const std::string& law, const std::vector<double>& values);

class MarkingHost {
 public:
  MarkingHost(MarkingVariant law, Stream stream) noexcept : law_(std::move(law)), stream_(stream) {
    look_at_law();
  }

  bool drop_tail() const noexcept { return law_.index() == 0; }

  Decision on_arrival(const QueueView& queue, const PacketView& packet, Time now) noexcept {
    const Decision decision = arrival(queue, packet, now);
    log_.decided("arrival", queue, packet, now, stream_, decision, *this);
    return decision;
  }

  // True for laws that act as a transmission begins.
  bool watches_departures() const noexcept { return watches_departures_; }
  Decision on_departure(const QueueView& queue, const PacketView& packet, Time now) noexcept {
    const Decision decision = departure(queue, packet, now);
    log_.decided("departure", queue, packet, now, stream_, decision, *this);
    return decision;
  }

  // To be called for every packet that on_arrival let in and that found the buffer full.
  void on_drop(const PacketView& packet, Time now) noexcept {
    std::visit([&](auto& law) { law.on_drop(packet, now); }, law_);
    log_.dropped(packet, now);
  }

  Time first_timer() const noexcept {
    return std::visit([](const auto& law) { return law.first_timer(); }, law_);
  }
  Time on_timer(const QueueView& queue, Time now) noexcept {
    const Time next = std::visit([&](auto& law) { return law.on_timer(queue, now); }, law_);
    log_.timed(queue, now, next, *this);
    return next;
  }
  const MarkingVariant& law() const noexcept { return law_; }
  double probability() const noexcept {
    return std::visit([](const auto& law) { return law.probability(); }, law_);
  }

  // New parameters for the law as it stands; throws BadParameter and leaves it unchanged then.
  void configure(const std::vector<double>& values) {
    std::visit(
        [&](auto& law) {
          if constexpr (requires { law.configure(values.data()); }) {
            auto checked = law;
            checked.configure(values.data());
            law = checked;
          }
        },
        law_);
    look_at_law();
    log_.set("configure", values);
  }

 private:
  Decision arrival(const QueueView& queue, const PacketView& packet, Time now) noexcept {
    switch (law_.index()) {
      case 0:
        return {};
      case 1:
        return std::get_if<1>(&law_)->on_arrival(queue, packet, now, stream_);
      case 2:
        return std::get_if<2>(&law_)->on_arrival(queue, packet, now, stream_);
      case 3:
        return std::get_if<3>(&law_)->on_arrival(queue, packet, now, stream_);
      case 4:
        return std::get_if<4>(&law_)->on_arrival(queue, packet, now, stream_);
      case 5:
        return std::get_if<5>(&law_)->on_arrival(queue, packet, now, stream_);
      case 6:
        return std::get_if<6>(&law_)->on_arrival(queue, packet, now, stream_);
      case 7:
        return std::get_if<7>(&law_)->on_arrival(queue, packet, now, stream_);
      case 8:
        return std::get_if<8>(&law_)->on_arrival(queue, packet, now, stream_);
      case 9:
        return std::get_if<9>(&law_)->on_arrival(queue, packet, now, stream_);
      default:
        return std::get_if<10>(&law_)->on_arrival(queue, packet, now, stream_);
    }
  }

  Decision departure(const QueueView& queue, const PacketView& packet, Time now) noexcept {
    switch (law_.index()) {
      case 5:
        return std::get_if<5>(&law_)->on_departure(queue, packet, now, stream_);
      case 6:
        return std::get_if<6>(&law_)->on_departure(queue, packet, now, stream_);
      case 9:
        return std::get_if<9>(&law_)->on_departure(queue, packet, now, stream_);
      default:
        return std::get_if<10>(&law_)->on_departure(queue, packet, now, stream_);
    }
  }
  void look_at_law() noexcept {
    watches_departures_ =
        std::visit([](const auto& law) { return law.watches_departures(); }, law_);
  }

  MarkingVariant law_;
  LawStream stream_;
  bool watches_departures_ = false;
  [[no_unique_address]] HostLog log_;
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_MARKING_HOST_H_
