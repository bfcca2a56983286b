// SPDX-License-Identifier: Apache-2.0
// Random early detection (Floyd and Jacobson 1993; siris2002 section 4.1; details as ns-2).
//
// On each arrival the average queue follows  avg <- (1 - w) avg + w q.  If the transmitter was idle,
// floor(idle / s) steps avg <- (1 - w) avg precede this (s: transmission time of a mean packet;
// `idle_decay`). Then p_b is linear between the thresholds:
//
//   avg < min_threshold                   p_b = 0
//   min_threshold <= avg < max_threshold  p_b = max_p (avg - min_th) / (max_th - min_th)
//   gentle: max_th <= avg < 2 max_th      p_b = max_p + (1 - max_p) (avg - max_th) / max_th
//   above                                 every packet is marked or dropped, according to `above_max`
//
// Empty-queue rule: a packet that finds at most one waiting packet is not marked, unless `mark_on_empty` or `limit`
// requires the mark. The first packet at which avg >= min_threshold and the queue is longer only starts the count.
// `count` spreads the marks. k is the number of arrivals since RED's last mark or drop, forced or random, this arrival
// included (with byte_mark: their bytes / mean_packet_bytes):
//   wait      p = 0 if k p_b < 1,  p_b / (2 - k p_b) if k p_b < 2,  else 1
//   no wait   p = p_b / (1 - k p_b) if k p_b < 1,  else 1
// `byte_mark` multiplies p by bytes / mean_packet_bytes (p is at most 1). A packet is marked if u < p,
// but dropped if p_b > mark_p. A packet that finds q >= `limit` is marked (siris2002 marks instead of dropping at the
// reference buffer); -1 means no limit. Thresholds, limit and q are in packets or bytes.
#ifndef ECNOMY_LAWS_MARKING_RED_H_
#define ECNOMY_LAWS_MARKING_RED_H_

#include <algorithm>
#include <array>

#include "marking.h"

namespace ecnomy {

class Red : public MarkingLaw {
 public:
  static constexpr const char* kName = "red";
  static constexpr About kAbout{
      "Random early detection: the marking probability rises with the moving average of the queue.",
      "Floyd and Jacobson 1993; siris2002 section 4.1"};
  // Only the linear part sets a price. Beyond it, where gentle RED rises to 1, RED no longer controls the queue.
  static constexpr MarkingTraits kTraits{.ceiling = "max_probability", .saturates = true};
  static constexpr Parameter kParameters[] = {
      {"unit", "choice", 0, 0, 1, "packets,bytes",
       "Unit of the thresholds, the limit and the queue."},
      {"min_threshold", "unit", NAN, 0, kUnlimited, "",
       "Average queue at which random marking begins (siris2002 section 4.1)."},
      {"max_threshold", "unit", NAN, 0, kUnlimited, "",
       "Average queue at which the probability reaches max_probability; for longer queues, see "
       "gentle."},
      {"max_probability", "", 0.1, 0, 1, "",
       "Marking probability at max_threshold, before `count` spreads the marks: max_p."},
      {"weight", "", 0.002, 1e-9, 1, "",
       "Weight of the current queue in its moving average: w of Floyd and Jacobson 1993."},
      {"gentle", "flag", 1, 0, 1, "",
       "The probability rises to 1 from max_threshold to twice that; otherwise it jumps to 1 at "
       "max_threshold."},
      {"wait", "flag", 1, 0, 1, "",
       "At least 1/p packets pass between two marks (ns-2's wait_), so 2p/3 are marked on average; "
       "needs count."},
      {"count", "flag", 1, 0, 1, "",
       "Marks are spread evenly by the packets since the last mark; without wait, 2p are marked "
       "(Floyd and Jacobson 1993)."},
      {"mark_on_empty", "flag", 0, 0, 1, "",
       "Packets that find at most one packet waiting are also marked."},
      {"idle_decay", "flag", 1, 0, 1, "",
       "The average falls while the transmitter is idle, as if packets of mean_packet had met an "
       "empty queue."},
      {"above_max", "choice", 0, 0, 1, "mark,drop",
       "Action on packets while the average is at least max_threshold (gentle: twice "
       "max_threshold)."},
      {"mark_p", "", 1, 0, 1, "",
       "Probability above which packets are dropped instead of marked, as with ns-2's mark_p_."},
      {"byte_mark", "flag", 0, 0, 1, "",
       "The marking probability is scaled by the packet's size: p times bytes / "
       "mean_packet_bytes."},
      {"mean_packet_bytes", "bytes", 1000, 1, 1e9, "",
       "Mean packet size, for idle_decay and byte_mark."},
      {"limit", "unit", -1, -1, kUnlimited, "",
       "Queue from which on every arriving packet is marked (siris2002 section 4.1); -1: no "
       "limit."},
  };
  static constexpr AtLeast kOrder[] = {{"max_threshold", "min_threshold"}};

  // Parameters for laws that contain a Red: the first five (unit to weight), and defaults for the rest.
  static std::array<double, std::size(kParameters)> from_first_five(const double* first,
                                                                    double mean_packet_bytes) {
    std::array<double, std::size(kParameters)> values{};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = kParameters[i].fallback;
    std::copy_n(first, 5, values.begin());
    values[13] = mean_packet_bytes;
    return values;
  }

