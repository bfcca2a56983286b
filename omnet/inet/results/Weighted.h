// SPDX-License-Identifier: LGPL-3.0-or-later
// What an emitted value stands for, for the result recorder `average`: so many seconds, so many packets.
#ifndef ECNOMY_INET_RESULTS_WEIGHTED_H_
#define ECNOMY_INET_RESULTS_WEIGHTED_H_

#include <omnetpp.h>

namespace ecnomy::omnet {

class Weight : public omnetpp::cObject {
 public:
  explicit Weight(double value) : value(value) {}
  const double value;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_RESULTS_WEIGHTED_H_
