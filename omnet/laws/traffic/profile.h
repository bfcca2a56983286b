// SPDX-License-Identifier: Apache-2.0
// The daily profile of a source: a factor f(t) >= 0 on its rate, constant within each step and repeated every
// period. Time that runs at the speed f is operational time (Daley and Vere-Jones, An Introduction to the
// Theory of Point Processes, section 7.4, random time change). A pause P drawn by a law lasts D, with
//
//   F(d) = integral of f over [now, now + d],   D = the largest whole d with F(d) <= P.
//
// A Poisson source of rate r therefore has the rate r f(t), and no pause ends while f = 0.
// Factors are whole millionths and times are whole picoseconds, so D is exact.
#ifndef ECNOMY_LAWS_TRAFFIC_PROFILE_H_
#define ECNOMY_LAWS_TRAFFIC_PROFILE_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "../periodic_steps.h"

namespace ecnomy {

class Profile : public PeriodicSteps {
 public:
  static constexpr std::int64_t kOne = 1'000'000;
  static constexpr std::int64_t kMostPpm = 1'000 * kOne;

  // No profile: the factor is always 1.
  Profile() = default;

  // The values are factors in millionths. Throws BadParameter if the steps are not valid, a factor is out of range, or
  // all factors are 0.
  Profile(Time period, std::vector<Step> factors)
      : PeriodicSteps(kName, period, std::move(factors)) {
    for (std::size_t i = 0; i < steps().size(); ++i) {
      const Step& step = steps()[i];
      check(step.value >= 0 && step.value <= kMostPpm, kName, "a factor is not within 0 to 1000");
      period_work_ += Work{end(i) - step.at} * step.value;
    }
    check(largest() > 0, kName, "every factor is 0");
  }

  // The duration D of a pause that begins now, at most kFarthest.
  Time stretch(Time now, Time pause) const noexcept {
    return none() ? std::min(pause, kFarthest) : walk(now, pause);
  }

  double at(Time now) const noexcept {
    return none() ? 1.0 : static_cast<double>(value(now)) / kOne;
  }

  // Beginning of the next step after now; kNever without a profile.
  Time next_step(Time now) const noexcept {
    return none() ? kNever : later(now, end(index(now)) - now % period());
  }

  // True if the member is on, for sources whose `count` members are on or off. Member i is on while (i + 1/2) / count <
  // f(now) / max f.
  bool on(Time now, std::int64_t member, std::int64_t count) const noexcept {
    return none() || Work{2 * member + 1} * largest() < Work{2 * count} * value(now);
  }

 private:
  static constexpr const char* kName = "profile";
  // Picoseconds times millionths: a day at 1000 times the rate is 10^26.
  __extension__ typedef __int128 Work;

  Time walk(Time now, Time pause) const noexcept {
    Work left = Work{pause} * kOne;
    const Work periods = left / period_work_;
    if (periods > kFarthest / period()) return kFarthest;
    Work gone = periods * period();
    left %= period_work_;
    std::size_t step = index(now);
    Time length = end(step) - now % period();
    while (left >= Work{length} * steps()[step].value) {
      left -= Work{length} * steps()[step].value;
      gone += length;
      step = step + 1 < steps().size() ? step + 1 : 0;
      length = end(step) - steps()[step].at;
    }
    gone += left / steps()[step].value;
    return gone < kFarthest ? static_cast<Time>(gone) : kFarthest;
  }

  Work period_work_ = 0;  // F of one period
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_TRAFFIC_PROFILE_H_
