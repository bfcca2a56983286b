// SPDX-License-Identifier: Apache-2.0
// The path model and the states of BBRv3 (bbr.h), with the names of draft-ietf-ccwg-bbr in lower case. `longterm` is
// Linux's inflight_hi, and `shortterm` its bw_lo and inflight_lo.
#ifndef ECNOMY_LAWS_WINDOW_BBR_MODEL_H_
#define ECNOMY_LAWS_WINDOW_BBR_MODEL_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "bbr_parts.h"
#include "delivery_rate.h"
#include "window.h"

namespace ecnomy {

class BbrModel {
 public:
  explicit BbrModel(const BbrSettings& settings) noexcept : set_(settings) {}

  // Begins a new connection with this window. Its first packet is `path.sent`.
  void begin(const Path& path, double cwnd) noexcept {
    *this = BbrModel(set_);
    packets_.begin(path.sent);
    opened_ = path.acked;
    initial_cwnd_ = cwnd_ = cwnd;
    rtt_.begin(path.now);
    extra_.restart(path.now);
    pacing_rate_ = set_.startup_gain * cwnd / 0.001;
  }

  void on_sent(const Path& path, std::int64_t seq) noexcept {
    now_ = path.now;
    if (!seen_rtt_ && path.srtt > 0) {
      seen_rtt_ = true;
      rtt_.guess(path.srtt);
      pacing_rate_ = set_.startup_gain * cwnd_ / seconds(path.srtt);
    }
    const bool limited = path.app_limited && path.acked > opened_;
    if (packets_.in_flight() == 0 && (limited || packets_.limited())) restart_from_idle();
    packets_.on_sent(now_, seq, limited, Loser{this});
    if (static_cast<double>(packets_.in_flight()) + 1 > cwnd_) cwnd_limited_ = true;
  }
  void on_delivered(std::int64_t first, std::int64_t end) noexcept {
    packets_.on_delivered(first, end);
  }
  void on_lost(std::int64_t below, bool selective) noexcept {
    selective_ = selective;
    packets_.lose_below(below, Loser{this});
  }
  // Begins loss recovery. It ends once all packets sent so far are acknowledged.
  void on_loss(const Path& path, double cwnd) noexcept {
    now_ = path.now;
    cwnd_ = cwnd;
    save_cwnd();
    recovering_ = fast_ = true;
    recover_until_ = path.sent;
  }
  void on_timeout(const Path& path, double cwnd) noexcept {
    on_loss(path, cwnd);
    fast_ = false;
    packets_.lose_all(Loser{this});
    cwnd_ = 1;
  }

  // Takes an ACK that reports `marks` new marks, at the window `cwnd`.
  void on_ack(const Path& path, std::int64_t marks, double cwnd) noexcept {
    now_ = path.now;
    cwnd_ = cwnd;
    packets_.note_marks(marks);
    rs_ = packets_.take(now_, path.min_rtt, path.acked, Loser{this});
    if (ecn_eligible_ && marks > 0) ecn_in_round_ = true;
    if (recovering_ && path.acked >= recover_until_) {
      recovering_ = false;
      restore_cwnd();
    }
    if (restore_due_) restore_cwnd();
    restore_due_ = false;
    if (rs_.newly_acked == 0) return;
    update_model();
    set_pacing_rate(pacing_gain());
    set_cwnd();
  }

  double cwnd() const noexcept { return cwnd_; }
  double pacing_rate() const noexcept { return pacing_rate_; }

 private:
  enum class State : std::uint8_t { startup, drain, down, cruise, refill, up, probe_rtt };
  enum class Acks : std::uint8_t { init, refilling, starting, feedback, stopping };
  struct Loser {
    BbrModel* model;
    void operator()(std::int64_t seq, const DeliveryRate::Sent& packet) const noexcept {
      model->lose(seq, packet);
    }
  };
  static constexpr int kLossRanges = 6, kEcnRounds = 2, kExtraRounds = 5;

  bool in_probe_bw() const noexcept { return state_ >= State::down && state_ <= State::up; }
  bool probing() const noexcept {
    return state_ == State::startup || state_ == State::refill || state_ == State::up;
  }
  double in_flight() const noexcept { return static_cast<double>(packets_.in_flight()); }
  double max_bw() const noexcept { return std::max(bw_filter_[0], bw_filter_[1]); }
  double of_path(double bw, double gain) const noexcept {
    return rtt_.get() == kNever ? initial_cwnd_ : gain * bw * seconds(rtt_.get());
  }
  double budget(double packets) const noexcept {
    return std::max(packets, kMinPipe) + (state_ == State::up ? 2 : 0);
  }
  double target() const noexcept { return std::min(of_path(bw_, 1), cwnd_); }

