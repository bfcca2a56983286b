// SPDX-License-Identifier: LGPL-3.0-or-later
// The times at which a run's values are sampled for OMNeT++'s results: with the market's series if there are
// any, otherwise at its reports. There is always a sample at the end of the warm-up and at the end of the run.
// Modules need no timers for it, and sampling costs nothing per packet.
#ifndef ECNOMY_INET_RESULTS_SAMPLE_H_
#define ECNOMY_INET_RESULTS_SAMPLE_H_

#include <cstdint>

#include "laws/simulated_time.h"

namespace ecnomy::omnet {

struct Sample {
  Time from, to;  // from the last sample to this one; equal at t = 0
  Time warmup;

  // True if the counts since the last sample are part of the results. Counts up to the end of the warm-up are not.
  bool counts() const noexcept { return to > from && to > warmup; }
  // True if states are part of the results. States at the end of the warm-up are.
  bool measured() const noexcept { return to >= warmup; }
  // True if the run or its measured time begins here.
  bool begins() const noexcept { return to == 0 || to == warmup; }
  double seconds() const noexcept { return ecnomy::seconds(to - from); }
  // The rate of `bytes` in the time since the last sample, in bit/s.
  double bitRate(std::int64_t bytes) const noexcept {
    return static_cast<double>(bytes) * 8 / seconds();
  }
};

class ISampled {
 public:
  virtual ~ISampled() = default;
  // Called when the accounts of all links are up to date. It must not change any state that other modules use.
  virtual void sample(const Sample& sample) = 0;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_RESULTS_SAMPLE_H_
