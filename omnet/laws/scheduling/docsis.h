// SPDX-License-Identifier: Apache-2.0
// The dual queue of DOCSIS cable links (MULPIv3.1 Annexes M and O, as docsis-ns3 runs them downstream): queue L for
// ECT(1) and CE, and queue C for all other packets.
//
//   C   drops by DOCSIS-PIE (docsis_pie.h) on the delay of its bytes at the rate that L leaves: the link's rate less
//       that of L in the last `update_s`, or less the share of L if this is smaller. C never marks
//   L   marks an arrival with probability max(native, min(1, k sqrt(p))), by a sum of it (`recurs`, RFC 9332
//       appendix A), where p is PIE's and k is the `coupling`. native is 0 up to a delay of ramp_end_s - ramp_s and 1
//       from ramp_end_s on. The delay is that of the bytes of L, the packet included, at the link's rate. Slow links:
//       the ramp begins at two frames or later
//
// With `protection`, packets of flows that queue in L join C instead (queue_protection.h, RFC 9957); a mark remains.
// The buffer of each queue is given as a time at the link's rate, and that of L holds at least 20 frames. The link's
// buffer limits both together. Turns are as in DualPI2 (codepoint_turns.h); DOCSIS gives L a weight of 230/256.
#ifndef ECNOMY_LAWS_SCHEDULING_DOCSIS_H_
#define ECNOMY_LAWS_SCHEDULING_DOCSIS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "class_queue.h"
#include "codepoint_class.h"
#include "codepoint_turns.h"
#include "docsis_pie.h"
#include "queue_protection.h"

namespace ecnomy {

class Docsis {
 public:
  static constexpr const char* kName = "docsis";
  static constexpr About kAbout{
      "The dual queue of cable links in place of a marking law: L4S marks, drops of classic "
      "traffic, queue protection.",
      "MULPIv3.1 Annexes M and O; RFC 8034; RFC 9957"};
  static constexpr SchedulingTraits kTraits{
      .by_codepoint = true, .drops_classic = true, .judges = true, .controls = true};
  using Class = CodepointClass;
  static constexpr Parameter kParameters[] = {
      {"target_s", "s", 0.01, 1e-6, 1e3, "", "Target queueing delay of classic traffic."},
      {"update_s", "s", 0.016, 1e-6, 1e3, "", "Time between two updates of the drop probability."},
      {"alpha", "1/s", 0.25, 0, 1e6, "", "Gain of the delay above the target."},
      {"beta", "1/s", 2.5, 0, 1e6, "", "Gain of the change in delay."},
      {"ramp_end_s", "s", 0.001, 0, 1e3, "", "Delay from which every L4S packet is marked: MAXTH."},
      {"ramp_s", "s", 524288e-9, 1e-9, 1e3, "",
       "Width of the ramp from a marking probability of 0 to 1."},
      {"coupling", "", 2, 1e-3, 1e3, "",
       "Ratio of the coupled L4S marking probability to the root of the drop probability: k."},
      {"classic_share", "", 26.0 / 256, 1e-3, 1, "",
       "Share of the link for classic traffic while both queues wait."},
      {"classic_buffer_s", "s", 0.1, 1e-6, 1e3, "",
       "Buffer of the classic queue, as a time at the link's rate."},
      {"l4s_buffer_s", "s", 0.01, 1e-6, 1e3, "",
       "Buffer of the L4S queue, as a time at the link's rate; at least 20 frames."},
      {"max_burst_s", "s", 0.142, 0, 1e3, "",
       "Duration for which all classic packets pass after the first drop of a burst."},
      {"mean_packet_bytes", "bytes", 1024, 1, 1e6, "",
       "Packet size to which the drop probability applies; that of others is in proportion to "
       "their size."},
      {"frame_bytes", "bytes", 2000, 64, 1e6, "",
       "Size of the largest frame: sets the smallest L4S buffer (20 frames) and ramp (two "
       "frames)."},
      {"protection", "flag", 1, 0, 1, "",
       "Queue protection moves packets of flows that queue to the classic queue."},
      {"critical_delay_s", "s", 0, 0, 1e3, "",
       "Delay of the L4S queue above which protection may move packets: CRITICALqL; 0: the ramp's "
       "end."},
      {"critical_score_s", "s", 0.004, 0, 1e3, "",
       "Queueing score from which a flow's packets are moved, at the critical delay; lower at "
       "longer "
       "delays."},
      {"aging_rate_bps", "bit/s", 524288.0 * 8e9 / 1073741824.0, 1, 1e12, "",
       "Rate of marked traffic at which a flow's score stays constant."},
      {"most_score_s", "s", 5, 1e-6, 1e3, "",
       "Largest queueing score of a flow, as time that it needs to decay: MAX_QLSCORE."},
      {"buckets", "whole", 32, 1, 65536, "",
       "Number of buckets for flows, without the shared one."},
      {"attempts", "whole", 2, 1, 8, "", "Number of buckets that a flow may take."},
  };
  static constexpr int kNone = -1;

