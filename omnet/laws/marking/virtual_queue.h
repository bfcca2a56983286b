// SPDX-License-Identifier: Apache-2.0
// Virtual queue (antoniadis2000 section 3.2; siris2002 section 4.2; Gibbens and Kelly).
//
// A virtual buffer of theta * B bytes is served at theta * C. Every arriving packet is offered to it, and a packet that
// does not fit is a virtual loss. The papers do not define the service:
//   fluid         the buffer drains evenly, and all its bytes count
//   packet        whole packets are served one after another. The packet in service does not count
//                 (packet_buffer.h), so a packet that finds the virtual server idle always fits
// Variants:
//   busy-period   every arrival is marked from a virtual loss (the lost packet included) until the
//                 virtual buffer is empty (packet: until the last virtual packet has left)
//   per-overflow  only the packets lost from the virtual buffer are marked (siris2002 note 2)
// B is given in packets of the mean size; theta * B is not rounded.
#ifndef ECNOMY_LAWS_MARKING_VIRTUAL_QUEUE_H_
#define ECNOMY_LAWS_MARKING_VIRTUAL_QUEUE_H_

#include "marking.h"
#include "packet_buffer.h"

namespace ecnomy {

class VirtualQueue : public MarkingLaw {
 public:
  static constexpr const char* kName = "virtual-queue";
  static constexpr About kAbout{
      "Marks packets when a virtual queue, smaller and slower than the link's, would lose a "
      "packet.",
      "antoniadis2000 section 3.2; siris2002 section 4.2"};
  // A full link overflows the virtual buffer with the share 1 - theta of its packets.
  static constexpr MarkingTraits kTraits{.link_buffer = true, .ceiling = "1 - theta * variant"};
  static constexpr Parameter kParameters[] = {
      {"theta", "", 0.95, 1e-6, 1, "",
       "Virtual capacity and virtual buffer as a share of the real ones (siris2002 section 4.2)."},
      {"buffer_packets", "packets", NAN, 0, 1e12, "",
       "Real buffer B in packets of the mean size; the virtual buffer is theta B."},
      {"mean_packet_bytes", "bytes", 1000, 1, 1e9, "",
       "Size of the packets in which the buffer is counted."},
      {"variant", "choice", 0, 0, 1, "busy-period,per-overflow",
       "Packets marked at a virtual loss: all until the virtual buffer is empty, or only the lost "
       "packet."},
      {"service", "choice", 0, 0, 1, "fluid,packet",
       "Service of the virtual buffer: as a fluid, or packet by packet."},
  };

  explicit VirtualQueue(const double* values) { configure(values); }

  // May be called between packets. The state is kept; a change of the service empties the buffer.
  void configure(const double* values) {
    check_parameters(this, values);
    theta_ = values[0];
    limit_bytes_ = values[0] * values[1] * values[2];
    busy_period_ = values[3] == 0;
    const bool whole_packets = values[4] != 0;
    if (whole_packets != whole_packets_) {
      backlog_bytes_ = 0;
      packets_.clear();
      marking_ = false;
    }
    whole_packets_ = whole_packets;
  }

  template <class Uniform>
  Decision on_arrival(const QueueView& queue, const PacketView& packet, Time now,
                      Uniform&&) noexcept {
    const double rate_bps = theta_ * static_cast<double>(queue.rate_bps);
    const bool fits =
        whole_packets_ ? fits_whole(packet, rate_bps, now) : fits_fluid(packet, rate_bps, now);
    if (!fits) marking_ = true;
    return {(busy_period_ ? marking_ : !fits) ? Action::mark : Action::pass, kNoFlow};
  }

  double probability() const noexcept { return busy_period_ && marking_ ? 1.0 : 0.0; }
  // Bytes that count towards theta * B, after the last arrival.
  double backlog_bytes() const noexcept {
    return whole_packets_ ? static_cast<double>(packets_.waiting_bytes()) : backlog_bytes_;
  }

 private:
  bool fits_fluid(const PacketView& packet, double rate_bps, Time now) noexcept {
    backlog_bytes_ -= rate_bps / 8.0 * seconds(now - last_);
    last_ = now;
    if (backlog_bytes_ <= 0) {
      backlog_bytes_ = 0;
      marking_ = false;
    }
    if (backlog_bytes_ + packet.bytes > limit_bytes_) return false;
    backlog_bytes_ += packet.bytes;
    return true;
  }

  bool fits_whole(const PacketView& packet, double rate_bps, Time now) noexcept {
    packets_.advance(now);
    const bool idle = packets_.idle(now);
    if (idle) marking_ = false;
    const double then = static_cast<double>(packets_.waiting_bytes() + packet.bytes);
    if (!idle && then > limit_bytes_) return false;
    packets_.accept(packet.bytes, rate_bps, now);
    return true;
  }

  double theta_, limit_bytes_;
  bool busy_period_;
  bool whole_packets_ = false;
  bool marking_ = false;
  double backlog_bytes_ = 0.0;  // of the fluid service
  Time last_ = 0;
  PacketBuffer packets_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_VIRTUAL_QUEUE_H_
