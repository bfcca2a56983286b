// SPDX-License-Identifier: LGPL-3.0-or-later
// The weight of an emitted value for the result recorder `average`: a number of seconds or packets.
#ifndef ECNOMY_INET_RESULTS_WEIGHT_H_
#define ECNOMY_INET_RESULTS_WEIGHT_H_

#include <omnetpp.h>

#include <cstdint>

namespace ecnomy::omnet {

class Weight : public omnetpp::cObject {
 public:
  explicit Weight(double value) : value(value) {}
  const double value;
};

// The share of `part` in `whole`. It is 0 if `whole` is 0, and as a mean it then has weight 0.
inline double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Emits a mean with its weight.
inline void emitMean(omnetpp::cModule* module, omnetpp::simsignal_t signal, double value,
                     double weight) {
  if (!module->mayHaveListeners(signal)) return;
  Weight stands(weight);
  module->emit(signal, value, &stands);
}

inline void emitShare(omnetpp::cModule* module, omnetpp::simsignal_t signal, std::int64_t part,
                      std::int64_t whole) {
  emitMean(module, signal, share(part, whole), static_cast<double>(whole));
}

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_RESULTS_WEIGHT_H_
