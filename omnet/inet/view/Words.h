// SPDX-License-Identifier: LGPL-3.0-or-later
// Numbers as text for displays: three significant digits, with units.
#ifndef ECNOMY_INET_VIEW_WORDS_H_
#define ECNOMY_INET_VIEW_WORDS_H_

#include <cmath>
#include <cstdio>
#include <string>

namespace ecnomy::omnet {

// Formats a number with three significant digits below 100, and as a whole number from 100 on: 0.0123, 0.1, 12.3,
// 12345.
inline std::string number(double value) {
  char text[32];
  const double size = std::fabs(value);
  if (size < 5e-7) return "0";
  std::snprintf(text, sizeof text, size >= 100 ? "%.0f" : "%.3g", value);
  return text;
}

inline std::string bits_per_second(double bps) {
  if (bps >= 1e9) return number(bps / 1e9) + " Gbps";
  if (bps >= 1e6) return number(bps / 1e6) + " Mbps";
  if (bps >= 1e3) return number(bps / 1e3) + " kbps";
  return number(bps) + " bps";
}

inline std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, share > 0 && share < 0.0995 ? "%.1f %%" : "%.0f %%",
                100 * share);
  return text;
}

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_WORDS_H_
