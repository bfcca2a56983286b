// SPDX-License-Identifier: LGPL-3.0-or-later
// The moments at which a run's figures are sampled for OMNeT++'s results: with the market's series where
// there are any, otherwise at its reports; at the end of the warm-up and at the end in any case. Nobody has
// a timer of his own for it, and no packet costs anything.
#ifndef ECNOMY_INET_RESULTS_SAMPLE_H_
#define ECNOMY_INET_RESULTS_SAMPLE_H_

#include "laws/parameter.h"

namespace ecnomy::omnet {

struct Sample {
  Time from, to;  // since the last one; equal at t = 0
  Time warmup;

  // Whether what happened since the last one counts; what ends with the warm-up does not.
  bool counts() const noexcept { return to > from && to > warmup; }
  // Whether states count: those at the end of the warm-up do.
  bool measured() const noexcept { return to >= warmup; }
  // A state holds from here on, as the run or what is measured of it begins.
  bool begins() const noexcept { return to == 0 || to == warmup; }
  double seconds() const noexcept { return ecnomy::seconds(to - from); }
};

class ISampled {
 public:
  virtual ~ISampled() = default;
  // All links' accounts are those of the moment. Changes nothing that others see.
  virtual void sample(const Sample& sample) = 0;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_RESULTS_SAMPLE_H_