  // ---- the steps of an ACK
  void update_model() noexcept {
    update_latest();
    update_congestion();
    const int period = full_.reached() ? kExtraRounds : 1;
    if (round_start_) extra_.end_of_round(period);
    extra_.acked(now_, static_cast<double>(rs_.newly_acked), bw_, cwnd_);
    if (round_start_) full_.end_of_round(rs_);
    check_startup();
    if (state_ == State::drain &&
        (in_flight() <= budget(of_path(bw_, 1)) || round_count_ > drain_round_ + 3)) {
      start_down();
    }
    update_cycle();
    rtt_.sample(now_, rs_.rtt, set_.probe_rtt_interval, set_.min_rtt_window);
    check_probe_rtt();
    if (loss_round_start_) short_.new_round(rs_);
    bw_ = std::min(max_bw(), short_.bw());
  }

  void update_latest() noexcept {
    loss_round_start_ = false;
    short_.note(rs_);
    if (rs_.prior_delivered < loss_round_delivered_) return;
    loss_round_delivered_ = packets_.delivered();
    loss_round_start_ = true;
  }

  void start_round() noexcept { next_round_ = packets_.delivered(); }

  void update_congestion() noexcept {
    round_start_ = rs_.prior_delivered >= next_round_;
    if (round_start_) {
      start_round();
      ++round_count_;
      ++rounds_since_up_;
      was_cwnd_limited_ = cwnd_limited_;
      cwnd_limited_ = false;
    }
    if (rs_.rate > 0 && (rs_.rate >= max_bw() || !rs_.limited)) {
      bw_filter_[1] = std::max(bw_filter_[1], rs_.rate);
    }
    if (round_start_) update_alpha();
    if (!loss_round_start_) return;
    if (!probing()) lower_bounds();
    loss_in_round_ = ecn_in_round_ = false;
  }

  void lower_bounds() noexcept {
    if (ecn_in_round_) short_.marked(cwnd_, 1 - share_.alpha() * set_.ecn_factor);
    if (loss_in_round_) short_.lost(cwnd_, max_bw(), set_.beta);
    short_.end();
  }

  void update_alpha() noexcept {
    if (rtt_.get() != kNever && rtt_.get() <= set_.ecn_max_rtt) ecn_eligible_ = true;
    if (!ecn_eligible_) return;
    const double share =
        share_.end_of_round(packets_.delivered(), packets_.marks(), set_.ecn_alpha_gain);
    if (share < 0 || full_.reached()) return;
    ecn_rounds_ = share >= set_.ecn_threshold ? ecn_rounds_ + 1 : 0;
    if (ecn_rounds_ >= kEcnRounds) startup_too_high();
  }

  void check_startup() noexcept {
    if (!full_.reached() && recovering_ && fast_) {
      const bool enough = loss_round_start_ && loss_ranges_ >= kLossRanges && too_lossy(rs_);
      if (enough || !selective_) startup_too_high();
    }
    if (loss_round_start_) loss_ranges_ = 0;
    if (state_ != State::startup || !full_.reached()) return;
    state_ = State::drain;
    drain_round_ = round_count_;
  }
  void startup_too_high() noexcept {
    full_.set_reached();
    long_.lower(std::max(of_path(max_bw(), 1), short_.latest_inflight()));
  }

  // ---- losses and marks
  bool too_lossy(const RateSample& rs) const noexcept {
    const double lost = static_cast<double>(rs.lost);
    const double least = selective_ ? set_.loss_threshold * static_cast<double>(rs.in_flight) : 0;
    return lost > least;
  }
  bool too_marked() const noexcept {
    const double most = set_.ecn_threshold * static_cast<double>(rs_.delivered);
    return ecn_eligible_ && rs_.marks > 0 && static_cast<double>(rs_.marks) > most;
  }
  void lose(std::int64_t seq, const DeliveryRate::Sent& packet) noexcept {
    if (!loss_in_round_) loss_round_delivered_ = packets_.delivered();
    loss_in_round_ = true;
    if (seq != last_lost_ + 1) ++loss_ranges_;
    last_lost_ = seq;
    if (!is_probe_sample_) return;
    RateSample rs{.in_flight = packet.in_flight, .limited = packet.limited};
    rs.lost = packets_.lost() - packet.lost;
    if (!too_lossy(rs)) return;
    const double before = static_cast<double>(rs.in_flight - 1);
    const double lost_before = static_cast<double>(rs.lost - 1);
    const double prefix = (set_.loss_threshold * before - lost_before) / (1 - set_.loss_threshold);
    too_high(before + std::max(prefix, 0.0), rs.limited);
  }
  void too_high(double packets, bool limited) noexcept {
    prev_too_high_ = true;
    is_probe_sample_ = false;
    if (!limited) long_.lower(std::max(packets, set_.beta * target()));
    if (state_ == State::up) start_down();
  }

