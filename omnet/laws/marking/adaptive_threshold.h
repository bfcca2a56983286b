// SPDX-License-Identifier: Apache-2.0
// Threshold marking with an adaptive threshold. While more than K bytes wait, the arriving packet and
// all waiting packets are marked (Wischik, "How to mark fairly", Workshop on Internet Service Quality
// Economics, MIT 1999, as reported in siris2002 section 6, reference 19). siris2002 does not define how
// K is set, and Wischik's paper was not available. The rule here is ecnomy's choice: K / B, with B the
// buffer, changes like the capacity of the adaptive virtual queue (Kunniyur and Srikant 2001, Fig. 1).
// When s bytes arrive at a link of C bytes/s, a time t after the last arrival,
//   K / B <- max(min(K / B + alpha gamma t, 1) - alpha s / C, 0)
//   if more than K bytes wait, the packets are marked
// Between the bounds, d(K / B)/dt = alpha (gamma - input rate / C). In equilibrium the input rate is
// gamma (`utilization`) times the capacity; it is lower if K stays at B. K starts at B, which is given
// in packets of the mean size. Every arrival counts, even if it is dropped.
#ifndef ECNOMY_LAWS_MARKING_ADAPTIVE_THRESHOLD_H_
#define ECNOMY_LAWS_MARKING_ADAPTIVE_THRESHOLD_H_

#include <algorithm>

#include "marking.h"

namespace ecnomy {

class AdaptiveThreshold : public MarkingLaw {
 public:
  static constexpr const char* kName = "adaptive-threshold";
  static constexpr About kAbout{
      "Marks all packets in the queue above a threshold that adapts until the load reaches a "
      "target.",
      "siris2002 section 6, reference 19; the threshold's rule after Kunniyur and Srikant 2001"};
  static constexpr MarkingTraits kTraits{.link_buffer = true};
  static constexpr Parameter kParameters[] = {
      {"utilization", "", 0.95, 1e-6, 1, "", "Target load as a share of the capacity: gamma."},
      {"alpha", "1/s", 0.5, 0, 1e6, "",
       "Adaptation rate of the threshold, as a share of the buffer."},
      {"buffer_packets", "packets", NAN, 0, 1e12, "",
       "Buffer B in packets of the mean size, which is the first and the highest threshold."},
      {"mean_packet_bytes", "bytes", 1000, 1, 1e9, "",
       "Size of the packets in which the buffer is counted."},
  };

  explicit AdaptiveThreshold(const double* values) { configure(values); }

  // May be called between packets; the state is kept.
  void configure(const double* values) {
    check_parameters(this, values);
    utilization_ = values[0];
    alpha_ = values[1];
    buffer_bytes_ = values[2] * values[3];
  }

  template <class Uniform>
  Decision on_arrival(const QueueView& queue, const PacketView& packet, Time now,
                      Uniform&&) noexcept {
    const double bytes_per_s = static_cast<double>(queue.rate_bps) / 8.0;
    const double gap_s = seconds(now - last_);
    last_ = now;
    const double risen = std::min(share_ + alpha_ * utilization_ * gap_s, 1.0);
    share_ = std::max(risen - alpha_ * packet.bytes / bytes_per_s, 0.0);
    above_ = static_cast<double>(queue.bytes) > threshold_bytes();
    if (!above_) return {};
    return {Action::mark, kAllFlows};
  }

  double threshold_bytes() const noexcept { return share_ * buffer_bytes_; }

  double probability() const noexcept { return above_ ? 1.0 : 0.0; }

 private:
  double utilization_, alpha_, buffer_bytes_;
  Time last_ = 0;
  double share_ = 1.0;  // K / B
  bool above_ = false;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_ADAPTIVE_THRESHOLD_H_
