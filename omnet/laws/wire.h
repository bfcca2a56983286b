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

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "parameter.h"
#include "random/stream.h"

namespace ecnomy {

// A delay that is constant within each step and repeated every period.
class DelayProfile {
 public:
  struct Step {
    Time at;     // time since the beginning of the period
    Time delay;  // the delay from this time on
  };

  // No profile: the delay is always 0.
  DelayProfile() = default;

  // Throws BadParameter if there are no steps, the first step is not at 0, or steps do not ascend or do not fit into the
  // period.
  DelayProfile(Time period, std::vector<Step> steps) : period_(period), steps_(std::move(steps)) {
    check(period_ > 0 && !steps_.empty(), "no period or no steps");
    check(steps_.front().at == 0, "the first step is not at 0");
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Time end = i + 1 < steps_.size() ? steps_[i + 1].at : period_;
      check(steps_[i].at < end, "a step does not begin before the next one");
      check(steps_[i].delay >= 0, "a delay is negative");
      largest_ = std::max(largest_, steps_[i].delay);
    }
  }

  bool none() const noexcept { return steps_.empty(); }
  Time period() const noexcept { return period_; }  // 0 without a profile
  const std::vector<Step>& steps() const noexcept { return steps_; }
  Time largest() const noexcept { return largest_; }

  Time at(Time now) const noexcept {
    if (none()) return 0;
    const auto later = [](Time phase, const Step& step) { return phase < step.at; };
    return std::prev(std::upper_bound(steps_.begin(), steps_.end(), now % period_, later))->delay;
  }

 private:
  static void check(bool holds, const char* fault) {
    if (!holds) throw BadParameter(std::string("delay profile: ") + fault);
  }

  Time period_ = 0, largest_ = 0;
  std::vector<Step> steps_;
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
