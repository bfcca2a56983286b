// SPDX-License-Identifier: Apache-2.0
// Load-based marking (siris2002 section 4.3). Arrivals are measured in disjoint windows of t_avg
// (`interval_s`). At the end of each window
//   rho = arrived bits / (C t)                (t: actual length of the window; rho may exceed 1)
//   p   = 0 if rho < rho_0, else min(alpha (rho - rho_0), 1)
// Every arrival of the next window is marked with probability p.
#ifndef ECNOMY_LAWS_MARKING_LOAD_BASED_H_
#define ECNOMY_LAWS_MARKING_LOAD_BASED_H_

#include <algorithm>

#include "marking.h"

namespace ecnomy {

class LoadBased : public MarkingLaw {
 public:
  static constexpr const char* kName = "load-based";
  static constexpr About kAbout{
      "Marks with a probability that rises linearly with the load of the last interval.",
      "siris2002 section 4.3"};
  static constexpr MarkingTraits kTraits{
      .clock = true, .ceiling = "slope * (1 - threshold)", .per_load = "slope"};
  static constexpr Parameter kParameters[] = {
      {"interval_s", "s", 0.5, 1e-6, 1e6, "",
       "Interval over which the load is measured: t_avg (siris2002 section 4.3)."},
      {"threshold", "", 0.6, 0, 1e6, "",
       "Load above which packets are marked: rho_0; 1 is a full link."},
      {"slope", "", 0.71, 0, 1e6, "",
       "Increase of the marking probability per unit of load above the threshold: alpha."},
  };

  explicit LoadBased(const double* values) { configure(values); }

  // May be called between packets; the state is kept.
  void configure(const double* values) {
    check_parameters(this, values);
    interval_ = picoseconds(values[0]);
    threshold_ = values[1];
    slope_ = values[2];
  }

  template <class Uniform>
  Decision on_arrival(const QueueView&, const PacketView& packet, Time,
                      Uniform&& uniform) noexcept {
    arrived_bytes_ += packet.bytes;
    const bool mark = probability_ > 0 && uniform() < probability_;
    return {mark ? Action::mark : Action::pass, kNoFlow};
  }

  Time first_timer() const noexcept { return interval_; }

  Time on_timer(const QueueView& queue, Time now) noexcept {
    load_ = static_cast<double>(arrived_bytes_) * 8.0 /
            (static_cast<double>(queue.rate_bps) * seconds(now - window_start_));
    arrived_bytes_ = 0;
    window_start_ = now;
    probability_ = load_ < threshold_ ? 0.0 : std::min(slope_ * (load_ - threshold_), 1.0);
    return now + interval_;
  }

  double probability() const noexcept { return probability_; }
  double load() const noexcept { return load_; }

 private:
  Time interval_;
  double threshold_, slope_;
  Time window_start_ = 0;
  std::int64_t arrived_bytes_ = 0;
  double load_ = 0.0;
  double probability_ = 0.0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_LOAD_BASED_H_