  // `values` are in the order of kParameters. `classes` has two entries, both empty.
  Docsis(const double* values, const std::vector<std::vector<double>>& classes,
         std::int64_t rate_bps) {
    check_parameters(this, values);
    if (classes.size() != queues_.size()) {
      throw BadParameter(std::string(kName) + ": needs two classes, for L4S and classic traffic");
    }
    rate_bps_ = static_cast<double>(rate_bps);
    update_ = std::max<Time>(1, picoseconds(values[1]));
    ramp_ps_ = values[5] * kPsPerSecond;
    const double frame_bytes = values[12];
    const double floor_s = std::min(kMostFloor_s, 2 * frame_bytes * 8 / rate_bps_);
    ramp_begin_ps_ = std::max(values[4] - values[5], floor_s) * kPsPerSecond;
    k_ = values[6];
    classic_share_ = values[7];
    turns_ = {classic_share_, kMtuBytes};
    room_[CodepointClass::kClassic] = values[8] * rate_bps_ / 8;
    room_[CodepointClass::kL4s] =
        std::max(values[9] * rate_bps_ / 8, 20 * frame_bytes) - frame_bytes;
    pie_ = DocsisPie({.target_s = values[0],
                      .alpha = values[2],
                      .beta = values[3],
                      .mean_bytes = values[11],
                      .buffer_bytes = room_[CodepointClass::kClassic],
                      .update = update_,
                      .max_burst = picoseconds(values[10])});
    protects_ = values[13] != 0;
    const double ramp_end_s = ramp_begin_ps_ / kPsPerSecond + values[5];
    protection_ =
        QueueProtection({.critical_delay = picoseconds(values[14] > 0 ? values[14] : ramp_end_s),
                         .critical_score = picoseconds(values[15]),
                         .most_score = picoseconds(values[17]),
                         .aging_bps = values[16],
                         .buckets = static_cast<std::size_t>(values[18]),
                         .attempts = static_cast<int>(values[19])});
    due_ = update_;
  }

  // As in DeficitRoundRobin. `n` is the queue for the packet's codepoint, and `flow` a hash of its flow. Decides on a
  // mark and a drop, and returns the queue that the packet joins.
  template <class Uniform>
  std::size_t arrive(std::size_t n, const PacketView& packet, bool busy, Time now,
                     std::uint64_t flow, Uniform&& uniform) {
    advance(now);
    if (!busy && empty()) turns_.begin();
    marks_ = n == CodepointClass::kL4s && admit(packet, now, flow, n);
    const std::int64_t waiting = queues_[n].bytes();
    refused_ = n == CodepointClass::kClassic && pie_.drops(packet.bytes, waiting, uniform);
    if (!refused_ && !fits(n, packet.bytes)) {
      refused_ = true;
      if (n == CodepointClass::kClassic) pie_.overflowed();
    }
    queues_[n].push(packet, now);
    arrived_ = static_cast<int>(n);
    return n;
  }
  // True if the packet that arrived is to be marked.
  bool marks() const noexcept { return marks_; }

  int drop(bool overflow, Time) noexcept {
    if (arrived_ == kNone || !(overflow || refused_)) return kNone;
    const int n = arrived_;
    queues_[static_cast<std::size_t>(n)].drop_last();
    arrived_ = kNone;
    marks_ = false;
    return n;
  }
  void settle(Time now) noexcept {
    advance(now);
    arrived_ = kNone;
  }

