// SPDX-License-Identifier: Apache-2.0
// A telephone user (GenSyn VoIP, andreassen2002 section 2.2.1; experiments T4): idle for an exponential
// time of mean idle_mean_s, then in a call for an exponential time of mean call_mean_s, and so on. In a
// call a packet leaves every interval_s, the first after U * interval_s (`random_phase`: users are
// independent) or at the call's start (the user's ticks run from there). Idleness comes first.
//
// Draws, in this order for each call: idle time, holding time, phase (if random).
#ifndef ECNOMY_LAWS_TRAFFIC_VOIP_H_
#define ECNOMY_LAWS_TRAFFIC_VOIP_H_

#include "../parameter.h"
#include "../random/inversion.h"

namespace ecnomy {

class Voip {
 public:
  static constexpr const char* kName = "voip";
  static constexpr Parameter kParameters[] = {
      {"idle_mean_s", "s", 1200, 1e-6, 2e5, ""},
      {"call_mean_s", "s", 180, 1e-6, 2e5, ""},
      {"interval_s", "s", 0.1, 1e-9, 1e6, ""},
      {"random_phase", "flag", 1, 0, 1, ""},
  };

  explicit Voip(const double* values) {
    check_parameters(kName, kParameters, values);
    idle_mean_ps_ = values[0] * kPsPerSecond;
    call_mean_ps_ = values[1] * kPsPerSecond;
    interval_ = picoseconds(values[2]);
    random_phase_ = values[3] != 0;
  }

  // From the user's start to the first packet.
  template <class Uniform>
  Time first(Uniform&& uniform) noexcept {
    return next_call(0, uniform);
  }

  // From a packet to the next, through as many calls as have no packet.
  template <class Uniform>
  Time gap(Uniform&& uniform) noexcept {
    if (in_call_ + interval_ < holding_) {
      in_call_ += interval_;
      return interval_;
    }
    return next_call(holding_ - in_call_, uniform);
  }

  std::int64_t calls() const noexcept { return calls_; }

 private:
  template <class Uniform>
  Time next_call(Time waited, Uniform&& uniform) noexcept {
    for (;;) {
      waited += static_cast<Time>(exponential(idle_mean_ps_, uniform()));
      holding_ = static_cast<Time>(exponential(call_mean_ps_, uniform()));
      in_call_ = random_phase_ ? static_cast<Time>(uniform() * static_cast<double>(interval_)) : 0;
      ++calls_;
      if (in_call_ < holding_) return waited + in_call_;
      waited += holding_;
    }
  }

  double idle_mean_ps_, call_mean_ps_;
  Time interval_;
  bool random_phase_;
  Time holding_ = 0;  // of the present call
  Time in_call_ = 0;  // from its start to its last packet
  std::int64_t calls_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_TRAFFIC_VOIP_H_
