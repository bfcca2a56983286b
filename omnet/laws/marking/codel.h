// SPDX-License-Identifier: Apache-2.0
// Controlled delay (Nichols, Jacobson, McGregor and Iyengar, RFC 8289 section 5; controlled_delay.h), which marks
// packets that the RFC drops. A packet's waiting time is the time from its arrival to the start of its transmission. If
// fewer bytes wait than the largest packet so far has, the queue counts as empty.
//
// Linux's codel with ecn does the same, with at most one mark per departure. The law never drops packets. Packets that
// are not ECN-capable count like other packets, but only the buffer limits them.
#ifndef ECNOMY_LAWS_MARKING_CODEL_H_
#define ECNOMY_LAWS_MARKING_CODEL_H_

#include <algorithm>

#include "controlled_delay.h"
#include "marking.h"
#include "waiting_times.h"

namespace ecnomy {

class Codel : public MarkingLaw {
 public:
  static constexpr const char* kName = "codel";
  static constexpr About kAbout{
      "Marks packets at a rising rate while they wait longer than a target (controlled delay).",
      "RFC 8289 section 5"};
  static constexpr MarkingTraits kTraits{.departures = true, .drops = true, .late = "1"};
  static constexpr Parameter kParameters[] = {
      {"target_s", "s", 0.005, 1e-6, 1e6, "",
       "Waiting time below which no packet is marked (RFC 8289 section 4.4)."},
      {"interval_s", "s", 0.1, 1e-6, 1e6, "",
       "Time above the target before the first mark: the round trip of most connections (RFC 8289 "
       "section 4.3)."},
  };

  explicit Codel(const double* values) { configure(values); }

  // May be called between packets; the state is kept.
  void configure(const double* values) {
    check_parameters(this, values);
    bounds_ = {picoseconds(values[0]), picoseconds(values[1])};
  }

  template <class Uniform>
  [[gnu::noinline]] Decision on_arrival(const QueueView&, const PacketView&, Time now,
                                        Uniform&&) noexcept {
    waiting_.arrive(now);
    return {};
  }

  void on_drop(const PacketView&, Time) noexcept { waiting_.withdraw(); }

  bool watches_departures() const noexcept { return true; }

  template <class Uniform>
  [[gnu::noinline]] Decision on_departure(const QueueView& queue, const PacketView& packet,
                                          Time now, Uniform&&) noexcept {
    largest_ = std::max(largest_, packet.bytes);
    const Time waited = now - waiting_.depart(now);
    marked_ = delay_.strikes(bounds_, waited, queue.bytes <= largest_, now);
    return {marked_ ? Action::mark : Action::pass, kNoFlow};
  }

  // 1 if the last departing packet was marked, else 0.
  double probability() const noexcept { return marked_ ? 1.0 : 0.0; }

 private:
  WaitingTimes waiting_;
  ControlledDelay delay_;
  ControlledDelay::Bounds bounds_;
  std::int32_t largest_ = 0;
  bool marked_ = false;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_CODEL_H_
