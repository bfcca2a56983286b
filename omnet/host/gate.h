// SPDX-License-Identifier: Apache-2.0
// Spaces a sender's packets: a packet may leave `interval` after the previous one, plus its drawn send overhead.
// The schedule excludes the overhead, so overheads do not add up. A sender that was blocked for other reasons
// keeps a credit of one packet.
#ifndef ECNOMY_HOST_GATE_H_
#define ECNOMY_HOST_GATE_H_

#include <algorithm>

#include "laws/parameter.h"

namespace ecnomy {

class Gate {
 public:
  // Much longer than any run, and much too short for an overflow.
  static constexpr Time kLongest = Time{1} << 60;

  static Time interval(double ps) noexcept {
    return ps < static_cast<double>(kLongest) ? static_cast<Time>(ps) : kLongest;
  }

  bool open(Time now) const noexcept { return now >= leaves_at(); }
  Time leaves_at() const noexcept { return at_ + overhead_; }
  Time at() const noexcept { return at_; }      // time at which it opens, without overhead
  Time from() const noexcept { return from_; }  // time at which its interval began

  void restart(Time now) noexcept {
    from_ = at_ = now;
    overhead_ = 0;
  }
  // Shuts the gate after a packet has left.
  void shut(Time now, Time interval, Time overhead) noexcept {
    from_ = std::max(at_, now - interval);
    at_ = from_ + interval;
    overhead_ = overhead;
  }
  // Applies a new, shorter interval, which counts from the last packet.
  void shorten(Time interval) noexcept { at_ = std::min(at_, from_ + interval); }
  // Sets the interval since the last packet.
  void retime(Time interval) noexcept { at_ = from_ + interval; }
  // Limits the remaining wait to one current interval from now.
  void hasten(Time now, Time interval) noexcept { at_ = std::min(at_, now + interval); }

 private:
  Time from_ = 0;
  Time at_ = 0;
  Time overhead_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_GATE_H_
