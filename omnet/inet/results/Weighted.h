// SPDX-License-Identifier: LGPL-3.0-or-later
// What an emitted value stands for, for the result recorder `average`: so many seconds, so many packets.
#ifndef ECNOMY_INET_RESULTS_WEIGHTED_H_
#define ECNOMY_INET_RESULTS_WEIGHTED_H_

#include <omnetpp.h>

#include <cstdint>

namespace ecnomy::omnet {

class Weight : public omnetpp::cObject {
 public:
  explicit Weight(double value) : value(value) {}
  const double value;
};

// Of nothing 0, which as a mean has no weight.
inline double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_RESULTS_WEIGHTED_H_
