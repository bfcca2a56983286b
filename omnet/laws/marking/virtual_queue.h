// SPDX-License-Identifier: Apache-2.0
// Virtual queue (antoniadis2000 section 3.2; siris2002 section 4.2; Gibbens and Kelly).
//
// A virtual buffer of theta * B bytes is drained, as a fluid, at theta * C and fed by every arrival. An
// arrival that does not fit is lost from the virtual buffer. Variants:
//   busy-period   from a virtual loss (its packet included) until the virtual buffer is next empty,
//                 every arrival is marked
//   per-overflow  only the packets lost from the virtual buffer are marked (siris2002 note 2)
// B is given in packets of the mean size; theta * B is not rounded.
#ifndef ECNOMY_LAWS_MARKING_VIRTUAL_QUEUE_H_
#define ECNOMY_LAWS_MARKING_VIRTUAL_QUEUE_H_

#include "marking.h"

namespace ecnomy {

class VirtualQueue : public MarkingLaw {
 public:
  static constexpr const char* kName = "virtual-queue";
  static constexpr Parameter kParameters[] = {
      {"theta", "", 0.95, 1e-6, 1, ""},
      {"buffer_packets", "packets", NAN, 0, 1e12, ""},
      {"mean_packet_bytes", "bytes", 1000, 1, 1e9, ""},
      {"variant", "choice", 0, 0, 1, "busy-period,per-overflow"},
  };

  explicit VirtualQueue(const double* values) { configure(values); }

  // Also between packets: the state is kept.
  void configure(const double* values) {
    check_parameters(kName, kParameters, values);
    theta_ = values[0];
    limit_bytes_ = values[0] * values[1] * values[2];
    busy_period_ = values[3] == 0;
  }

  template <class Uniform>
  Decision on_arrival(const QueueView& queue, const PacketView& packet, Time now,
                      Uniform&&) noexcept {
    drain(static_cast<double>(queue.rate_bps), now);
    const bool fits = backlog_bytes_ + packet.bytes <= limit_bytes_;
    if (fits) backlog_bytes_ += packet.bytes;
    if (!fits) marking_ = true;
    return {(busy_period_ ? marking_ : !fits) ? Action::mark : Action::pass, kNoFlow};
  }

  double probability() const noexcept { return busy_period_ && marking_ ? 1.0 : 0.0; }
  double backlog_bytes() const noexcept { return backlog_bytes_; }

 private:
  void drain(double rate_bps, Time now) noexcept {
    backlog_bytes_ -= theta_ * rate_bps / 8.0 * seconds(now - last_);
    last_ = now;
    if (backlog_bytes_ <= 0) {
      backlog_bytes_ = 0;
      marking_ = false;
    }
  }

  double theta_, limit_bytes_;
  bool busy_period_;
  double backlog_bytes_ = 0.0;
  bool marking_ = false;
  Time last_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_VIRTUAL_QUEUE_H_
