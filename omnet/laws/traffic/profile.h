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
#include <string>
#include <utility>
#include <vector>

#include "../parameter.h"

namespace ecnomy {

class Profile {
 public:
  struct Step {
    Time at;           // time since the beginning of the period
    std::int64_t ppm;  // the factor from this time on, in millionths
  };

  static constexpr std::int64_t kOne = 1'000'000;
  static constexpr std::int64_t kMostPpm = 1'000 * kOne;

  // No profile: the factor is always 1.
  Profile() = default;

  // Throws BadParameter if there are no steps, the first step is not at 0, steps do not ascend or do not fit into
  // the period, a factor is out of range, or all factors are 0.
  Profile(Time period, std::vector<Step> steps) : period_(period), steps_(std::move(steps)) {
    check(period_ > 0 && period_ <= kFarthest && !steps_.empty(), "no period or no steps");
    check(steps_.front().at == 0, "the first step is not at 0");
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      check(steps_[i].at < end(i), "a step does not begin before the next one");
      check(steps_[i].ppm >= 0 && steps_[i].ppm <= kMostPpm, "a factor is not within 0 to 1000");
      largest_ppm_ = std::max(largest_ppm_, steps_[i].ppm);
      period_work_ += Work{end(i) - steps_[i].at} * steps_[i].ppm;
    }
    check(largest_ppm_ > 0, "every factor is 0");
  }

  bool none() const noexcept { return steps_.empty(); }
  Time period() const noexcept { return period_; }  // 0 without a profile
  const std::vector<Step>& steps() const noexcept { return steps_; }

  // The duration D of a pause that begins now, at most kFarthest.
  Time stretch(Time now, Time pause) const noexcept {
    return none() ? std::min(pause, kFarthest) : walk(now, pause);
  }

  double at(Time now) const noexcept {
    return none() ? 1.0 : static_cast<double>(steps_[index(now)].ppm) / kOne;
  }

  // Beginning of the next step after now; kNever without a profile.
  Time next_step(Time now) const noexcept {
    return none() ? kNever : later(now, end(index(now)) - now % period_);
  }

  // True if the member is on, for sources whose `count` members are on or off. Member i is on while (i + 1/2) / count <
  // f(now) / max f.
  bool on(Time now, std::int64_t member, std::int64_t count) const noexcept {
    return none() || Work{2 * member + 1} * largest_ppm_ < Work{2 * count} * steps_[index(now)].ppm;
  }

 private:
  // Picoseconds times millionths: a day at 1000 times the rate is 10^26.
  __extension__ typedef __int128 Work;

  static void check(bool holds, const char* fault) {
    if (!holds) throw BadParameter(std::string("profile: ") + fault);
  }

  Time end(std::size_t step) const noexcept {
    return step + 1 < steps_.size() ? steps_[step + 1].at : period_;
  }

  std::size_t index(Time now) const noexcept {
    const auto later = [](Time phase, const Step& step) { return phase < step.at; };
    const auto next = std::upper_bound(steps_.begin(), steps_.end(), now % period_, later);
    return static_cast<std::size_t>(next - steps_.begin()) - 1;
  }

  Time walk(Time now, Time pause) const noexcept {
    Work left = Work{pause} * kOne;
    const Work periods = left / period_work_;
    if (periods > kFarthest / period_) return kFarthest;
    Work gone = periods * period_;
    left %= period_work_;
    std::size_t step = index(now);
    Time length = end(step) - now % period_;
    while (left >= Work{length} * steps_[step].ppm) {
      left -= Work{length} * steps_[step].ppm;
      gone += length;
      step = step + 1 < steps_.size() ? step + 1 : 0;
      length = end(step) - steps_[step].at;
    }
    gone += left / steps_[step].ppm;
    return gone < kFarthest ? static_cast<Time>(gone) : kFarthest;
  }

  Time period_ = 0;
  std::vector<Step> steps_;
  std::int64_t largest_ppm_ = 0;
  Work period_work_ = 0;  // F of one period
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_TRAFFIC_PROFILE_H_
