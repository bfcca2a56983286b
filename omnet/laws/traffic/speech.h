// SPDX-License-Identifier: Apache-2.0
// Silence suppression (andreassen2002 section 2.2.1): within a call talk spurts and silences alternate, both
// exponential, by default with the means of ITU-T P.59 (1.004 s and 1.587 s). The call's packets keep
// their ticks, and those in a silence are not sent: what is sent is a part of what would be without.
//
// A call begins in the long run's state: in a spurt with probability talk / (talk + silence). Draws come from
// a stream of their own, so that calls are the same with and without: for each call that is let in one
// uniform for its first state, then one for each length, until the call's end is reached.
#ifndef ECNOMY_LAWS_TRAFFIC_SPEECH_H_
#define ECNOMY_LAWS_TRAFFIC_SPEECH_H_

#include "../parameter.h"
#include "../random/inversion.h"

namespace ecnomy {

class Speech {
 public:
  static constexpr const char* kName = "speech";
  static constexpr About kAbout{
      "Silence suppression: talk spurts and silences alternate within a call.",
      "andreassen2002 section 2.2.1; ITU-T P.59"};
  static constexpr Parameter kParameters[] = {
      {"talk_mean_s", "s", 1.004, 1e-3, 2e5, "", "Mean length of a talk spurt (ITU-T P.59)."},
      {"silence_mean_s", "s", 1.587, 1e-3, 2e5, "", "Mean length of a silence (ITU-T P.59)."},
  };

  explicit Speech(const double* values) {
    check_parameters(kName, kParameters, values);
    talk_mean_ps_ = values[0] * kPsPerSecond;
    silence_mean_ps_ = values[1] * kPsPerSecond;
  }

  // A call begins.
  template <class Uniform>
  void begin(Time now, Uniform&& uniform) noexcept {
    talking_ = uniform() < talk_mean_ps_ / (talk_mean_ps_ + silence_mean_ps_);
    until_ = later(now, length(uniform));
  }

  // The first of the ticks `tick`, tick + interval, ... that lies in a spurt; where none does before `end`,
  // one that is not before it. A spurt has its beginning and not its end.
  template <class Uniform>
  Time spoken(Time tick, Time interval, Time end, Uniform&& uniform) noexcept {
    while (tick < end) {
      while (until_ <= tick) {
        talking_ = !talking_;
        until_ = later(until_, length(uniform));
      }
      if (talking_) return tick;
      tick = later(tick, repeated((until_ - tick + interval - 1) / interval, interval));
    }
    return tick;
  }

 private:
  template <class Uniform>
  Time length(Uniform&& uniform) const noexcept {
    return drawn(exponential(talking_ ? talk_mean_ps_ : silence_mean_ps_, uniform()));
  }

  double talk_mean_ps_, silence_mean_ps_;
  bool talking_ = false;
  Time until_ = 0;  // when the present spurt or silence ends
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_TRAFFIC_SPEECH_H_