  // ---- ProbeBW
  void start_down() noexcept {
    loss_in_round_ = ecn_in_round_ = false;
    short_.forget_latest();
    rounds_since_up_ = 0;
    cycle_stamp_ = now_;
    acks_ = Acks::stopping;
    start_round();
    state_ = State::down;
  }
  void start_refill() noexcept {
    short_.reset();
    long_.start();
    prev_precautionary_ = false;
    acks_ = Acks::refilling;
    start_round();
    state_ = State::refill;
  }
  void start_up() noexcept {
    acks_ = Acks::starting;
    start_round();
    full_.restart(rs_.rate);
    state_ = State::up;
    long_.raise_slope(cwnd_);
  }
  void update_cycle() noexcept {
    if (!full_.reached() || adapt_longterm() || !in_probe_bw()) return;
    if (state_ == State::down || state_ == State::cruise) {
      const double rounds = std::min(target(), 63.0);
      if (now_ > cycle_stamp_ + set_.probe_wait || rounds_since_up_ >= rounds) {
        start_refill();
      } else if (in_flight() <=
                 std::min(long_.with_headroom(set_.headroom), budget(of_path(max_bw(), 1)))) {
        state_ = State::cruise;
      }
    } else if (state_ == State::refill) {
      if (!round_start_) return;
      is_probe_sample_ = true;
      start_up();
    } else if (time_to_go_down()) {
      prev_too_high_ = false;
      start_down();
    }
  }
  bool is_cwnd_limited() const noexcept { return cwnd_limited_ || was_cwnd_limited_; }
  bool time_to_go_down() noexcept {
    const double before = in_flight() + static_cast<double>(rs_.newly_acked);
    if (prev_too_high_ && before >= long_.inflight()) {
      prev_precautionary_ = true;
      return true;
    }
    if (!is_cwnd_limited() || cwnd_ < long_.inflight()) return full_.now();
    full_.restart(rs_.rate);
    return false;
  }
  // Returns true if it has chosen the next state.
  bool adapt_longterm() noexcept {
    if (round_start_ && acks_ == Acks::starting) acks_ = Acks::feedback;
    if (round_start_ && acks_ == Acks::stopping) {
      is_probe_sample_ = false;
      acks_ = Acks::init;
      if (in_probe_bw() && !rs_.limited && bw_filter_[1] > 0) bw_filter_ = {bw_filter_[1], 0};
      if (in_probe_bw() && prev_precautionary_ && !prev_too_high_) {
        start_refill();
        return true;
      }
    }
    if (too_marked()) {
      if (is_probe_sample_) too_high(static_cast<double>(rs_.in_flight), rs_.limited);
      return false;
    }
    if (too_lossy(rs_) || long_.inflight() == kNoBound) return false;
    long_.raise_to(static_cast<double>(rs_.in_flight));
    if (state_ != State::up || !is_cwnd_limited() || cwnd_ < long_.inflight()) return false;
    long_.acked(static_cast<double>(rs_.newly_acked));
    if (round_start_) long_.raise_slope(cwnd_);
    return false;
  }
  // ---- ProbeRTT
  void check_probe_rtt() noexcept {
    if (state_ != State::probe_rtt && rtt_.expired() && !idle_restart_) {
      save_cwnd();
      state_ = State::probe_rtt;
      probe_rtt_done_ = kNever;
      acks_ = Acks::stopping;
      start_round();
    }
    if (state_ == State::probe_rtt) handle_probe_rtt();
    if (rs_.delivered > 0) idle_restart_ = false;
  }
  double probe_rtt_cwnd() const noexcept {
    return std::max(of_path(bw_, set_.probe_rtt_cwnd_gain), kMinPipe);
  }
  void handle_probe_rtt() noexcept {
    packets_.mark_limited();
    if (probe_rtt_done_ == kNever) {
      if (in_flight() > probe_rtt_cwnd()) return;
      probe_rtt_done_ = now_ + set_.probe_rtt_duration;
      probe_rtt_round_done_ = false;
      start_round();
      return;
    }
    if (round_start_) probe_rtt_round_done_ = true;
    if (probe_rtt_round_done_ && check_probe_rtt_done()) restore_cwnd();
  }
  bool check_probe_rtt_done() noexcept {
    if (probe_rtt_done_ == kNever || now_ <= probe_rtt_done_) return false;
    rtt_.restart_interval(now_);
    short_.reset();
    if (full_.reached()) start_down();
    state_ = full_.reached() ? State::cruise : State::startup;
    return true;
  }
  void restart_from_idle() noexcept {
    idle_restart_ = true;
    extra_.restart(now_);
    if (in_probe_bw()) {
      set_pacing_rate(1);
    } else if (state_ == State::probe_rtt && check_probe_rtt_done()) {
      restore_due_ = true;
    }
  }

