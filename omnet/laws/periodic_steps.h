// SPDX-License-Identifier: Apache-2.0
// A value that is constant within each step of time and repeated every period. Periods begin at time 0.
#ifndef ECNOMY_LAWS_PERIODIC_STEPS_H_
#define ECNOMY_LAWS_PERIODIC_STEPS_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "parameter.h"

namespace ecnomy {

class PeriodicSteps {
 public:
  struct Step {
    Time at;             // time since the beginning of the period
    std::int64_t value;  // the value from this time on
  };

  bool none() const noexcept { return steps_.empty(); }
  Time period() const noexcept { return period_; }  // 0 without steps
  const std::vector<Step>& steps() const noexcept { return steps_; }
  std::int64_t largest() const noexcept { return largest_; }  // 0 without steps

 protected:
  PeriodicSteps() = default;

  // Throws BadParameter, with `name` in the message, if there are no steps, the first step is not at 0, or steps do not
  // ascend or do not fit into the period.
  PeriodicSteps(const char* name, Time period, std::vector<Step> steps)
      : period_(period), steps_(std::move(steps)) {
    check(period_ > 0 && period_ <= kFarthest && !steps_.empty(), name, "no period or no steps");
    check(steps_.front().at == 0, name, "the first step is not at 0");
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      check(steps_[i].at < end(i), name, "a step does not begin before the next one");
      largest_ = std::max(largest_, steps_[i].value);
    }
  }

  static void check(bool holds, const char* name, const char* fault) {
    if (!holds) throw BadParameter(std::string(name) + ": " + fault);
  }

  // The end of a step, as time since the beginning of the period.
  Time end(std::size_t step) const noexcept {
    return step + 1 < steps_.size() ? steps_[step + 1].at : period_;
  }

  // The step of a time. There must be steps.
  std::size_t index(Time now) const noexcept {
    const auto later = [](Time phase, const Step& step) { return phase < step.at; };
    const auto next = std::upper_bound(steps_.begin(), steps_.end(), now % period_, later);
    return static_cast<std::size_t>(next - steps_.begin()) - 1;
  }
  std::int64_t value(Time now) const noexcept { return steps_[index(now)].value; }

 private:
  Time period_ = 0;
  std::int64_t largest_ = 0;
  std::vector<Step> steps_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_PERIODIC_STEPS_H_
