// SPDX-License-Identifier: Apache-2.0
// A histogram of how late events were, in bins of one microsecond up to a second, and the largest value.
#ifndef ECNOMY_LINUX_LATENESS_H_
#define ECNOMY_LINUX_LATENESS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "laws/simulated_time.h"

namespace ecnomy::kernel {

class Lateness {
 public:
  void add(Time late) noexcept {
    worst_ = std::max(worst_, late);
    ++count_;
    ++bins_[std::min(static_cast<std::size_t>(std::max<Time>(late, 0) / kBin), bins_.size() - 1)];
  }

  // A run counts as punctual if 99 % and 99.9 % of the packets are within these bounds.
  static constexpr double kMostP99_s = 1e-3, kMostP999_s = 1e-2;
  bool valid() const noexcept {
    return quantile_s(0.99) <= kMostP99_s && quantile_s(0.999) <= kMostP999_s;
  }

  std::int64_t count() const noexcept { return count_; }
  double worst_s() const noexcept { return seconds(worst_); }
  // The upper end of the bin at this quantile of the events, or 0 without events.
  double quantile_s(double share) const noexcept {
    const double wanted = share * static_cast<double>(count_);
    std::int64_t below = 0;
    for (std::size_t bin = 0; bin < bins_.size() && count_ > 0; ++bin) {
      below += bins_[bin];
      if (static_cast<double>(below) >= wanted) {
        return std::min(seconds(static_cast<Time>(bin + 1) * kBin), worst_s());
      }
    }
    return worst_s();
  }

 private:
  static constexpr Time kBin = 1'000'000;  // ps

  std::vector<std::int64_t> bins_ = std::vector<std::int64_t>(1'000'001);
  std::int64_t count_ = 0;
  Time worst_ = 0;
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_LATENESS_H_
