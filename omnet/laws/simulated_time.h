// SPDX-License-Identifier: Apache-2.0
// Simulated time: whole picoseconds, and sums of times that never wrap.
//
// No run is longer than kFarthest, 53 days (plan/structs.py), so that what is due then never happens. A
// mean pause of days has draws far beyond it (-ln(2^-53) = 37 means): they end there, and so does every
// sum of times made by `later`.
#ifndef ECNOMY_LAWS_SIMULATED_TIME_H_
#define ECNOMY_LAWS_SIMULATED_TIME_H_

#include <cmath>
#include <cstdint>

namespace ecnomy {

// In picoseconds, as in OMNeT++.
using Time = std::int64_t;
inline constexpr Time kNever = -1;
inline constexpr Time kFarthest = Time{1}
                                  << 62;  // a time before it and one up to it add up to a time
inline constexpr double kPsPerSecond = 1e12;

inline constexpr double seconds(Time ps) { return static_cast<double>(ps) / kPsPerSecond; }
inline Time picoseconds(double s) { return static_cast<Time>(std::llround(s * kPsPerSecond)); }

// A time drawn, in whole picoseconds; kFarthest at most.
inline constexpr Time drawn(double ps) noexcept {
  return ps < static_cast<double>(kFarthest) ? static_cast<Time>(ps) : kFarthest;
}

// now + pause, neither below 0; kFarthest at most.
inline constexpr Time later(Time now, Time pause) noexcept {
  return now < kFarthest && pause < kFarthest - now ? now + pause : kFarthest;
}

// times * pause, neither below 0; kFarthest at most.
inline constexpr Time repeated(std::int64_t times, Time pause) noexcept {
  return pause == 0 || times <= kFarthest / pause ? times * pause : kFarthest;
}

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SIMULATED_TIME_H_
