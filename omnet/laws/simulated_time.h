// SPDX-License-Identifier: Apache-2.0
// Simulated time: whole picoseconds, and sums of times that never overflow.
//
// No run is longer than kFarthest, 53 days (plan/structs.py), so an event at kFarthest never happens. If the mean pause
// is a matter of days, draws can lie far beyond kFarthest (-ln(2^-53) = 37 means). Such draws, and the sums of times
// from `later`, are limited to kFarthest.
#ifndef ECNOMY_LAWS_SIMULATED_TIME_H_
#define ECNOMY_LAWS_SIMULATED_TIME_H_

#include <cmath>
#include <cstdint>

namespace ecnomy {

// In picoseconds, as in OMNeT++.
using Time = std::int64_t;
inline constexpr Time kNever = -1;
// The sum of a time below kFarthest and a time up to kFarthest does not overflow.
inline constexpr Time kFarthest = Time{1} << 62;
inline constexpr double kPsPerSecond = 1e12;

inline constexpr double seconds(Time ps) { return static_cast<double>(ps) / kPsPerSecond; }
inline Time picoseconds(double s) { return static_cast<Time>(std::llround(s * kPsPerSecond)); }

// A drawn time, rounded down to whole picoseconds and limited to kFarthest.
inline constexpr Time drawn(double ps) noexcept {
  return ps < static_cast<double>(kFarthest) ? static_cast<Time>(ps) : kFarthest;
}

// now + pause, at most kFarthest. Both must be at least 0.
inline constexpr Time later(Time now, Time pause) noexcept {
  return now < kFarthest && pause < kFarthest - now ? now + pause : kFarthest;
}

// times * pause, at most kFarthest. Both must be at least 0.
inline constexpr Time repeated(std::int64_t times, Time pause) noexcept {
  return pause == 0 || times <= kFarthest / pause ? times * pause : kFarthest;
}

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SIMULATED_TIME_H_
