// SPDX-License-Identifier: Apache-2.0
// Stabilized RED (Ott, Lakshman and Wong, "SRED: Stabilized RED", IEEE INFOCOM 1999). A list of recently seen flows,
// the zombies, estimates the number of active flows: with n equal flows, a packet meets its own flow with probability
// 1/n. At each arrival
//
//   the list is not full   the packet's flow is added, without a comparison
//   else                   the flow is compared with a random zombie. If they differ, the flow replaces the
//                          zombie with probability r, `overwrite`. P <- (1 - a) P + a hit, a = r / M, M zombies
//
// With a queue q, a buffer B, P_max = `max_probability` and N = `flows`,
//
//   p_sred = P_max if q >= B / 3,  P_max / 4 if q >= B / 6,  else 0
//   p      = p_sred min(1, 1 / (N P)^2) (1 + hit / P), at most 1
//
// With the last factor (`favours_small`, "full SRED"), flows that have many packets in the list are marked more often.
// 1/P estimates the number of flows: with fewer than N the probability is lower, so that TCP's windows fit the buffer.
// All draws come in this order: zombie, replacement, mark.
#ifndef ECNOMY_LAWS_MARKING_SRED_H_
#define ECNOMY_LAWS_MARKING_SRED_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "marking.h"

namespace ecnomy {

class Sred : public MarkingLaw {
 public:
  static constexpr const char* kName = "sred";
  static constexpr About kAbout{
      "The marking probability depends on the queue and on an estimate of the number of active "
      "flows.",
      "Ott, Lakshman and Wong 1999"};
  static constexpr MarkingTraits kTraits{.link_buffer = true};
  static constexpr Parameter kParameters[] = {
      {"max_probability", "", 0.15, 0, 1, "",
       "Probability of many flows with a third of the buffer in use: p_max of the paper."},
      {"flows", "", 256, 1, 1e6, "",
       "Number of flows below which the probability falls with the square of their number."},
      {"memory", "", 1000, 1, 1e6, "",
       "Recent flows with which packets are compared: M of the paper (its whole part)."},
      {"overwrite", "", 0.25, 0, 1, "",
       "Probability that a packet of another flow replaces the flow it is compared with."},
      {"favours_small", "flag", 1, 0, 1, "",
       "Flows with many recent packets are marked more often (full SRED, not simple SRED)."},
      {"buffer_packets", "packets", NAN, 0, 1e12, "",
       "Buffer B in packets of mean_packet: packets are marked from a sixth of it on."},
      {"mean_packet_bytes", "bytes", 1000, 1, 1e9, "",
       "Size of the packets in which the buffer is counted."},
  };

  explicit Sred(const double* values) { configure(values); }

  // May be called between packets; the state is kept. A shorter list loses the flows at its end.
  void configure(const double* values) {
    check_parameters(this, values);
    max_probability_ = values[0];
    flows_ = values[1];
    memory_ = static_cast<std::size_t>(values[2]);
    overwrite_ = values[3];
    favours_small_ = values[4] != 0;
    buffer_bytes_ = values[5] * values[6];
    if (zombies_.size() > memory_) zombies_.resize(memory_);
    zombies_.reserve(memory_);
  }

  template <class Uniform>
  [[gnu::noinline]] Decision on_arrival(const QueueView& queue, const PacketView& packet, Time,
                                        Uniform&& uniform) noexcept {
    const bool hit = meets_itself(packet.flow, uniform);
    probability_ = zap(static_cast<double>(queue.bytes), hit);
    const bool mark = probability_ > 0 && uniform() < probability_;
    return {mark ? Action::mark : Action::pass, kNoFlow};
  }

  // P of the paper; its inverse estimates the number of active flows.
  double hit_frequency() const noexcept { return hits_; }

  double probability() const noexcept { return probability_; }

 private:
  template <class Uniform>
  bool meets_itself(std::int32_t flow, Uniform&& uniform) noexcept {
    if (zombies_.size() < memory_) {
      zombies_.push_back(flow);  // within its capacity
      return false;
    }
    const double place = uniform() * static_cast<double>(memory_);
    std::int32_t& zombie = zombies_[std::min(static_cast<std::size_t>(place), memory_ - 1)];
    const bool hit = zombie == flow;
    if (!hit && uniform() < overwrite_) zombie = flow;
    hits_ += overwrite_ / static_cast<double>(memory_) * ((hit ? 1.0 : 0.0) - hits_);
    return hit;
  }

  double zap(double bytes, bool hit) const noexcept {
    if (6 * bytes < buffer_bytes_) return 0.0;
    double p = 3 * bytes < buffer_bytes_ ? max_probability_ / 4 : max_probability_;
    const double few = flows_ * hits_;
    if (few > 1) p /= few * few;
    if (favours_small_ && hit && hits_ > 0) p *= 1 + 1 / hits_;
    return std::min(p, 1.0);
  }

  double max_probability_, flows_, overwrite_, buffer_bytes_;
  std::size_t memory_;
  bool favours_small_;
  std::vector<std::int32_t> zombies_;
  double hits_ = 0.0;
  double probability_ = 0.0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_SRED_H_
