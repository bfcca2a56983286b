// SPDX-License-Identifier: Apache-2.0
// Parts of the path model of BBRv3 (bbr.h), each with its own state: the detector of a full pipe, the smallest RTT,
// the short-term and long-term bounds, the aggregation of ACKs and the share of marks. Rates are in packets/s.
#ifndef ECNOMY_LAWS_WINDOW_BBR_PARTS_H_
#define ECNOMY_LAWS_WINDOW_BBR_PARTS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "delivery_rate.h"

namespace ecnomy {

inline constexpr double kMinPipe = 4;  // packets, the smallest bound on the flight
inline constexpr double kNoBound = std::numeric_limits<double>::infinity();

struct BbrSettings {
  double startup_gain, drain_gain, up_gain, down_gain;
  double cwnd_gain, up_cwnd_gain;
  double pacing_margin, loss_threshold, beta, headroom;
  Time probe_wait, probe_rtt_interval, probe_rtt_duration, min_rtt_window;
  double probe_rtt_cwnd_gain;
  Time ecn_max_rtt;
  double ecn_alpha_gain, ecn_factor, ecn_threshold;
};

// The pipe is full after three rounds in which the rate did not grow by a quarter.
class FullPipe {
 public:
  void restart(double rate) noexcept {
    rate_ = rate;
    rounds_ = 0;
    now_ = false;
  }
  void end_of_round(const RateSample& sample) noexcept {
    if (now_ || sample.limited) return;
    if (sample.rate >= 1.25 * rate_) return restart(sample.rate);
    now_ = ++rounds_ >= 3;
    if (now_) reached_ = true;
  }
  void set_reached() noexcept { reached_ = true; }
  bool now() const noexcept { return now_; }          // since the last restart
  bool reached() const noexcept { return reached_; }  // ever

 private:
  double rate_ = 0;
  int rounds_ = 0;
  bool now_ = false, reached_ = false;
};

// min_rtt over a long window of time. It is taken from the smallest RTT over a shorter window, whose end triggers
// ProbeRTT.
class SmallestRtt {
 public:
  void begin(Time now) noexcept { recent_at_ = at_ = now; }
  void guess(Time rtt) noexcept {
    if (least_ == kNever) least_ = recent_ = rtt;
  }
  void sample(Time now, Time rtt, Time interval, Time window) noexcept {
    expired_ = now > recent_at_ + interval;
    if (rtt != kNever && (recent_ == kNever || rtt < recent_ || expired_)) {
      recent_ = rtt;
      recent_at_ = now;
    }
    if (least_ != kNever && recent_ >= least_ && now <= at_ + window) return;
    least_ = recent_;
    at_ = recent_at_;
  }
  void restart_interval(Time now) noexcept { recent_at_ = now; }
  Time get() const noexcept { return least_; }  // kNever: no sample yet
  bool expired() const noexcept { return expired_; }

 private:
  Time least_ = kNever, at_ = 0;
  Time recent_ = kNever, recent_at_ = 0;
  bool expired_ = false;
};

// bw_shortterm and inflight_shortterm (bw_lo and inflight_lo of Linux). They fall at the end of a round with losses or
// marks. Losses reduce them at most to the latest round's rate and volume.
class ShortTerm {
 public:
  void reset() noexcept { bw_ = inflight_ = kNoBound; }
  void forget_latest() noexcept { latest_bw_ = latest_inflight_ = 0; }
  void note(const RateSample& sample) noexcept {
    latest_bw_ = std::max(latest_bw_, sample.rate);
    latest_inflight_ = std::max(latest_inflight_, static_cast<double>(sample.delivered));
  }
  void new_round(const RateSample& sample) noexcept {
    latest_bw_ = sample.rate;
    latest_inflight_ = static_cast<double>(sample.delivered);
  }
  // `kept` is the share that remains after marks or losses.
  void marked(double cwnd, double kept) noexcept {
    if (inflight_ == kNoBound) inflight_ = cwnd;
    by_marks_ = inflight_ * kept;
  }
  void lost(double cwnd, double max_bw, double kept) noexcept {
    if (bw_ == kNoBound) bw_ = max_bw;
    if (inflight_ == kNoBound) inflight_ = cwnd;
    bw_ = std::max(latest_bw_, kept * bw_);
    inflight_ = std::max(latest_inflight_, kept * inflight_);
  }
  void end() noexcept {
    inflight_ = std::min(inflight_, by_marks_);
    by_marks_ = kNoBound;
  }
  double bw() const noexcept { return bw_; }
  double inflight() const noexcept { return inflight_; }
  double latest_inflight() const noexcept { return latest_inflight_; }

