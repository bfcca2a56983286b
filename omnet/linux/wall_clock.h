// SPDX-License-Identifier: Apache-2.0
// The time of a run with real hosts: wall-clock time since the start, in the simulator's picoseconds.
#ifndef ECNOMY_LINUX_WALL_CLOCK_H_
#define ECNOMY_LINUX_WALL_CLOCK_H_

#include <cstdint>
#include <ctime>

#include "laws/simulated_time.h"

namespace ecnomy::kernel {

inline constexpr std::int64_t kPsPerNs = 1000;
inline constexpr std::int64_t kNsPerS = 1'000'000'000;

class WallClock {
 public:
  void start() noexcept { start_ns_ = monotonic_ns(); }
  Time now() const noexcept { return (monotonic_ns() - start_ns_) * kPsPerNs; }

  // Converts a time of the run to a time of CLOCK_MONOTONIC, for timers. It is rounded up, so a timer never expires
  // early.
  std::timespec at(Time time) const noexcept {
    const std::int64_t ns = start_ns_ + (time + kPsPerNs - 1) / kPsPerNs;
    return {static_cast<std::time_t>(ns / kNsPerS), static_cast<long>(ns % kNsPerS)};
  }

 private:
  static std::int64_t monotonic_ns() noexcept {
    std::timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * kNsPerS + now.tv_nsec;
  }

  std::int64_t start_ns_ = 0;
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_WALL_CLOCK_H_
