// SPDX-License-Identifier: Apache-2.0
// Silence suppression (andreassen2002 section 2.2.1): within a call talk spurts and silences alternate. Both are
// exponential, by default with the means of ITU-T P.59 (1.004 s and 1.587 s). Packets keep their times, but
// packets in a silence are not sent.
//
// A call begins in the stationary state: in a spurt with probability talk / (talk + silence). Draws come from a
// separate stream, so calls are the same with and without silence suppression. Each accepted call takes one
// uniform for its first state, then one for each length, until the end of the call.
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
    check_parameters(this, values);
    talk_mean_ps_ = values[0] * kPsPerSecond;
    silence_mean_ps_ = values[1] * kPsPerSecond;
  }

  // Begins a call.
  template <class Uniform>
  void begin(Time now, Uniform&& uniform) noexcept {
    talking_ = uniform() < talk_mean_ps_ / (talk_mean_ps_ + silence_mean_ps_);
    until_ = later(now, length(uniform));
  }

  // The first of the ticks `tick`, tick + interval, ... that lies in a spurt. If no tick before `end` does, the result
  // is a tick at or after `end`. A spurt includes its beginning but not its end.
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
  Time until_ = 0;  // end of the current spurt or silence
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_TRAFFIC_SPEECH_H_
