// SPDX-License-Identifier: Apache-2.0
// MPEG video (GenSyn; andreassen2002 section 2.2): a frame every frame_interval_s, in groups of group_frames that
// begin with an I frame. After it, every anchor_distance-th frame of the group is a P frame, and the others
// are B frames (12 and 3: I B B P B B P B B P B B). Frames leave in this order, not in coding order.
//
// Sizes are lognormal and independent, with a mean and a coefficient of variation c for each type:
//
//   S = mean / sqrt(1 + c^2) exp(sqrt(ln(1 + c^2)) Z),   Z standard normal,
//
// in whole bytes from 1 to 10^9. A frame of S bytes is divided into packets of `payload` bytes; the last one may be
// shorter. They leave all at once, or evenly over the frame's interval (`spread`): packet k of n after floor(k interval
// / n).
//
// The first frame is an I frame. It leaves after U group_frames frame_interval_s (`random_phase`), or at once.
// The draws are the phase (if random), then two for the size of each frame, at the time of its first packet.
#ifndef ECNOMY_LAWS_TRAFFIC_VIDEO_H_
#define ECNOMY_LAWS_TRAFFIC_VIDEO_H_

#include <algorithm>
#include <string>

#include "../boxed.h"
#include "../parameter.h"
#include "../random/inversion.h"
#include "traffic.h"

namespace ecnomy {

// The packets of a video: parameters and state of the law.
class VideoPackets {
 public:
  VideoPackets(const double* values, std::int32_t payload) : payload_(std::max(1, payload)) {
    interval_ = picoseconds(values[0]);
    group_ = static_cast<std::int64_t>(values[1]);
    anchor_ = static_cast<std::int64_t>(values[2]);
    for (int i = 0; i < 3; ++i) {
      const double variance = std::log1p(values[4 + 2 * i] * values[4 + 2 * i]);
      types_[i] = {values[3 + 2 * i] * std::exp(-variance / 2), std::sqrt(variance)};
    }
    spread_ = values[9] != 0;
    random_phase_ = values[10] != 0;
  }

  // Time to the first packet, and time between two packets.
  template <class Uniform>
  Time first(Uniform&& uniform) noexcept {
    const double all = static_cast<double>(group_) * static_cast<double>(interval_);
    const Time phase = random_phase_ ? drawn(uniform() * all) : 0;
    begin_frame(0, uniform);
    return phase;
  }
  template <class Uniform>
  Time gap(Uniform&& uniform) noexcept {
    const Time at = offset(packet_);
    if (++packet_ < packets_) return offset(packet_) - at;
    begin_frame((frame_ + 1) % group_, uniform);
    return interval_ - at;
  }

  // Payload of the last timed packet.
  std::int32_t payload_bytes() const noexcept {
    const std::int64_t left = bytes_ - packet_ * payload_;
    return static_cast<std::int32_t>(std::min<std::int64_t>(left, payload_));
  }

 private:
  struct Type {
    double median_bytes, deviation;  // deviation: standard deviation of the logarithm
  };

  const Type& type(std::int64_t frame) const noexcept {
    if (frame == 0) return types_[0];
    return types_[frame % anchor_ == 0 ? 1 : 2];
  }

  template <class Uniform>
  void begin_frame(std::int64_t frame, Uniform&& uniform) noexcept {
    constexpr double kMostBytes = 1e9;
    frame_ = frame;
    const Type& one = type(frame);
    const double bytes = one.median_bytes * std::exp(one.deviation * standard_normal(uniform));
    bytes_ = std::llround(std::clamp(bytes, 1.0, kMostBytes));
    packets_ = (bytes_ + payload_ - 1) / payload_;
    packet_ = 0;
  }

  // floor(packet interval / packets), without overflow.
  Time offset(std::int64_t packet) const noexcept {
    if (!spread_) return 0;
    return interval_ / packets_ * packet + interval_ % packets_ * packet / packets_;
  }

  std::int64_t payload_;
  Time interval_;
  std::int64_t group_, anchor_;
  Type types_[3];  // I, P, B
  bool spread_, random_phase_;
  std::int64_t frame_ = 0;                // index of the frame in its group
  std::int64_t bytes_ = 1, packets_ = 1;  // size of the frame
  std::int64_t packet_ = 0;               // index of the last timed packet in the frame
};

class Video {
 public:
  static constexpr const char* kName = "video";
  static constexpr About kAbout{"MPEG video over UDP: frames of three types, with lognormal sizes.",
                                "andreassen2002 section 2.2"};
  static constexpr TrafficTraits kTraits{
      .datagrams = true, .timed_packets = true, .own_sizes = true};
  static constexpr Parameter kParameters[] = {
      {"frame_interval_s", "s", 0.04, 1e-6, 1e3, "",
       "Time between two frames; 0.04 s is 25 frames per second."},
      {"group_frames", "frames", 12, 1, 1e6, "",
       "Number of frames per group, which begins with an I frame."},
      {"anchor_distance", "frames", 3, 1, 1e6, "",
       "Distance between two I or P frames, in frames; the frames in between are B frames."},
      {"i_mean_bytes", "bytes", 15000, 1, 1e8, "", "Mean size of I frames."},
      {"i_variation", "", 0.25, 0, 10, "", "Coefficient of variation of I frame sizes."},
      {"p_mean_bytes", "bytes", 7000, 1, 1e8, "", "Mean size of P frames."},
      {"p_variation", "", 0.5, 0, 10, "", "Coefficient of variation of P frame sizes."},
      {"b_mean_bytes", "bytes", 3000, 1, 1e8, "", "Mean size of B frames."},
      {"b_variation", "", 0.4, 0, 10, "", "Coefficient of variation of B frame sizes."},
      {"spread", "flag", 0, 0, 1, "",
       "A frame's packets leave evenly over its interval, not all at once."},
      {"random_phase", "flag", 1, 0, 1, "",
       "The first frame leaves after a random part of a group's duration, not at once."},
  };

  // `payload` is the maximum payload of a packet.
  Video(const double* values, std::int32_t payload) : packets_(made(values, payload)) {}

  template <class Uniform>
  Time first(Uniform&& uniform) noexcept {
    return packets_->first(uniform);
  }
  template <class Uniform>
  Time gap(Uniform&& uniform) noexcept {
    return packets_->gap(uniform);
  }
  std::int32_t payload_bytes() const noexcept { return packets_->payload_bytes(); }

 private:
  static VideoPackets made(const double* values, std::int32_t payload) {
    check_parameters<Video>(values);
    for (int i : {1, 2}) {
      if (values[i] == std::floor(values[i])) continue;
      throw BadParameter(std::string("video: ") + kParameters[i].name + " is not a whole number");
    }
    return {values, payload};
  }

  Boxed<VideoPackets> packets_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_TRAFFIC_VIDEO_H_