  // Returns the next packet to leave. At least one packet must be waiting.
  Service next(Time now) noexcept {
    advance(now);
    const bool both = !queues_[0].empty() && !queues_[1].empty();
    const std::size_t n =
        turns_.next(queues_[CodepointClass::kL4s], queues_[CodepointClass::kClassic]);
    const Waiting first = queues_[n].pop();
    if (both) turns_.sent(n, first.packet.bytes);
    if (n == CodepointClass::kL4s) l4s_bytes_ += first.packet.bytes;
    return {n, false, now - first.since};
  }

  // Makes all updates up to now, for a report. Further calls at the same time change nothing.
  void pass_time(Time now) noexcept { advance(now); }

  std::size_t classes() const noexcept { return queues_.size(); }
  const ClassQueue& queue(std::size_t n) const noexcept { return queues_[n]; }
  // The square root of the drop probability, at most 1. L4S packets are marked with k times this value.
  double probability() const noexcept { return std::min(1.0, root()); }
  double settled(std::size_t n) const noexcept {
    return n == 0 ? pie_.probability() : turns_.credit_bytes();
  }

 private:
  static constexpr double kMostFloor_s = 0.065535;
  static constexpr double kMtuBytes = 1500;

  bool empty() const noexcept { return queues_[0].empty() && queues_[1].empty(); }
  // PIE's p refers to a packet of the mean size, so it exceeds 1 if packets are small.
  double root() const noexcept { return std::sqrt(pie_.probability()); }

  // Decides whether an L4S packet is marked, and sets `n` to the queue that it joins.
  bool admit(const PacketView& packet, Time now, std::uint64_t flow, std::size_t& n) noexcept {
    const auto bytes = static_cast<double>(queues_[n].bytes() + packet.bytes);
    const double delay_ps = bytes * 8 / rate_bps_ * kPsPerSecond;
    const double native = std::clamp((delay_ps - ramp_begin_ps_) / ramp_ps_, 0.0, 1.0);
    count_ += std::max(native, std::min(1.0, k_ * root()));
    const bool marks = count_ > 1;
    if (marks) count_ -= 1;
    const Time delay = drawn(delay_ps);
    if (protects_ && protection_.ejects(flow, packet.bytes, native, delay, now)) {
      n = CodepointClass::kClassic;
    }
    return marks;
  }
  bool fits(std::size_t n, std::int32_t bytes) const noexcept {
    const auto waiting = static_cast<double>(queues_[n].bytes());
    return n == CodepointClass::kL4s ? waiting < room_[n] : waiting + bytes <= room_[n];
  }

  // Makes the updates up to now. If an update changes nothing on an idle link, later ones do not either.
  void advance(Time now) noexcept {
    for (; due_ <= now; due_ += update_) {
      const double most_bps = (1 - classic_share_) * rate_bps_;
      const double l4s_bps = static_cast<double>(l4s_bytes_) * 8 / seconds(update_);
      const double left_bps = rate_bps_ - std::min(l4s_bps, most_bps);
      const auto waiting = static_cast<double>(queues_[CodepointClass::kClassic].bytes());
      l4s_bytes_ = 0;
      const bool changed = pie_.update(waiting * 8 / left_bps);
      if (!changed && empty()) due_ += (now - due_) / update_ * update_;
    }
  }

  double rate_bps_ = 0, ramp_begin_ps_ = 0, ramp_ps_ = 0, k_ = 0, classic_share_ = 0;
  std::array<double, 2> room_{};  // bytes
  bool protects_ = false;
  Time update_ = 0;

  std::array<ClassQueue, 2> queues_;
  CodepointTurns turns_;
  DocsisPie pie_;
  QueueProtection protection_;
  double count_ = 0;            // sum of the marking probability of L
  std::int64_t l4s_bytes_ = 0;  // that left since the last update
  Time due_ = 0;                // time of the next update
  int arrived_ = kNone;         // the queue of the packet that may be dropped
  bool refused_ = false, marks_ = false;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_DOCSIS_H_
