// SPDX-License-Identifier: Apache-2.0
// DualPI2, the dual queue with coupled AQMs of L4S (RFC 9332): queue L for ECT(1) and CE, queue C for all other
// packets, and one base probability p' for both. Every `update_s`, with D the waiting time of the oldest packet,
//
//   p' += alpha (D - target_s) + beta (D - D at the previous update)    kept in [0, 1]
//   C   a packet is marked, or dropped if it is not ECT, with probability p'^2
//   L   a packet is marked with probability k p', with k the `coupling`, or by the wait in its own queue:
//
//   form linux (sch_dualpi2.c of Linux 6.17)         form rfc9332 (appendix A)
//   D      the longer wait of both queues            the wait of C
//   L      also marked after a wait above step_s     max(k p', ramp): 0 at step_s, 1 at step_s + ramp_s, and
//                                                    0 with fewer than two packets left in L
//   draws  at random; p'^2 is two draws with p'      by a count for each queue, the sum of p (`recurs`)
//   overload k p' > 1:                               k p' >= 1:
//          L: dropped with p'^2, else marked         L: dropped or else marked, by p'^2 and k p' in one count, in
//                                                    which k p' above 1 becomes drops: 47 % at p' = 0.6, k = 2
//          C: dropped instead of marked              C: dropped instead of marked, p'^2 >= 1/k^2
//   exempt packets that leave less than two MTU      no packets
//          in both queues, but not from the step;
//          from the step: packets that met fewer
//          than step_at_least packets in L
//
// Both act when a packet leaves. With `drop_overload` off, linux limits p' to 1/k instead of dropping.
//
// Both forms select the next queue by weighted round robin (codepoint_turns.h), with `classic_share` and `mtu_bytes`.
//
// The law uses the link's buffer. A packet that finds it full is dropped.
#ifndef ECNOMY_LAWS_SCHEDULING_DUALPI2_H_
#define ECNOMY_LAWS_SCHEDULING_DUALPI2_H_

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

namespace ecnomy {

class DualPi2 {
 public:
  static constexpr const char* kName = "dualpi2";
  static constexpr About kAbout{
      "Separate queues for L4S and classic traffic, with coupled marks and drops, in place of a "
      "marking law.",
      "RFC 9332; Linux sch_dualpi2"};
  static constexpr SchedulingTraits kTraits{.by_codepoint = true, .draws = true, .controls = true};
  using Class = CodepointClass;
  static constexpr Parameter kParameters[] = {
      {"form", "choice", 0, 0, 1, "linux,rfc9332",
       "Queueing discipline: Linux's, or the pseudocode of RFC 9332 appendix A."},
      {"target_s", "s", 0.015, 1e-6, 1e3, "",
       "Target queueing delay of the controller, of the longer queue, or in form rfc9332 of the "
       "classic queue."},
      {"update_s", "s", 0.016, 1e-6, 1e3, "", "Time between two updates of the base probability."},
      {"alpha", "1/s", 41.0 / 256, 0, 1e6, "", "Gain of the delay above the target."},
      {"beta", "1/s", 819.0 / 256, 0, 1e6, "", "Gain of the change in delay."},
      {"step_s", "s", 0.001, 0, 1e3, "",
       "Wait beyond which L4S packets are marked. With form rfc9332, the ramp begins there."},
      {"ramp_s", "s", 0.0004, 1e-9, 1e3, "",
       "Width of the ramp to a marking probability of 1 (only rfc9332)."},
      {"coupling", "", 2, 1e-3, 1e3, "",
       "Ratio of the L4S marking probability to the base probability: k (RFC 9332 section 2.1)."},
      {"classic_share", "", 0.1, 0, 1, "",
       "Share of the link for classic traffic while both queues wait."},
      {"drop_overload", "flag", 1, 0, 1, "",
       "Overload also drops L4S packets. Otherwise overload caps the base probability (only "
       "linux)."},
      {"mtu_bytes", "bytes", 1500, 64, 1e6, "", "Size of the largest packet on the wire."},
      {"step_at_least", "whole", 0, 0, 1e9, "",
       "Number of waiting L4S packets from which the step may mark an arrival (only linux; 2 "
       "before 6.17)."},
  };
  // RFC 9332 figure 2 with its RTT_max of 100 ms: Tupdate = min(target, RTT_max / 3), alpha = 0.1 Tupdate /
  // RTT_max^2, beta = 0.3 / RTT_max, minTh. It shares the target, the range (ramp_s) and k with Linux.
  static constexpr DefaultWhere kDefaultsWhere[] = {
      {"update_s", "form", "rfc9332", 0.015},
      {"alpha", "form", "rfc9332", 0.15},
      {"beta", "form", "rfc9332", 3},
      {"step_s", "form", "rfc9332", 0.0008},
  };
  static constexpr int kNone = -1;

  // `values` are in the order of kParameters. `classes` has two entries, both empty.
  DualPi2(const double* values, const std::vector<std::vector<double>>& classes, std::int64_t) {
    check_parameters(this, values);
    if (classes.size() != queues_.size()) {
      throw BadParameter(std::string(kName) + ": needs two classes, for L4S and classic traffic");
    }
    linux_ = values[0] == 0;
    target_s_ = values[1];
    update_ = std::max<Time>(1, std::llround(values[2] * kPsPerSecond));
    alpha_ = values[3];
    beta_ = values[4];
    step_ = std::llround(values[5] * kPsPerSecond);
    ramp_ps_ = values[6] * kPsPerSecond;
    k_ = values[7];
    drop_overload_ = values[9] != 0 || !linux_;
    mtu_bytes_ = values[10];
    turns_ = {values[8], mtu_bytes_};
    step_at_least_ = static_cast<std::int64_t>(values[11]);
    due_ = update_;
  }

