// SPDX-License-Identifier: Apache-2.0
// Converts a source's window law in the plan, and a weight, to settings of the kernel's congestion control
// (control/settings.h).
#ifndef ECNOMY_LINUX_LAW_SETTINGS_H_
#define ECNOMY_LINUX_LAW_SETTINGS_H_

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "host/plan.h"
#include "laws/window/multcp.h"
#include "laws/window/wtp.h"
#include "linux/control/settings.h"

namespace ecnomy::kernel {

inline constexpr double kLeastWeight = 1e-5;  // a few units of the fraction
inline constexpr double kMostWeight = 8192;   // larger ones overflow
inline constexpr double kMostGain = 512;

inline unsigned long long fixed(double value) noexcept {
  return static_cast<unsigned long long>(value * (1 << ECNOMY_FRACTION_BITS) + 0.5);
}
inline double real(unsigned long long value) noexcept {
  return static_cast<double>(value) / (1 << ECNOMY_FRACTION_BITS);
}

// The value of a law's parameter, by name.
template <class Law>
double value_of(const LawPlan& plan, std::string_view name) noexcept {
  for (std::size_t i = 0; i < plan.values.size(); ++i) {
    if (name == Law::kParameters[i].name) return plan.values[i];
  }
  return 0;
}

inline ecnomy_settings wtp_settings(const TransportPlan& tcp, double weight) noexcept {
  const LawPlan& law = tcp.window;
  const bool inverse = value_of<Wtp>(law, "form") == 1;
  const double w = std::clamp(weight, kLeastWeight, kMostWeight);
  const double w_dec = inverse ? std::max(w, 1.0) : value_of<Wtp>(law, "w_dec");
  const double w_inc = inverse ? std::min(w, 1.0) : w / w_dec;
  // The floor of a paced window (segment_sender.cc, set_floor).
  const bool by_weight = tcp.paced && tcp.min_window <= 1.0 / 64;
  const double floor = by_weight ? std::clamp(w / 4, kLeastWeight, 1.0) : tcp.min_window;
  ecnomy_settings out{};
  out.gain = fixed(std::min(value_of<Wtp>(law, "gain"), kMostGain));
  out.w_inc = fixed(std::clamp(w_inc, kLeastWeight, kMostWeight));
  out.per_mark = fixed(1 / w_dec);
  out.least_window = fixed(tcp.paced ? floor : std::max(floor, 1.0));
  out.first_window = fixed(std::max(tcp.initial_window, real(out.least_window)));
  out.paced = tcp.paced;
  out.slow_start = tcp.slow_start;
  return out;
}

inline ecnomy_settings multcp_settings(const TransportPlan& tcp, double flows) noexcept {
  const LawPlan& law = tcp.window;
  ecnomy_settings out{};
  out.w_inc = fixed(std::clamp(flows, 1.0, kMostWeight));
  out.halve = value_of<MulTcp>(law, "decrease") != 0;
  out.least_ssthresh = fixed(std::min(value_of<MulTcp>(law, "min_ssthresh"), kMostWeight));
  out.first_window = fixed(tcp.initial_window);
  return out;
}

// The weight of a law in the plan, or 0 for a law without a weight.
inline double own_weight(const LawPlan& law) noexcept {
  if (law.law == Wtp::kName) return value_of<Wtp>(law, "w_inc") * value_of<Wtp>(law, "w_dec");
  return law.law == MulTcp::kName ? value_of<MulTcp>(law, "flows") : 0.0;
}

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_LAW_SETTINGS_H_