 private:
  double bw_ = kNoBound, inflight_ = kNoBound, by_marks_ = kNoBound;
  double latest_bw_ = 0, latest_inflight_ = 0;
};

// inflight_longterm (inflight_hi of Linux), in whole packets: losses set it, ProbeBW_UP raises it by 1, 2, 4 ...
// packets per round.
class LongTerm {
 public:
  void lower(double packets) noexcept { inflight_ = std::floor(packets); }
  void raise_to(double packets) noexcept { inflight_ = std::max(inflight_, packets); }
  // Starts a new probe.
  void start() noexcept {
    rounds_ = 0;
    acked_ = 0;
  }
  void raise_slope(double cwnd) noexcept {
    acked_per_packet_ = std::max(cwnd / static_cast<double>(std::int64_t{1} << rounds_), 1.0);
    rounds_ = std::min(rounds_ + 1, 30);
  }
  void acked(double packets) noexcept {
    acked_ += packets;
    const double steps = std::floor(acked_ / acked_per_packet_);
    acked_ -= steps * acked_per_packet_;
    inflight_ += steps;
  }
  double with_headroom(double share) const noexcept {
    if (inflight_ == kNoBound) return kNoBound;
    return std::max(inflight_ - std::max(1.0, share * inflight_), kMinPipe);
  }
  double inflight() const noexcept { return inflight_; }

 private:
  double inflight_ = kNoBound, acked_ = 0, acked_per_packet_ = 1;
  int rounds_ = 0;
};

// extra_acked: the number of packets, at most cwnd, that were acknowledged beyond the number expected at the model's
// rate. It is the maximum over the last one or two periods of several rounds.
class ExtraAcked {
 public:
  void restart(Time now) noexcept { since_ = now; }
  void start_epoch(Time now) noexcept {
    since_ = now;
    delivered_ = 0;
  }
  void end_of_round(int period) noexcept {
    if (++rounds_ < period) return;
    rounds_ = 0;
    most_ = {most_[1], 0};
  }
  void acked(Time now, double packets, double bw, double cwnd) noexcept {
    double expected = bw * seconds(now - since_);
    if (delivered_ <= expected) {
      delivered_ = expected = 0;
      since_ = now;
    }
    delivered_ += packets;
    most_[1] = std::max(most_[1], std::min(delivered_ - expected, cwnd));
  }
  double get() const noexcept { return std::max(most_[0], most_[1]); }

 private:
  std::array<double, 2> most_{};
  double delivered_ = 0;
  Time since_ = 0;
  int rounds_ = 0;
};

// alpha: the averaged share of marks per round. The first share is that of all packets so far.
class MarkShare {
 public:
  // Returns the share of this round, or a negative number if the round had no packets.
  double end_of_round(std::int64_t delivered, std::int64_t marks, double gain) noexcept {
    if (delivered <= delivered_) return -1;
    const double share =
        static_cast<double>(marks - marks_) / static_cast<double>(delivered - delivered_);
    delivered_ = delivered;
    marks_ = marks;
    alpha_ = std::min((1 - gain) * alpha_ + gain * share, 1.0);
    return share;
  }
  double alpha() const noexcept { return alpha_; }

 private:
  double alpha_ = 1;
  std::int64_t delivered_ = 0, marks_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_BBR_PARTS_H_