  // ---- control
  double pacing_gain() const noexcept {
    const double gains[] = {
        set_.startup_gain, set_.drain_gain, set_.down_gain, 1, 1, set_.up_gain, 1};
    return gains[static_cast<int>(state_)];
  }
  double cwnd_gain() const noexcept {
    if (state_ == State::probe_rtt) return set_.probe_rtt_cwnd_gain;
    return state_ == State::up ? set_.up_cwnd_gain : set_.cwnd_gain;
  }
  void set_pacing_rate(double gain) noexcept {
    const double rate = gain * bw_ * (1 - set_.pacing_margin);
    if (rate > 0 && (full_.reached() || rate > pacing_rate_)) pacing_rate_ = rate;
  }
  void set_cwnd() noexcept {
    const double newly = static_cast<double>(rs_.newly_acked);
    const double most = budget(of_path(bw_, cwnd_gain()) + extra_.get());
    if (full_.reached()) {
      cwnd_ = std::min(cwnd_ + newly, most);
    } else if (cwnd_ < most || static_cast<double>(packets_.delivered()) < initial_cwnd_) {
      cwnd_ += newly;
    }
    cwnd_ = std::max(cwnd_, kMinPipe);
    if (state_ == State::probe_rtt) cwnd_ = std::min(cwnd_, probe_rtt_cwnd());
    double cap = in_probe_bw() ? long_.inflight() : kNoBound;
    if (state_ == State::cruise || state_ == State::probe_rtt)
      cap = long_.with_headroom(set_.headroom);
    cwnd_ = std::min(cwnd_, std::max(std::min(cap, short_.inflight()), kMinPipe));
  }
  void save_cwnd() noexcept {
    const bool good = !recovering_ && state_ != State::probe_rtt;
    prior_cwnd_ = good ? cwnd_ : std::max(prior_cwnd_, cwnd_);
  }
  void restore_cwnd() noexcept { cwnd_ = std::max(cwnd_, prior_cwnd_); }

  BbrSettings set_;
  DeliveryRate packets_;
  RateSample rs_;
  Time now_ = 0;
  std::int64_t opened_ = 0;  // packets acknowledged before this connection
  double initial_cwnd_ = 1, cwnd_ = 1, prior_cwnd_ = 0, pacing_rate_ = 1;
  State state_ = State::startup;
  Acks acks_ = Acks::init;
  bool seen_rtt_ = false, restore_due_ = false, idle_restart_ = false;
  bool recovering_ = false, fast_ = false, selective_ = true;
  bool cwnd_limited_ = false, was_cwnd_limited_ = false;  // in this round and in the last
  std::int64_t recover_until_ = 0;

  FullPipe full_;
  SmallestRtt rtt_;
  ShortTerm short_;
  LongTerm long_;
  ExtraAcked extra_;
  MarkShare share_;
  std::array<double, 2> bw_filter_{};  // largest samples of the last cycle and this one, packets/s
  double bw_ = 0;

  std::int64_t next_round_ = 0, round_count_ = 0, drain_round_ = 0, loss_round_delivered_ = 0;
  bool round_start_ = false, loss_round_start_ = false, loss_in_round_ = false;
  int loss_ranges_ = 0;  // runs of lost packets in this round
  std::int64_t last_lost_ = -2;
  bool ecn_eligible_ = false, ecn_in_round_ = false;
  int ecn_rounds_ = 0;  // rounds of Startup with too many marks

  bool is_probe_sample_ = false, prev_too_high_ = false, prev_precautionary_ = false;
  double rounds_since_up_ = 0;
  Time cycle_stamp_ = 0;
  Time probe_rtt_done_ = kNever;
  bool probe_rtt_round_done_ = false;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_BBR_MODEL_H_
