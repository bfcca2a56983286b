// SPDX-License-Identifier: Apache-2.0
// The path model and the states of BBR version 1 (bbr1.h), in the order of the steps of Linux's tcp_bbr.c.
#ifndef ECNOMY_LAWS_WINDOW_BBR1_MODEL_H_
#define ECNOMY_LAWS_WINDOW_BBR1_MODEL_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "bbr_parts.h"
#include "delivery_rate.h"
#include "window.h"

namespace ecnomy {

struct Bbr1Settings {
  double startup_gain, up_gain, down_gain, cwnd_gain, pacing_margin;
  Time min_rtt_window, probe_rtt_duration;
};

// The largest rate of the last samples: those of the round of the newest sample and of the kRounds rounds before it.
class LargestRate {
 public:
  void add(std::int64_t round, double rate) noexcept {
    for (; newest_ < round; ++newest_) slot(newest_ + 1) = 0;
    slot(round) = std::max(slot(round), rate);
    largest_ = *std::max_element(rates_.begin(), rates_.end());
  }
  double get() const noexcept { return largest_; }

 private:
  static constexpr std::int64_t kRounds = 10;
  double& slot(std::int64_t round) noexcept {
    return rates_[static_cast<std::size_t>(round % (kRounds + 1))];
  }

  std::array<double, kRounds + 1> rates_{};  // the largest rate of each round
  std::int64_t newest_ = 0;
  double largest_ = 0;
};

class Bbr1Model {
 public:
  explicit Bbr1Model(const Bbr1Settings& settings) noexcept : set_(settings) {}

  // Begins a new connection with this window. Its first packet is `path.sent`.
  void begin(const Path& path, double cwnd) noexcept {
    *this = Bbr1Model(set_);
    packets_.begin(path.sent);
    opened_ = path.acked;
    initial_cwnd_ = cwnd_ = cwnd;
    min_rtt_at_ = path.now;
    extra_.restart(path.now);
    pacing_rate_ = paced(set_.startup_gain, cwnd / 0.001);
  }

  void on_sent(const Path& path, std::int64_t seq) noexcept {
    now_ = path.now;
    learn_rtt(path);
    const bool limited = path.app_limited && path.acked > opened_;
    if (packets_.in_flight() == 0 && (limited || packets_.limited())) restart_from_idle();
    packets_.on_sent(now_, seq, limited, Loser{this});
  }
  void on_delivered(std::int64_t first, std::int64_t end) noexcept {
    packets_.on_delivered(first, end);
  }
  void on_lost(std::int64_t below) noexcept { packets_.lose_below(below, Loser{this}); }

  // Begins loss recovery, with packet conservation in its first round. It ends once all packets sent so far are
  // acknowledged. The host reports the lost packets afterwards.
  void on_loss(const Path& path, double cwnd) noexcept {
    enter_recovery(path, cwnd);
    conserving_ = true;
    start_round();
    cwnd_ = std::min(in_flight() + static_cast<double>(rs_.newly_acked), most());
  }
  void on_timeout(const Path& path, double cwnd) noexcept {
    enter_recovery(path, cwnd);
    full_.restart(0);
    packets_.lose_all(Loser{this});
    losses_ = 0;
    cwnd_ = 1;
  }

  void on_ack(const Path& path, double cwnd) noexcept {
    now_ = path.now;
    cwnd_ = restore_due_ ? std::max(cwnd, prior_cwnd_) : cwnd;
    restore_due_ = false;
    rs_ = packets_.take(now_, path.min_rtt, path.acked, Loser{this});
    if (rs_.newly_acked == 0) return;
    update_model();
    learn_rtt(path);
    set_pacing_rate(pacing_gain());
    set_cwnd(path.acked >= recover_until_);
    losses_ = 0;
  }

  double cwnd() const noexcept { return cwnd_; }
  double pacing_rate() const noexcept { return pacing_rate_; }

 private:
  enum class State : std::uint8_t { startup, drain, probe_bw, probe_rtt };
  struct Loser {
    Bbr1Model* model;
    void operator()(std::int64_t, const DeliveryRate::Sent&) const noexcept { ++model->losses_; }
  };
  static constexpr int kPhases = 8, kExtraRounds = 5;
  static constexpr double kLongestExtra = 0.1;  // s

