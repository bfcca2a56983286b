// SPDX-License-Identifier: Apache-2.0
// The scale of a change in PIE's probability p (RFC 8033 section 4.2): 1/2048, 1/512, 1/128, 1/32, 1/8, 1/2 while p is
// below 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, else 1.
#ifndef ECNOMY_LAWS_MARKING_PIE_SCALE_H_
#define ECNOMY_LAWS_MARKING_PIE_SCALE_H_

namespace ecnomy {

inline double pie_scale(double probability) noexcept {
  double k = 1.0 / 2048;
  for (double bound = 1e-6; bound < 0.05; bound *= 10, k *= 4) {
    if (probability < bound) return k;
  }
  return probability < 0.1 ? 0.5 : 1.0;
}

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_PIE_SCALE_H_
