// SPDX-License-Identifier: Apache-2.0
// Blue (Feng, Shin, Kandlur and Saha, "The BLUE active queue management algorithms", IEEE/ACM Transactions on
// Networking 10, 2002). A probability p follows losses and idle times instead of the queue:
//
//   the buffer is full, or a packet meets more than `limit_packets`   p <- min(1, p + increment)
//   the transmitter becomes idle                                      p <- max(0, p - decrement)
//
// At most one change happens within `freeze_s`. Every arrival is marked with probability p. Each idle period is one
// event. It counts as a change even if p is 0, and even before the first packet.
#ifndef ECNOMY_LAWS_MARKING_BLUE_H_
#define ECNOMY_LAWS_MARKING_BLUE_H_

#include <algorithm>

#include "marking.h"

namespace ecnomy {

class Blue : public MarkingLaw {
 public:
  static constexpr const char* kName = "blue";
  static constexpr About kAbout{
      "The marking probability rises when the buffer overflows and falls when the link becomes "
      "idle.",
      "Feng, Shin, Kandlur and Saha 2002"};
  static constexpr MarkingTraits kTraits{.drops = true};
  static constexpr Parameter kParameters[] = {
      {"increment", "", 0.02, 0, 1, "", "Increase of the probability at a loss: d1 of the paper."},
      {"decrement", "", 0.002, 0, 1, "",
       "Decrease of the probability when the link becomes idle: d2 of the paper."},
      {"freeze_s", "s", 0.1, 0, 1e6, "",
       "Minimum time between two changes of the probability: freeze_time of the paper."},
      {"limit_packets", "packets", -1, -1, kUnlimited, "",
       "Queue in packets beyond which an arrival counts as a loss, like at a full buffer: L of the "
       "paper; -1: no limit."},
  };

  explicit Blue(const double* values) { configure(values); }

  // May be called between packets; the state is kept.
  void configure(const double* values) {
    check_parameters(this, values);
    increment_ = values[0];
    decrement_ = values[1];
    freeze_ = picoseconds(values[2]);
    limit_ = values[3];
  }

  template <class Uniform>
  [[gnu::noinline]] Decision on_arrival(const QueueView& queue, const PacketView&, Time now,
                                        Uniform&& uniform) noexcept {
    if (queue.idle_since != kNever) change(-decrement_, queue.idle_since);
    if (limit_ >= 0 && static_cast<double>(queue.packets) > limit_) change(increment_, now);
    const bool mark = probability_ > 0 && uniform() < probability_;
    return {mark ? Action::mark : Action::pass, kNoFlow};
  }

  void on_drop(const PacketView&, Time now) noexcept { change(increment_, now); }

  double probability() const noexcept { return probability_; }

 private:
  void change(double by, Time now) noexcept {
    if (changed_ != kNever && now - changed_ <= freeze_) return;
    probability_ = std::clamp(probability_ + by, 0.0, 1.0);
    changed_ = now;
  }

  double increment_, decrement_, limit_;
  Time freeze_;
  Time changed_ = kNever;
  double probability_ = 0.0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_BLUE_H_