  double in_flight() const noexcept { return static_cast<double>(packets_.in_flight()); }
  double of_path(double gain) const noexcept {
    return min_rtt_ == kNever ? initial_cwnd_ : gain * bw_.get() * seconds(min_rtt_);
  }
  // The largest flight at a gain; a probe for bandwidth exceeds even a short path.
  double budget(double packets) const noexcept {
    return packets + (state_ == State::probe_bw && phase_ == 0 ? 2 : 0);
  }
  double most() const noexcept { return state_ == State::probe_rtt ? kMinPipe : kNoBound; }
  void start_round() noexcept { next_round_ = packets_.delivered(); }
  void learn_rtt(const Path& path) noexcept {
    if (seen_rtt_ || path.srtt == 0) return;
    seen_rtt_ = true;
    if (min_rtt_ == kNever) min_rtt_ = path.min_rtt;
    pacing_rate_ = paced(set_.startup_gain, cwnd_ / seconds(path.srtt));
  }

  // ---- the steps of an ACK
  void update_model() noexcept {
    update_bw();
    if (state_ == State::probe_bw && phase_is_over()) start_phase((phase_ + 1) % kPhases);
    if (round_start_ && !full_.reached()) {
      full_.end_of_round({.limited = rs_.limited, .rate = bw_.get()});
    }
    if (state_ == State::startup && full_.reached()) state_ = State::drain;
    if (state_ == State::drain && in_flight() <= budget(of_path(1))) start_probe_bw();
    update_min_rtt();
    if (rs_.delivered > 0) idle_restart_ = false;
  }

  // A sample without a rate is no observation, and does not end a round.
  void update_bw() noexcept {
    round_start_ = rs_.rate > 0 && rs_.prior_delivered >= next_round_;
    if (rs_.rate <= 0) return;
    if (round_start_) {
      start_round();
      ++round_count_;
      conserving_ = false;
      extra_.end_of_round(kExtraRounds);
    }
    if (!rs_.limited || rs_.rate >= bw_.get()) bw_.add(round_count_, rs_.rate);
    extra_.acked(now_, static_cast<double>(rs_.newly_acked), bw_.get(), cwnd_);
  }

  void update_min_rtt() noexcept {
    const bool expired = now_ > min_rtt_at_ + set_.min_rtt_window;
    if (rs_.rtt != kNever && (min_rtt_ == kNever || rs_.rtt <= min_rtt_ || expired)) {
      min_rtt_ = rs_.rtt;
      min_rtt_at_ = now_;
    }
    if (expired && !idle_restart_ && state_ != State::probe_rtt) {
      save_cwnd();
      state_ = State::probe_rtt;
      probe_rtt_done_ = kNever;
    }
    if (state_ == State::probe_rtt) handle_probe_rtt();
  }

  // ---- ProbeBW
  double phase_gain() const noexcept {
    return phase_ == 0 ? set_.up_gain : phase_ == 1 ? set_.down_gain : 1;
  }
  bool phase_is_over() const noexcept {
    const bool full_length = now_ - phase_at_ > min_rtt_;
    const double gain = phase_gain();
    const double before =
        in_flight() + static_cast<double>(rs_.newly_acked) + static_cast<double>(losses_);
    if (gain > 1) return full_length && (losses_ > 0 || before >= budget(of_path(gain)));
    return full_length || (gain < 1 && before <= budget(of_path(1)));
  }
  void start_phase(int phase) noexcept {
    phase_ = phase;
    phase_at_ = now_;
  }
  void start_probe_bw() noexcept {
    state_ = State::probe_bw;
    start_phase((kPhases - static_cast<int>(now_ % (kPhases - 1))) % kPhases);
  }

