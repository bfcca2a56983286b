// SPDX-License-Identifier: Apache-2.0
// One link's marking law, selected by name. It is a tagged union, so the hot path is a switch.
#ifndef ECNOMY_HOST_MARKING_HOST_H_
#define ECNOMY_HOST_MARKING_HOST_H_

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "host/law_log.h"
#include "host/marking_laws.h"
#include "laws/random/stream.h"

namespace ecnomy {

// `values` has one number per parameter, in the order of the law's table. Throws BadParameter, which names the law and
// the parameter, or the unknown law.
MarkingVariant make_marking(const std::string& law, const std::vector<double>& values);

inline const MarkingTraits& traits_of(const MarkingVariant& law) noexcept {
  return on_law(law, [](const auto& one) -> const MarkingTraits& {
    using Law = std::decay_t<decltype(one)>;
    static_assert(MarkingHooks<Law>, "a hook is missing or misspelt, or differs from the traits");
    return Law::kTraits;
  });
}

class MarkingHost {
 public:
  MarkingHost(MarkingVariant law, Stream stream) noexcept : law_(std::move(law)), stream_(stream) {
    look_at_law();
  }

  bool drop_tail() const noexcept { return std::holds_alternative<DropTail>(law_); }
  const MarkingTraits& traits() const noexcept { return traits_of(law_); }

  Decision on_arrival(const QueueView& queue, const PacketView& packet, Time now) noexcept {
    const Decision decision = arrival(queue, packet, now);
    log_.decided("arrival", queue, packet, now, stream_, decision, *this);
    return decision;
  }

  // True for laws that act at the start of a transmission.
  bool watches_departures() const noexcept { return watches_departures_; }
  Decision on_departure(const QueueView& queue, const PacketView& packet, Time now) noexcept {
    const Decision decision = departure(queue, packet, now);
    log_.decided("departure", queue, packet, now, stream_, decision, *this);
    return decision;
  }

  // Must be called for every packet that on_arrival accepted but that found the buffer full.
  void on_drop(const PacketView& packet, Time now) noexcept {
    on_law(law_, [&](auto& law) { law.on_drop(packet, now); });
    log_.dropped(packet, now);
  }

  Time first_timer() const noexcept {
    return on_law(law_, [](const auto& law) { return law.first_timer(); });
  }
  Time on_timer(const QueueView& queue, Time now) noexcept {
    const Time next = on_law(law_, [&](auto& law) { return law.on_timer(queue, now); });
    log_.timed(queue, now, next, *this);
    return next;
  }
  const MarkingVariant& law() const noexcept { return law_; }
  double probability() const noexcept {
    return on_law(law_, [](const auto& law) { return law.probability(); });
  }

  // Sets new parameters of the current law. Throws BadParameter, and then leaves the law unchanged.
  void configure(const std::vector<double>& values) {
    on_law(law_, [&](auto& law) {
      auto checked = law;
      checked.configure(values.data());
      law = std::move(checked);
    });
    look_at_law();
    log_.set("configure", values);
  }

 private:
  Decision arrival(const QueueView& queue, const PacketView& packet, Time now) noexcept {
    return on_law(law_, [&](auto& law) { return law.on_arrival(queue, packet, now, stream_); });
  }

  Decision departure(const QueueView& queue, const PacketView& packet, Time now) noexcept {
    return on_law(law_, [&](auto& law) -> Decision {
      if constexpr (kTraitsOf<decltype(law)>.departures) {
        return law.on_departure(queue, packet, now, stream_);
      } else {
        return {};
      }
    });
  }
  void look_at_law() noexcept {
    watches_departures_ = on_law(law_, [](const auto& law) { return law.watches_departures(); });
  }

  MarkingVariant law_;
  LawStream stream_;
  bool watches_departures_ = false;
  [[no_unique_address]] HostLog log_;
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_MARKING_HOST_H_
