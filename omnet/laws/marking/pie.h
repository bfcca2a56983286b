// SPDX-License-Identifier: Apache-2.0
// Proportional integral controller enhanced (Pan, Natarajan, Baker and White, RFC 8033: appendix A with ECN,
// section 5.1; de-randomization, 5.4; and the cap, 5.5). The delay d is the time to send the waiting bytes at
// the link's rate. Every `update_s`
//
//   p  <-  p + k (alpha (d - target) + beta (d - d_before))       kept in [0, 1]
//
// with k = 1/2048, 1/512, 1/128, 1/32, 1/8, 1/2 while p < 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, else 1. From
// p = 0.1 on, p rises by at most 0.02 per update. While d and d_before are 0, p <- 0.98 p (section 4.2, as in
// Linux; appendix A does this below target / 2).
// All packets pass for `max_burst_s` after an arrival at p = 0 and d, d_before < target / 2. Packets also pass
// while d_before < target / 2 and p < 0.2, or while at most two mean packets wait. Any other packet is marked
// with probability p, but not before the sum of p since the last mark is 0.85, and always from a sum of 8.5 on.
// If p is above `mark_p`, the packet is dropped instead. A mark, and any drop, resets the sum.
#ifndef ECNOMY_LAWS_MARKING_PIE_H_
#define ECNOMY_LAWS_MARKING_PIE_H_

#include <algorithm>

#include "marking.h"
#include "pie_scale.h"

namespace ecnomy {

class Pie : public MarkingLaw {
 public:
  static constexpr const char* kName = "pie";
  static constexpr About kAbout{
      "A proportional-integral controller keeps the queueing delay at a target.", "RFC 8033"};
  static constexpr MarkingTraits kTraits{
      .clock = true, .drops = true, .ceiling = "mark_p"};  // above mark_p it drops packets
  static constexpr Parameter kParameters[] = {
      {"target_s", "s", 0.015, 1e-6, 1e6, "", "Target queueing delay: QDELAY_REF."},
      {"update_s", "s", 0.015, 1e-6, 1e6, "", "Time between two updates of the probability."},
      {"alpha", "", 0.125, 0, 1e6, "", "Gain of the current delay error, per second."},
      {"beta", "", 1.25, 0, 1e6, "",
       "Gain of the change in delay since the last update, per second."},
      {"max_burst_s", "s", 0.15, 0, 1e6, "",
       "Duration of a burst that passes after the queue was nearly empty: MAX_BURST."},
      {"mark_p", "", 0.1, 0, 1, "",
       "Probability above which packets are dropped instead of marked: mark_ecnth."},
      {"mean_packet_bytes", "bytes", 1000, 1, 1e9, "",
       "Mean packet size. No packet is marked while at most two mean packets wait."},
  };

  explicit Pie(const double* values) {
    configure(values);
    burst_ = max_burst_;
  }

  // May be called between packets; the state is kept.
  void configure(const double* values) {
    check_parameters(this, values);
    target_ = values[0];
    update_ = picoseconds(values[1]);
    alpha_ = values[2];
    beta_ = values[3];
    max_burst_ = picoseconds(values[4]);
    mark_p_ = values[5];
    few_bytes_ = 2 * values[6];
  }

  template <class Uniform>
  [[gnu::noinline]] Decision on_arrival(const QueueView& queue, const PacketView&, Time,
                                        Uniform&& uniform) noexcept {
    if (probability_ == 0 && low(delay_of(queue)) && low(before_)) burst_ = max_burst_;
    if (burst_ > 0 || !early(queue, uniform)) return {};
    sum_ = 0.0;
    return {probability_ <= mark_p_ ? Action::mark : Action::drop, kNoFlow};
  }

  void on_drop(const PacketView&, Time) noexcept { sum_ = 0.0; }

  Time first_timer() const noexcept { return update_; }

  Time on_timer(const QueueView& queue, Time now) noexcept {
    const double delay = delay_of(queue);
    double change =
        pie_scale(probability_) * (alpha_ * (delay - target_) + beta_ * (delay - before_));
    if (probability_ >= 0.1) change = std::min(change, 0.02);
    double p = probability_ + change;
    if (delay == 0 && before_ == 0) p *= 0.98;
    probability_ = std::clamp(p, 0.0, 1.0);
    before_ = delay;
    burst_ = std::max<Time>(0, burst_ - update_);
    return now + update_;
  }

  double probability() const noexcept { return probability_; }

 private:
  static double delay_of(const QueueView& queue) noexcept {
    return static_cast<double>(queue.bytes) * 8.0 / static_cast<double>(queue.rate_bps);
  }
  bool low(double delay) const noexcept { return delay < target_ / 2; }

  template <class Uniform>
  bool early(const QueueView& queue, Uniform&& uniform) noexcept {
    if (low(before_) && probability_ < 0.2) return false;
    if (static_cast<double>(queue.bytes) <= few_bytes_) return false;
    if (probability_ == 0) sum_ = 0.0;
    sum_ += probability_;
    if (sum_ < 0.85) return false;
    return sum_ >= 8.5 || uniform() < probability_;
  }

  double target_, alpha_, beta_, mark_p_, few_bytes_;
  Time update_, max_burst_;
  double probability_ = 0.0;
  double before_ = 0.0;  // the delay at the last update
  double sum_ = 0.0;     // sum of the probability since the last mark or drop
  Time burst_ = 0;       // remaining time in which all packets pass
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_PIE_H_
