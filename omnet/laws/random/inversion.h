// SPDX-License-Identifier: Apache-2.0
// Distributions by inversion, with one uniform in (0, 1) per draw. The distributions of std:: are not used, because
// they differ between libraries. The normal distribution uses the Box-Muller method, with two uniforms.
#ifndef ECNOMY_LAWS_RANDOM_INVERSION_H_
#define ECNOMY_LAWS_RANDOM_INVERSION_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ecnomy {

// Exponential: F(x) = 1 - exp(-x / mean).
inline double exponential(double mean, double u) noexcept { return -mean * std::log1p(-u); }

// Pareto truncated to [min, max]: F(x) = (1 - (min/x)^shape) / (1 - (min/max)^shape).
inline double truncated_pareto(double min, double max, double shape, double u) noexcept {
  const double tail = std::pow(min / max, shape);
  return min * std::pow(1.0 - u * (1.0 - tail), -1.0 / shape);
}

// Geometric on 1, 2, ... with a mean of at least 1: P(N > k) = (1 - 1 / mean)^k.
inline std::int64_t geometric(double mean, double u) noexcept {
  if (!(mean > 1)) return 1;
  const double k = std::log1p(-u) / std::log1p(-1 / mean);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(k)));
}

// Normal with mean 0 and variance 1: sqrt(-2 ln u) cos(2 pi v).
template <class Uniform>
double standard_normal(Uniform& uniform) noexcept {
  constexpr double kTurn = 6.283185307179586;
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(kTurn * uniform());
}

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_RANDOM_INVERSION_H_