  explicit Red(const double* values) { configure(values); }

  // May be called between packets; the state is kept.
  void configure(const double* values) {
    check_parameters(this, values);
    in_bytes_ = values[0] != 0;
    min_ = values[1];
    max_ = values[2];
    max_p_ = values[3];
    weight_ = values[4];
    gentle_ = values[5] != 0;
    wait_ = values[6] != 0;
    use_count_ = values[7] != 0;
    mark_on_empty_ = values[8] != 0;
    idle_decay_ = values[9] != 0;
    above_max_ = values[10] == 0 ? Action::mark : Action::drop;
    mark_p_ = values[11];
    byte_mark_ = values[12] != 0;
    mean_packet_bytes_ = values[13];
    limit_ = values[14];
  }

  template <class Uniform>
  Decision on_arrival(const QueueView& queue, const PacketView& packet, Time now,
                      Uniform&& uniform) noexcept {
    const double q = observe(queue, now);
    return decide(q, queue, packet, uniform);
  }

  // The two halves of on_arrival, for laws that change max_probability between them.
  // The first one returns the queue q in the law's unit.
  [[gnu::always_inline]] double observe(const QueueView& queue, Time now) noexcept {
    const double q = static_cast<double>(in_bytes_ ? queue.bytes : queue.packets);
    update_average(q, queue, now);
    return q;
  }

  template <class Uniform>
  [[gnu::always_inline]] Decision decide(double q, const QueueView& queue, const PacketView& packet,
                                         Uniform&& uniform) noexcept {
    count_packets_ += 1;
    count_bytes_ += packet.bytes;
    const bool crowded = mark_on_empty_ || queue.packets > 1;
    probability_ = average_ >= min_ && crowded ? base_probability() : 0.0;
    const bool full = limit_ >= 0 && q >= limit_;
    const bool above_max = average_ >= (gentle_ ? 2 * max_ : max_);
    if (average_ < min_ || !crowded) {
      above_min_ = false;
      return full ? forced(Action::mark) : Decision{};
    }
    if (above_max) return forced(full ? Action::mark : above_max_);
    if (full) {
      above_min_ = true;
      return forced(Action::mark);
    }
    if (!above_min_) {
      above_min_ = true;
      restart_count(1, packet.bytes);
      return {};
    }
    return early(packet, uniform);
  }

  double probability() const noexcept { return probability_; }
  double average() const noexcept { return average_; }
  void set_max_probability(double value) noexcept { max_p_ = value; }

 private:
  void update_average(double q, const QueueView& queue, Time now) noexcept {
    if (idle_decay_ && queue.idle_since >= 0 && queue.packets == 0) {
      // A single division of whole numbers keeps idle times of whole packets exact. These are common.
      const double idle = static_cast<double>(now - queue.idle_since);
      const double steps = std::floor(idle * static_cast<double>(queue.rate_bps) /
                                      (mean_packet_bytes_ * 8.0 * kPsPerSecond));
      if (steps > 0) average_ *= std::pow(1.0 - weight_, steps);
    }
    average_ = (1.0 - weight_) * average_ + weight_ * q;
  }

  double base_probability() const noexcept {
    if (average_ < max_) return max_p_ * (average_ - min_) / (max_ - min_);
    if (!gentle_ || average_ >= 2 * max_) return 1.0;
    return max_p_ + (1.0 - max_p_) * (average_ - max_) / max_;
  }

  template <class Uniform>
  Decision early(const PacketView& packet, Uniform&& uniform) noexcept {
    if (uniform() >= spread(packet)) return {};
    restart_count(0, 0);
    return {probability_ <= mark_p_ ? Action::mark : Action::drop, kNoFlow};
  }

  Decision forced(Action action) noexcept {
    restart_count(0, 0);
    return {action, kNoFlow};
  }

  double spread(const PacketView& packet) const noexcept {
    double p = probability_;
    if (use_count_) {
      const double k = byte_mark_ ? count_bytes_ / mean_packet_bytes_ : count_packets_;
      const double kp = k * p;
      if (wait_) {
        p = kp < 1 ? 0.0 : kp < 2 ? p / (2 - kp) : 1.0;
      } else {
        p = kp < 1 ? p / (1 - kp) : 1.0;
      }
    }
    if (byte_mark_ && p < 1) p *= packet.bytes / mean_packet_bytes_;
    return p < 1 ? p : 1.0;
  }

  void restart_count(double packets, double bytes) noexcept {
    count_packets_ = packets;
    count_bytes_ = bytes;
  }

  double min_, max_, max_p_, weight_, mark_p_, mean_packet_bytes_, limit_;
  bool in_bytes_, gentle_, wait_, use_count_, mark_on_empty_, idle_decay_, byte_mark_;
  Action above_max_;
  double average_ = 0.0;
  double probability_ = 0.0;
  double count_packets_ = 0.0;
  double count_bytes_ = 0.0;
  bool above_min_ = false;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_RED_H_
