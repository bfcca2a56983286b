// SPDX-License-Identifier: Apache-2.0
// The fate of packets on a wire. Each packet is lost with the same probability, and each other packet is late with the
// same probability, independently of everything else. A late packet reaches the far end after an additional delay, so
// that later packets overtake it. A profile may add a further delay that depends on the time only, as on a path whose
// route or satellite changes. When it falls, later packets overtake earlier ones as well. The fate is decided when the
// packet's last bit would reach the far end.
//
// Losses and late packets draw from separate streams, in the order of delivery. There is one draw per packet for its
// loss, and one per packet that is not lost for its lateness. A probability of 0 draws nothing.
#ifndef ECNOMY_LAWS_WIRE_H_
#define ECNOMY_LAWS_WIRE_H_

#include <utility>
#include <vector>

#include "periodic_steps.h"
#include "random/stream.h"

namespace ecnomy {

// An additional delay that changes with time.
class DelayProfile : public PeriodicSteps {
 public:
  // No profile: the delay is always 0.
  DelayProfile() = default;

  // The values are delays. Throws BadParameter if the steps are not valid, or a delay is negative.
  DelayProfile(Time period, std::vector<Step> delays)
      : PeriodicSteps(kName, period, std::move(delays)) {
    for (const Step& step : steps()) check(step.value >= 0, kName, "a delay is negative");
  }

  Time at(Time now) const noexcept { return none() ? 0 : value(now); }

 private:
  static constexpr const char* kName = "delay profile";
};

class Wire {
 public:
  struct Late {
    double probability;
    Time delay;
    Stream draws;
  };

  Wire(double loss, const Stream& losses, const Late& late, DelayProfile profile)
      : loss_(loss), losses_(losses), late_(late), profile_(std::move(profile)) {}

  // The additional delay of a packet whose last bit would reach the far end now. kNever: the wire loses it.
  Time held(Time now) noexcept {
    if (loss_ > 0 && losses_() < loss_) return kNever;
    const bool late = late_.probability > 0 && late_.draws() < late_.probability;
    return profile_.at(now) + (late ? late_.delay : 0);
  }

 private:
  double loss_;
  Stream losses_;
  Late late_;
  DelayProfile profile_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WIRE_H_