  // ---- ProbeRTT
  void handle_probe_rtt() noexcept {
    packets_.mark_limited();
    if (probe_rtt_done_ == kNever) {
      if (in_flight() > kMinPipe) return;
      probe_rtt_done_ = now_ + set_.probe_rtt_duration;
      probe_rtt_round_done_ = false;
      start_round();
      return;
    }
    if (round_start_) probe_rtt_round_done_ = true;
    if (probe_rtt_round_done_ && check_probe_rtt_done()) cwnd_ = std::max(cwnd_, prior_cwnd_);
  }
  bool check_probe_rtt_done() noexcept {
    if (probe_rtt_done_ == kNever || now_ <= probe_rtt_done_) return false;
    min_rtt_at_ = now_;
    state_ = State::startup;
    if (full_.reached()) start_probe_bw();
    return true;
  }
  void restart_from_idle() noexcept {
    idle_restart_ = true;
    extra_.start_epoch(now_);
    if (state_ == State::probe_bw) set_pacing_rate(1);
    if (state_ == State::probe_rtt && check_probe_rtt_done()) restore_due_ = true;
  }

  // ---- control
  double pacing_gain() const noexcept {
    const double gains[] = {set_.startup_gain, 1 / set_.startup_gain, phase_gain(), 1};
    return gains[static_cast<int>(state_)];
  }
  double cwnd_gain() const noexcept {
    const double gains[] = {set_.startup_gain, set_.startup_gain, set_.cwnd_gain, 1};
    return gains[static_cast<int>(state_)];
  }
  double paced(double gain, double bw) const noexcept {
    return gain * bw * (1 - set_.pacing_margin);
  }
  void set_pacing_rate(double gain) noexcept {
    const double rate = paced(gain, bw_.get());
    if (rate > 0 && (full_.reached() || rate > pacing_rate_)) pacing_rate_ = rate;
  }
  void set_cwnd(bool recovered) noexcept {
    const double newly = static_cast<double>(rs_.newly_acked);
    cwnd_ = std::max(cwnd_ - static_cast<double>(losses_), 1.0);
    if (recovering_ && recovered) {
      recovering_ = conserving_ = false;
      cwnd_ = std::max(cwnd_, prior_cwnd_);
    }
    if (conserving_) {
      cwnd_ = std::max(cwnd_, in_flight() + newly);
    } else {
      approach_target(newly);
    }
    cwnd_ = std::min(cwnd_, most());
  }
  void approach_target(double newly) noexcept {
    double target = of_path(cwnd_gain());
    if (full_.reached()) target += std::min(extra_.get(), kLongestExtra * bw_.get());
    target = budget(target);
    if (full_.reached()) {
      cwnd_ = std::min(cwnd_ + newly, target);
    } else if (cwnd_ < target || static_cast<double>(packets_.delivered()) < initial_cwnd_) {
      cwnd_ += newly;
    }
    cwnd_ = std::max(cwnd_, kMinPipe);
  }
  void enter_recovery(const Path& path, double cwnd) noexcept {
    now_ = path.now;
    cwnd_ = cwnd;
    save_cwnd();
    recovering_ = true;
    recover_until_ = path.sent;
  }
  void save_cwnd() noexcept {
    const bool good = !recovering_ && state_ != State::probe_rtt;
    prior_cwnd_ = good ? cwnd_ : std::max(prior_cwnd_, cwnd_);
  }

  Bbr1Settings set_;
  DeliveryRate packets_;
  RateSample rs_;
  Time now_ = 0;
  std::int64_t opened_ = 0;  // packets acknowledged before this connection
  double initial_cwnd_ = 1, cwnd_ = 1, prior_cwnd_ = 0, pacing_rate_ = 1;
  State state_ = State::startup;
  bool seen_rtt_ = false, restore_due_ = false, idle_restart_ = false;
  bool recovering_ = false, conserving_ = false;
  std::int64_t recover_until_ = 0;
  std::int64_t losses_ = 0;  // packets found to be lost since the last ACK, except by a timeout

  LargestRate bw_;
  FullPipe full_;
  ExtraAcked extra_;
  Time min_rtt_ = kNever, min_rtt_at_ = 0;
  std::int64_t next_round_ = 0, round_count_ = 0;
  bool round_start_ = false;

  int phase_ = 0;
  Time phase_at_ = 0;
  Time probe_rtt_done_ = kNever;
  bool probe_rtt_round_done_ = false;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_BBR1_MODEL_H_
