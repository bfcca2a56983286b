// SPDX-License-Identifier: Apache-2.0
// Assigns calls to lines, for a source whose calls come from an unlimited population (voip.h): one Poisson
// process for all lines of the source. One free line waits for the next call: the lowest one that is free when
// the wait begins. A call that arrives while all lines are busy is lost. It is counted when a line becomes
// free, or when lose() is called.
#ifndef ECNOMY_HOST_CALLERS_H_
#define ECNOMY_HOST_CALLERS_H_

#include <cstdint>
#include <optional>
#include <set>

#include "host/accounts.h"
#include "host/plan.h"
#include "laws/random/stream.h"
#include "laws/traffic/voip.h"

namespace ecnomy {

class Callers {
 public:
  struct Turn {
    std::int32_t line;
    Time at;
  };

  // The source must outlive it.
  Callers(const SourcePlan& source, Stream arrivals, std::int32_t first_flow)
      : source_(&source),
        law_(source.traffic.values.data()),
        arrivals_(arrivals),
        first_flow_(first_flow) {}

  // Called when a line becomes free, at its start or after a call.
  void free(std::int32_t line, Time now) {
    if (!opened_) next_ = after(now);
    opened_ = true;
    free_.insert(line);
  }

  // Returns the line that now waits for the next call, and the time of this call. There is no value if a line already
  // waits, all lines are busy, or the source stops before the call.
  std::optional<Turn> turn(Time now, CallRegister& call_register) {
    if (waiting_ || free_.empty()) return std::nullopt;
    lose(now, call_register);
    const Time stop = source_->stop_ps;
    if (stop >= 0 && next_ >= stop) return std::nullopt;
    waiting_ = true;
    const std::int32_t line = *free_.begin();
    free_.erase(free_.begin());
    return Turn{line, next_};
  }

  // Records that the call for the waiting line has arrived, and draws the time of the next call.
  void come() {
    waiting_ = false;
    next_ = after(next_);
  }

  // Adds records of the calls up to now that found no free line.
  void lose(Time now, CallRegister& call_register) {
    if (waiting_ || !opened_) return;
    const Time stop = source_->stop_ps;
    for (; next_ <= now && (stop < 0 || next_ < stop); next_ = after(next_)) {
      CallRecord call{};
      call.id = call_register.number();
      call.flow = first_flow_;
      call.user = -1;
      call.start_ps = call.end_ps = next_;
      call.complete = 1;
      call_register.add(call);
    }
  }

 private:
  Time after(Time time) { return later(time, source_->profile.stretch(time, law_.gap(arrivals_))); }

  const SourcePlan* source_;
  Voip law_;
  Stream arrivals_;
  std::int32_t first_flow_;
  std::set<std::int32_t> free_;
  Time next_ = 0;  // time of the next call
  bool opened_ = false;
  bool waiting_ = false;  // a line waits for the next call
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_CALLERS_H_
