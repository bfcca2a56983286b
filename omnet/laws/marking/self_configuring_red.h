// SPDX-License-Identifier: Apache-2.0
// Self-configuring RED (Feng, Kandlur, Saha and Shin, "A self-configuring RED gateway", INFOCOM 1999): RED
// (red.h, gentle) whose max_p follows the average queue. At each arrival, after the average is updated,
//
//   the average has fallen below min_threshold   max_p <- max_p / decrease
//   the average has risen above max_threshold    max_p <- min(1, max_p * increase)
//
// once per crossing. The average must return between the thresholds, or cross to the other side, before the
// same change happens again. The first average of an idle link is below min_threshold. The paper's RED is not
// gentle, and its max_p has no bound.
#ifndef ECNOMY_LAWS_MARKING_SELF_CONFIGURING_RED_H_
#define ECNOMY_LAWS_MARKING_SELF_CONFIGURING_RED_H_

#include <algorithm>
#include <array>

#include "red.h"

namespace ecnomy {

class SelfConfiguringRed : public MarkingLaw {
 public:
  static constexpr const char* kName = "self-configuring-red";
  static constexpr About kAbout{
      "RED whose max_probability rises while the average queue is long and falls while it is "
      "short.",
      "Feng, Kandlur, Saha and Shin 1999"};
  static constexpr Parameter kParameters[] = {
      {"unit", "choice", 0, 0, 1, "packets,bytes", "Unit of the thresholds and the queue."},
      {"min_threshold", "unit", NAN, 0, kUnlimited, "",
       "Average queue at which marking begins; below it max_probability falls."},
      {"max_threshold", "unit", NAN, 0, kUnlimited, "",
       "Average queue above which max_probability rises."},
      {"max_probability", "", 0.1, 0, 1, "",
       "Initial marking probability at max_threshold: max_p."},
      {"weight", "", 0.002, 1e-9, 1, "",
       "Weight of the current queue in its moving average: w of Floyd and Jacobson 1993."},
      {"decrease", "", 3, 1, 1e6, "",
       "Divisor of max_probability when the average falls below min_threshold: alpha of the "
       "paper."},
      {"increase", "", 2, 1, 1e6, "",
       "Factor of max_probability when the average rises above max_threshold: beta of the paper."},
      {"mean_packet_bytes", "bytes", 1000, 1, 1e9, "",
       "Mean packet size, for the average of an idle link."},
  };
  static constexpr AtLeast kOrder[] = {{"max_threshold", "min_threshold"}};

  explicit SelfConfiguringRed(const double* values) : red_(as_red(values).data()) {
    configure(values);
  }

  // May be called between packets. The state is kept, but a changed max_probability replaces max_p.
  void configure(const double* values) {
    check_parameters(this, values);
    if (values[3] != first_) max_p_ = first_ = values[3];
    min_ = values[1];
    max_ = values[2];
    decrease_ = values[5];
    increase_ = values[6];
    red_.configure(as_red(values).data());
    red_.set_max_probability(max_p_);
  }

  template <class Uniform>
  [[gnu::noinline]] Decision on_arrival(const QueueView& queue, const PacketView& packet, Time now,
                                        Uniform&& uniform) noexcept {
    const double q = red_.observe(queue, now);
    adapt(red_.average());
    return red_.decide(q, queue, packet, uniform);
  }

  double probability() const noexcept { return red_.probability(); }
  double max_probability() const noexcept { return max_p_; }

 private:
  enum class Side : std::uint8_t { below, between, above };

  static std::array<double, std::size(Red::kParameters)> as_red(const double* values) {
    check_parameters<SelfConfiguringRed>(values);
    return Red::from_first_five(values, values[7]);
  }

  void adapt(double average) noexcept {
    if (average > min_ && average < max_) {
      side_ = Side::between;
    } else if (average < min_ && side_ != Side::below) {
      move(Side::below, max_p_ / decrease_);
    } else if (average > max_ && side_ != Side::above) {
      move(Side::above, std::min(1.0, max_p_ * increase_));
    }
  }

  void move(Side side, double max_p) noexcept {
    side_ = side;
    max_p_ = max_p;
    red_.set_max_probability(max_p);
  }

  Red red_;
  double min_, max_, decrease_, increase_;
  double first_ = -1.0;  // max_probability as configured
  double max_p_ = 0.0;
  Side side_ = Side::between;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_SELF_CONFIGURING_RED_H_