  // arrive(), drop() and settle() are as in DeficitRoundRobin.
  void arrive(std::size_t n, const PacketView& packet, bool busy, Time now) {
    advance(now);
    if (!busy && empty()) turns_.begin();
    const std::int64_t before = queues_[CodepointClass::kL4s].packets();
    queues_[n].push(packet, now, before >= step_at_least_);
    arrived_ = static_cast<int>(n);
  }
  int drop(bool overflow, Time) noexcept {
    if (!overflow || arrived_ == kNone) return kNone;
    const int n = arrived_;
    queues_[static_cast<std::size_t>(n)].drop_last();
    arrived_ = kNone;
    return n;
  }
  void settle(Time now) noexcept {
    advance(now);
    arrived_ = kNone;
  }

  // Returns the next packet to leave, or to be dropped instead. At least one packet must be waiting.
  template <class Uniform>
  Service next(Time now, Uniform&& uniform) noexcept {
    advance(now);
    ClassQueue& l = queues_[CodepointClass::kL4s];
    ClassQueue& c = queues_[CodepointClass::kClassic];
    const bool both = !l.empty() && !c.empty();
    const std::size_t n = turns_.next(l, c);
    const Waiting first = queues_[n].pop();
    const Time waited = now - first.since;
    const bool is_l4s = n == CodepointClass::kL4s;
    const Action action =
        linux_ ? by_linux(is_l4s, first, waited, uniform) : by_rfc(is_l4s, first.packet, waited);
    if (action != Action::drop && both) turns_.sent(n, first.packet.bytes);
    return {n, action == Action::mark, waited, action == Action::drop};
  }

  // Makes all updates up to now, for a report. Further calls at the same time change nothing.
  void pass_time(Time now) noexcept { advance(now); }

  std::size_t classes() const noexcept { return queues_.size(); }
  const ClassQueue& queue(std::size_t n) const noexcept { return queues_[n]; }
  // p'. Packets of C are marked with its square, packets of L with k p'.
  double probability() const noexcept { return base_; }
  double credit_bytes() const noexcept { return turns_.credit_bytes(); }
  double settled(std::size_t n) const noexcept { return n == 0 ? base_ : credit_bytes(); }

 private:
  bool empty() const noexcept { return queues_[0].empty() && queues_[1].empty(); }

  // Updates the base probability up to now. If an update changes nothing on an idle link, later ones do not either.
  void advance(Time now) noexcept {
    for (; due_ <= now; due_ += update_) {
      const double base = base_, last_s = last_s_;
      update(due_);
      if (empty() && base_ == base && last_s_ == last_s) due_ += (now - due_) / update_ * update_;
    }
  }
  void update(Time at) noexcept {
    const Time classic = queues_[CodepointClass::kClassic].age(at);
    const Time l4s = queues_[CodepointClass::kL4s].age(at);
    const double delay_s =
        static_cast<double>(linux_ ? std::max(classic, l4s) : classic) / kPsPerSecond;
    const double most = drop_overload_ ? 1.0 : std::min(1.0, 1 / k_);
    base_ += alpha_ * (delay_s - target_s_) + beta_ * (delay_s - last_s_);
    base_ = std::clamp(base_, 0.0, most);
    last_s_ = delay_s;
  }

  template <class Uniform>
  Action by_linux(bool is_l4s, const Waiting& first, Time waited, Uniform&& uniform) noexcept {
    const auto classic = [&] { return uniform() < base_ && uniform() < base_; };
    const bool marks_late = is_l4s && first.noted && waited > step_;
    const double left_bytes = static_cast<double>(queues_[0].bytes() + queues_[1].bytes());
    if (left_bytes >= 2 * mtu_bytes_) {
      const bool overload = k_ * base_ > 1;
      if (!is_l4s) {
        if (!classic()) return Action::pass;
        return overload || !first.packet.ect ? Action::drop : Action::mark;
      }
      if (overload) return classic() ? Action::drop : Action::mark;
      if (uniform() < k_ * base_) return Action::mark;
    }
    return marks_late ? Action::mark : Action::pass;
  }

  Action by_rfc(bool is_l4s, const PacketView& packet, Time waited) noexcept {
    const double squared = base_ * base_, coupled = k_ * base_;
    if (!is_l4s) {
      if (!recurs(CodepointClass::kClassic, squared)) return Action::pass;
      return !packet.ect || squared >= std::min(1.0, 1 / (k_ * k_)) ? Action::drop : Action::mark;
    }
    if (coupled >= 1) {
      if (recurs(CodepointClass::kL4s, squared)) return Action::drop;
      return recurs(CodepointClass::kL4s, coupled) ? Action::mark : Action::pass;
    }
    const double late_ps = static_cast<double>(waited - step_);
    const bool alone = queues_[CodepointClass::kL4s].packets() <= 1;
    const double own = alone ? 0.0 : std::clamp(late_ps / ramp_ps_, 0.0, 1.0);
    return recurs(CodepointClass::kL4s, std::max(own, coupled)) ? Action::mark : Action::pass;
  }
  bool recurs(std::size_t n, double likelihood) noexcept {
    count_[n] += likelihood;
    if (count_[n] <= 1) return false;
    count_[n] -= 1;
    return true;
  }

  bool linux_, drop_overload_;
  double target_s_, alpha_, beta_, ramp_ps_, k_, mtu_bytes_;
  Time update_, step_;
  std::int64_t step_at_least_;

  std::array<ClassQueue, 2> queues_;
  CodepointTurns turns_;
  double base_ = 0;    // the base probability p'
  double last_s_ = 0;  // D at the last update
  std::array<double, 2> count_{};
  Time due_;             // time of the next update
  int arrived_ = kNone;  // the class of the packet that may be dropped
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_DUALPI2_H_
