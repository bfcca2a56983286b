// SPDX-License-Identifier: Apache-2.0
// Promises to a class of service on one link (christin2003 section 4 and Table 1). They are absolute, or relative to
// the next class. The value -1 means that there is no such promise.
//   delay_s      D_n <= d_n, the queueing delay of every packet
//   loss         p_n <= L_n, the share of its bytes dropped in a busy period
//   rate_bps     r_n >= mu_n while it is backlogged
//   delay_ratio  D_n = ratio D_(n+1)        loss_ratio  p_n = ratio p_(n+1)
// Classes that are connected by ratios are a chain. A class's weight is the product of the ratios from the
// class to the end of its chain, so D_n / weight_n is the same for all classes of the chain.
#ifndef ECNOMY_LAWS_SCHEDULING_SERVICE_CLASS_H_
#define ECNOMY_LAWS_SCHEDULING_SERVICE_CLASS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "../parameter.h"

namespace ecnomy {

struct ServiceClass {
  static constexpr const char* kName = "service-class";
  static constexpr About kAbout{"Promises to a class under class-based.", "christin2003 section 4"};
  static constexpr Parameter kParameters[] = {
      {"delay_s", "s", -1, -1, 1e6, "",
       "Bound on the queueing delay of the class's packets: d_n (christin2003 Eq. 11); -1: no "
       "bound."},
      {"loss", "", -1, -1, 1, "",
       "Bound on the share of the class's bytes dropped in a busy period: L_n; -1: no bound."},
      {"rate_bps", "bit/s", 0, 0, 1e15, "", "Rate promised to the class: mu_n; 0: no promise."},
      {"delay_ratio", "", -1, -1, 1e6, "",
       "Ratio of the class's delay to the next class's in the chain; -1: not in a chain."},
      {"loss_ratio", "", -1, -1, 1e6, "",
       "Ratio of the class's loss to the next class's in the chain; -1: not in a chain."},
  };

  explicit ServiceClass(const double* values)
      : delay_s(values[0]),
        loss(values[1]),
        rate_bps(values[2]),
        delay_ratio(values[3]),
        loss_ratio(values[4]) {
    check_parameters(this, values);
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{4}}) {
      const bool least = i == 1 ? values[i] >= 0 : values[i] > 0;
      if (values[i] == -1 || least) continue;
      throw BadParameter(std::string(kName) + ": " + kParameters[i].name +
                         " is neither -1 nor positive");
    }
  }

  double delay_s, loss, rate_bps, delay_ratio, loss_ratio;

  bool in_time() const noexcept { return delay_s >= 0; }
  bool loss_bounded() const noexcept { return loss >= 0; }
};

// The chains of one kind of ratio, and each class's weight in its chain.
struct Chains {
  // `ratios` has one entry per class; -1 means that the class is not tied to the next one. The last class's ratio is
  // ignored.
  explicit Chains(const std::vector<double>& ratios)
      : weight(ratios.size(), 1.0), end(ratios.size()) {
    for (std::size_t n = ratios.size(); n-- > 0;) {
      const bool tied = n + 1 < ratios.size() && ratios[n] > 0;
      end[n] = tied ? end[n + 1] : n;
      if (tied) weight[n] = ratios[n] * weight[n + 1];
    }
  }

  bool tied(std::size_t n) const noexcept { return end[n] != n || (n > 0 && end[n - 1] == n); }

  std::vector<double> weight;
  std::vector<std::size_t> end;  // the last class of each class's chain
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_SERVICE_CLASS_H_
