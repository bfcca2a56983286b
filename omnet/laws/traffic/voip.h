// SPDX-License-Identifier: Apache-2.0
// A telephone user (GenSyn VoIP, andreassen2002 section 2.2.1; experiments T4). The user is idle for an
// exponential time of mean idle_mean_s, then in a call for an exponential time of mean call_mean_s, and so on,
// beginning with an idle time. In a call a packet leaves every interval_s. The first packet leaves after
// U * interval_s (`random_phase`: users are independent), or at the start of the call.
//
// With interarrival_mean_s above 0 the source's calls come from an unlimited population: one Poisson process
// for the whole source, whose members are lines (host/callers.h). A call that finds all lines busy is lost,
// as in Erlang's B formula (A. K. Erlang 1917).
//
// The draws for each call are, in this order: idle time, holding time, phase (if random). A refused call takes
// the same draws, so it changes only the times of later calls. Arrivals are drawn from a stream of the source.
#ifndef ECNOMY_LAWS_TRAFFIC_VOIP_H_
#define ECNOMY_LAWS_TRAFFIC_VOIP_H_

#include <algorithm>

#include "../parameter.h"
#include "../random/inversion.h"
#include "traffic.h"

namespace ecnomy {

class Voip {
 public:
  static constexpr const char* kName = "voip";
  static constexpr About kAbout{
      "A telephone user over UDP, idle and in a call in turn. A call sends packets at a constant "
      "interval.",
      "andreassen2002 section 2.2.1"};
  static constexpr TrafficTraits kTraits{.datagrams = true};
  static constexpr Parameter kParameters[] = {
      {"idle_mean_s", "s", 1200, 1e-6, 2e5, "",
       "Mean idle time between calls, exponentially distributed (andreassen2002 section 2.2.1)."},
      {"call_mean_s", "s", 180, 1e-6, 2e5, "", "Mean length of a call, exponentially distributed."},
      {"interval_s", "s", 0.1, 1e-9, 1e6, "", "Time between two packets of a call."},
      {"random_phase", "flag", 1, 0, 1, "",
       "A call's first packet leaves after a random part of the interval, not at once."},
      {"interarrival_mean_s", "s", 0, 0, 2e5, "",
       "Mean time between calls of the whole source, a Poisson process; 0: idle_mean_s applies to "
       "each user."},
  };

  struct Call {
    Time idle;     // since the end of the previous call, or the user's start
    Time holding;  // duration of the call
    Time phase;    // from its start to its first packet; no packet if it is not below `holding`
  };

  explicit Voip(const double* values) {
    check_parameters(this, values);
    idle_mean_ps_ = values[0] * kPsPerSecond;
    call_mean_ps_ = values[1] * kPsPerSecond;
    interval_ = picoseconds(values[2]);
    random_phase_ = values[3] != 0;
    interarrival_mean_ps_ = values[4] * kPsPerSecond;
  }

  // `longest` limits the duration of a call without changing the draws; kNever means no limit.
  template <class Uniform>
  Call next(Uniform&& uniform, Time longest = kNever) const noexcept {
    Call call;
    call.idle = drawn(exponential(idle_mean_ps_, uniform()));
    call.holding = drawn(exponential(call_mean_ps_, uniform()));
    if (longest != kNever) call.holding = std::min(call.holding, longest);
    call.phase = random_phase_ ? drawn(uniform() * static_cast<double>(interval_)) : 0;
    return call;
  }

  Time interval() const noexcept { return interval_; }

  // True if calls come from an unlimited population; gap() is then the time between two calls.
  bool pooled() const noexcept { return interarrival_mean_ps_ > 0; }
  template <class Uniform>
  Time gap(Uniform&& uniform) const noexcept {
    return drawn(exponential(interarrival_mean_ps_, uniform()));
  }

 private:
  double idle_mean_ps_, call_mean_ps_, interarrival_mean_ps_;
  Time interval_;
  bool random_phase_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_TRAFFIC_VOIP_H_
