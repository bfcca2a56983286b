// SPDX-License-Identifier: Apache-2.0
// Adaptive virtual queue (Kunniyur and Srikant, "Analysis and design of an adaptive virtual queue
// (AVQ) algorithm for active queue management", SIGCOMM 2001, Fig. 1). A virtual queue of at most B
// bytes is served at a virtual capacity C~, both fluid. When s bytes arrive, a time t after the last arrival,
//   VQ <- max(VQ - C~ t, 0)
//   if VQ + s > B, the packet is marked; otherwise VQ <- VQ + s
//   C~ <- max(min(C~ + alpha gamma C t, C) - alpha s, 0)
// Between the bounds, dC~/dt = alpha (gamma C - input rate). In equilibrium the input rate is gamma
// (`utilization`) times the capacity. C~ starts at C; this code stores it as a share of C. B is given
// in packets of the mean size. Every arrival counts, even if it is dropped.
//
// The law marks just the packet that overflows. Between evenly paced packets of faster flows, a packet of a slow flow
// finds more bytes before it, so slow flows meet more marks per packet than fast ones.
#ifndef ECNOMY_LAWS_MARKING_ADAPTIVE_VIRTUAL_QUEUE_H_
#define ECNOMY_LAWS_MARKING_ADAPTIVE_VIRTUAL_QUEUE_H_

#include <algorithm>

#include "marking.h"

namespace ecnomy {

class AdaptiveVirtualQueue : public MarkingLaw {
 public:
  static constexpr const char* kName = "adaptive-virtual-queue";
  static constexpr About kAbout{
      "Marks packets that overflow a virtual queue, whose capacity adapts until the load reaches a "
      "target.",
      "Kunniyur and Srikant 2001, Fig. 1"};
  static constexpr MarkingTraits kTraits{.link_buffer = true};
  static constexpr Parameter kParameters[] = {
      {"utilization", "", 0.98, 1e-6, 1, "",
       "Target load as a share of the capacity: gamma of the paper."},
      {"alpha", "1/s", 0.15, 0, 1e6, "",
       "Adaptation rate of the virtual capacity: damping factor alpha of the paper."},
      {"buffer_packets", "packets", NAN, 0, 1e12, "",
       "Virtual buffer B in packets of the mean size."},
      {"mean_packet_bytes", "bytes", 1000, 1, 1e9, "",
       "Size of the packets in which the buffer is counted."},
  };

  explicit AdaptiveVirtualQueue(const double* values) { configure(values); }

  // May be called between packets; the state is kept.
  void configure(const double* values) {
    check_parameters(this, values);
    utilization_ = values[0];
    alpha_ = values[1];
    limit_bytes_ = values[2] * values[3];
  }

  template <class Uniform>
  Decision on_arrival(const QueueView& queue, const PacketView& packet, Time now,
                      Uniform&&) noexcept {
    const double bytes_per_s = static_cast<double>(queue.rate_bps) / 8.0;
    const double gap_s = seconds(now - last_);
    last_ = now;
    backlog_bytes_ = std::max(backlog_bytes_ - share_ * bytes_per_s * gap_s, 0.0);
    const bool lost = backlog_bytes_ + packet.bytes > limit_bytes_;
    if (!lost) backlog_bytes_ += packet.bytes;
    const double refilled = std::min(share_ + alpha_ * utilization_ * gap_s, 1.0);
    share_ = std::max(refilled - alpha_ * packet.bytes / bytes_per_s, 0.0);
    return {lost ? Action::mark : Action::pass, kNoFlow};
  }

  double backlog_bytes() const noexcept { return backlog_bytes_; }
  double capacity_share() const noexcept { return share_; }

  double probability() const noexcept { return 0.0; }

 private:
  double utilization_, alpha_, limit_bytes_;
  Time last_ = 0;
  double backlog_bytes_ = 0.0;
  double share_ = 1.0;  // C~ / C
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_ADAPTIVE_VIRTUAL_QUEUE_H_
