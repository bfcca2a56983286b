// SPDX-License-Identifier: Apache-2.0
// Controlled delay (Nichols, Jacobson, McGregor and Iyengar, RFC 8289 section 5), which marks packets that the
// RFC drops. At the start of its transmission a packet has waited for the time s since its arrival.
//
//   ok       for an interval without a break, s >= target and more bytes than the largest packet so far
//            wait behind the packet
//   marking  starts at the first packet that is ok. This packet is marked; the next mark is due at
//            next = now + interval / sqrt(count), count = 1. If less than 16 intervals have passed since
//            `next`, count is the number of marks of the last marking period instead
//   then     a packet at or after `next` is marked: count <- count + 1, next <- next + interval / sqrt(count)
//   ends     at the first packet that is not ok
//
// Linux's codel with ecn does the same, with at most one mark per departure. The law never drops packets. Packets
// that are not ECN-capable count like others, but only the buffer limits them.
#ifndef ECNOMY_LAWS_MARKING_CODEL_H_
#define ECNOMY_LAWS_MARKING_CODEL_H_

#include <algorithm>

#include "marking.h"
#include "waiting_times.h"

namespace ecnomy {

class Codel : public MarkingLaw {
 public:
  static constexpr const char* kName = "codel";
  static constexpr About kAbout{
      "Marks packets at a rising rate while they wait longer than a target (controlled delay).",
      "RFC 8289 section 5"};
  static constexpr MarkingTraits kTraits{.departures = true, .drops = true};
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
    check_parameters(kName, kParameters, values);
    target_ = picoseconds(values[0]);
    interval_ = picoseconds(values[1]);
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
    const bool ok = overdue(queue, now);
    marked_ = ok && (marking_ ? now >= next_ : true);
    if (ok && !marking_) {
      begin(now);
    } else if (marked_) {
      ++count_;
      next_ += step();
    }
    marking_ = ok;
    return {marked_ ? Action::mark : Action::pass, kNoFlow};
  }

  // 1 if the last departing packet was marked, else 0.
  double probability() const noexcept { return marked_ ? 1.0 : 0.0; }

 private:
  bool overdue(const QueueView& queue, Time now) noexcept {
    const Time waited = now - waiting_.depart(now);
    if (waited < target_ || queue.bytes <= largest_) {
      ok_from_ = kNever;
      return false;
    }
    if (ok_from_ == kNever) {
      ok_from_ = now + interval_;
      return false;
    }
    return now >= ok_from_;
  }

  void begin(Time now) noexcept {
    const std::int64_t marks = count_ - first_count_;
    count_ = marks > 1 && now - next_ < 16 * interval_ ? marks : 1;
    first_count_ = count_;
    next_ = now + step();
  }

  Time step() const noexcept {
    return static_cast<Time>(static_cast<double>(interval_) /
                             std::sqrt(static_cast<double>(count_)));
  }

  WaitingTimes waiting_;
  Time target_, interval_;
  Time ok_from_ = kNever;  // packets are ok from this time on; kNever after one below the target
  Time next_ = 0;          // time of the next mark
  std::int64_t count_ = 0, first_count_ = 0;
  std::int32_t largest_ = 0;
  bool marking_ = false, marked_ = false;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_CODEL_H_
