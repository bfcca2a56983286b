// SPDX-License-Identifier: Apache-2.0
// Proportional-integral control of the queue (Hollot, Misra, Towsley and Gong, "On designing improved
// controllers for AQM routers supporting TCP flows", INFOCOM 2001; christin2003 section 5.1). Every
// `interval_s` the queue q is sampled and
//   p <- p + a (q - q_ref) - b (q_before - q_ref),   kept in [0, 1].
// Every arrival is marked with probability p. a must exceed b: the difference is the gain of the integral of the
// queue's error. Both are per packet. `unit` is the unit of the queue and of q_ref (`reference`). If the unit is bytes,
// a packet counts as mean_packet_bytes.
#ifndef ECNOMY_LAWS_MARKING_PI_H_
#define ECNOMY_LAWS_MARKING_PI_H_

#include <algorithm>

#include "marking.h"

namespace ecnomy {

class Pi : public MarkingLaw {
 public:
  static constexpr const char* kName = "pi";
  static constexpr About kAbout{
      "A proportional-integral controller keeps the queue at a reference.",
      "Hollot, Misra, Towsley and Gong 2001; christin2003 section 5.1"};
  static constexpr MarkingTraits kTraits{.clock = true};
  static constexpr Parameter kParameters[] = {
      {"unit", "choice", 0, 0, 1, "packets,bytes",
       "Whether the queue and its reference count packets or bytes."},
      {"reference", "unit", NAN, 0, kUnlimited, "", "Reference queue of the controller: q_ref."},
      {"a", "", NAN, 0, 1e6, "", "Gain of the current queue error, per packet."},
      {"b", "", NAN, 0, 1e6, "",
       "Gain of the previous sample's queue error, per packet; at most a."},
      {"interval_s", "s", 0.00625, 1e-6, 1e6, "",
       "Time between two samples of the queue (1/160 s in the paper)."},
      {"mean_packet_bytes", "bytes", 1000, 1, 1e9, "",
       "Packet size by which q and a reference in bytes are divided."},
  };
  static constexpr AtLeast kOrder[] = {{"a", "b"}};

  explicit Pi(const double* values) { configure(values); }

  // May be called between packets; the state is kept.
  void configure(const double* values) {
    check_parameters(this, values);
    in_bytes_ = values[0] != 0;
    packet_ = in_bytes_ ? values[5] : 1.0;
    reference_ = values[1];
    a_ = values[2];
    b_ = values[3];
    interval_ = picoseconds(values[4]);
  }

  template <class Uniform>
  Decision on_arrival(const QueueView&, const PacketView&, Time, Uniform&& uniform) noexcept {
    const bool mark = probability_ > 0 && uniform() < probability_;
    return {mark ? Action::mark : Action::pass, kNoFlow};
  }

  Time first_timer() const noexcept { return interval_; }

  Time on_timer(const QueueView& queue, Time now) noexcept {
    const double length = static_cast<double>(in_bytes_ ? queue.bytes : queue.packets);
    const double change = a_ * (length - reference_) - b_ * (before_ - reference_);
    probability_ = std::clamp(probability_ + change / packet_, 0.0, 1.0);
    before_ = length;
    return now + interval_;
  }

  double probability() const noexcept { return probability_; }

 private:
  bool in_bytes_;
  double packet_, reference_, a_, b_;
  Time interval_;
  double before_ = 0.0;  // the queue at the last sample
  double probability_ = 0.0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_PI_H_
