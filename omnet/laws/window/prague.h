// SPDX-License-Identifier: Apache-2.0
// Prague, the congestion control of L4S (RFC 9331 section 4; Linux's tcp_prague 0.7 and, by its parameters, 0.6):
// DCTCP whose rate does not depend on the round-trip time if this is shorter than `target_rtt_s`.
//
//   ACK of n packets, m of them marked   slow start: cwnd += n - m;  else cwnd += a^2 (n - m) / max(cwnd, a)
//   first mark of the connection         cwnd /= 2 with `first_mark` halves
//   mark, once per round trip            cwnd -= alpha cwnd / 2, and ssthresh = cwnd; with T, at most once per T
//   end of a round trip; with T, also at least T after the last such end
//                                        alpha <- (1 - g) alpha + g m / n of its packets, after the first mark
//   loss                                 half the window; timeout: one packet, then slow start up to half
//
// With `fallback`, a mark reduces by max(alpha, 5 c / 8) in place of alpha, where c is 1 if the bottleneck seems to have
// a queue of RFC 3168, and 0 if it seems to have one of L4S (classic_score.h). The window then falls by 31 %, about as
// much as CUBIC's at a loss.
//
// T is target_rtt_s. From `transition` round trips after slow start on, a = min(1, srtt / T), but a = 1 if srtt is
// above 100 ms. Before that, and in a slow start after a timeout, a = 1 and T does not apply. The max() applies to
// rates of less than a packet in max(T, srtt). Like tcp_prague's rate, they then grow by at most 1 / max(T, srtt) for
// each packet acknowledged.
//
// In equilibrium a flow receives m marks in max(T, srtt), at every rate. So its rate is m / (p max(T, srtt)) packets/s
// at a marked share p. If a mark arrives whenever T is over, m = 2 (1 - p): with 25 ms and packets of 1500 bytes
// r [Mbps] = 0.96 (1/p - 1), and tcp_prague has r = 1/p - 1. If packets are marked independently of each other,
// the flow waits for the next mark, and m^2 = 2 (1 - p) (m + 1): 37 % more at a small p.
//
// Differences in tcp_prague 0.7: its window moves to the new value by one packet per ACK. A first mark in slow start
// halves the window only if its ACK answers no other packet. (srtt / T)^2 is updated when a round trip ends or the
// window changes, not at each ACK. With windows of up to four packets tcp_prague shrinks segments, paces within +-3 %
// and keeps a rate of 100 kbps. Here segments keep their size, and a paced window may be a fraction of a segment.
// tcp_prague divides the growth of such a rate by the window rounded up to whole packets.
#ifndef ECNOMY_LAWS_WINDOW_PRAGUE_H_
#define ECNOMY_LAWS_WINDOW_PRAGUE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "../boxed.h"
#include "classic_score.h"
#include "window.h"

namespace ecnomy {

class Prague {
 public:
  static constexpr const char* kName = "prague";
  static constexpr About kAbout{
      "Prague, for L4S: DCTCP whose rate does not depend on round trips below 25 ms.",
      "RFC 9331 section 4; Linux tcp_prague 0.7"};
  static constexpr WindowTraits kTraits{.recovery = Recovery::all_acked,
                                        .per_mark = true,
                                        .ect_1 = true,
                                        .begins = true,
                                        .hears_rtt = true,
                                        .sees = true};
  static constexpr Parameter kParameters[] = {
      {"g", "", 0.0625, 1e-9, 1, "", "Weight of the latest round trip in alpha."},
      {"target_rtt_s", "s", 0.025, 0, 1e3, "",
       "Round trip that replaces shorter ones, for growth and reductions; 0: each flow's own round "
       "trip."},
      {"transition", "whole", 4, 0, 1e9, "",
       "Number of round trips after slow start before target_rtt applies (500 in Prague 0.6)."},
      {"initial_alpha", "", 0, 0, 1, "",
       "Initial estimate of the share of marked packets (1 in Prague 0.6)."},
      {"first_mark", "choice", 1, 0, 1, "reduces,halves",
       "Response to a connection's first mark: by the share of marks, or half ('reduces' in Prague "
       "0.6)."},
      {"fallback", "flag", 0, 0, 1, "",
       "Whether marks reduce the window by up to 31 % if round trips vary as at a queue of RFC "
       "3168 (arXiv:1911.00710)."},
  };

  explicit Prague(const double* values) : own_(state_of(values)) {}

  void begin(Window&) noexcept {
    own_->alpha = own_->initial_alpha;
    own_->rounds = 0;
    own_->saw_mark = false;
    own_->reduced_until = -1;
    own_->reduced_at = kNever;
    own_->alpha_at = own_->now;
    own_->score = {};
    new_round(false);
  }
  void on_rtt(Window&, Time rtt) noexcept {
    if (own_->falls_back) own_->score.sample(rtt);
  }
  void see(const Path& path) noexcept {
    own_->acked_now = path.acked;
    own_->sent_now = path.sent;
    own_->now = path.now;
    own_->srtt = path.srtt;
    own_->min_rtt = path.min_rtt;
  }
  void on_ack(Window& window, const Ack& ack) noexcept {
    if (ack.marks > 0) marked(window, ack.marks);
    grow(window, static_cast<double>(std::max<std::int64_t>(ack.newly_acked - ack.marks, 0)));
    if (own_->acked_now >= own_->round_ends && target_over(window, own_->alpha_at)) {
      end_round(window);
    }
  }
  void on_congestion(Window&, double) noexcept {}
  void on_loss(Window& window, double) noexcept {
    note_reduction(window);
    window.set(window.cwnd / 2);
    window.ssthresh = window.cwnd;
    own_->reduced_until = own_->sent_now;
  }
  void on_timeout(Window& window, double used) noexcept {
    on_loss(window, used);
    window.set(1.0);
  }

  double alpha() const noexcept { return own_->alpha; }
  double weight() const noexcept { return 0.0; }
  void set_weight(double) noexcept {}

 private:
  static constexpr Time kLongestScaled = 100'000'000'000;  // ps

  bool independent() const noexcept { return own_->target > 0 && own_->rounds >= own_->transition; }
  // True if a time T has passed since `since`, or T does not apply.
  bool target_over(const Window& window, Time since) const noexcept {
    if (!independent() || window.in_slow_start() || since == kNever) return true;
    return own_->now - since >= own_->target;
  }
  // The factor a of the growth.
  double share_of_target() const noexcept {
    const Time scaled = std::min(own_->target, kLongestScaled + 1);
    if (!independent() || own_->srtt == 0 || own_->srtt >= scaled) return 1;
    return static_cast<double>(own_->srtt) / static_cast<double>(own_->target);
  }
  // Grows the window for n packets without a mark. Packets beyond ssthresh count as after slow start.
  void grow(Window& window, double n) noexcept {
    if (window.in_slow_start()) {
      const double doubled = std::min(n, window.ssthresh - window.cwnd);
      window.set(window.cwnd + doubled);
      n -= doubled;
    }
    if (n <= 0) return;
    const double a = share_of_target();
    window.set(window.cwnd + a * a * n / std::max(window.cwnd, a));
  }

  void note_reduction(const Window& window) noexcept {
    own_->score.reduced(window.ssthresh > 0 ? window.ssthresh : kUnlimited);
  }
  double reduction() const noexcept { return std::max(own_->alpha, 0.625 * own_->score.classic()); }
  void marked(Window& window, std::int64_t marks) noexcept {
    own_->marked += marks;
    const double before = window.cwnd;
    if (own_->acked_now > own_->reduced_until) {
      own_->reduced_until = own_->sent_now;
      note_reduction(window);
      if (target_over(window, own_->reduced_at)) {
        own_->reduced_at = own_->now;
        window.set(window.cwnd * (1 - reduction() / 2));
      }
    }
    if (!own_->saw_mark && own_->halves) window.set(window.cwnd / 2);
    own_->saw_mark = true;
    if (window.cwnd < before) window.ssthresh = window.cwnd;
  }

  void end_round(const Window& window) noexcept {
    if (own_->saw_mark) {
      own_->score.end_round(own_->min_rtt);
      const std::int64_t acked = std::max<std::int64_t>(own_->acked_now - own_->round_began, 1);
      const double share = static_cast<double>(own_->marked) / static_cast<double>(acked);
      own_->alpha = std::min((1 - own_->g) * own_->alpha + own_->g * share, 1.0);
      own_->alpha_at = own_->now;
    }
    new_round(!window.in_slow_start());
  }
  void new_round(bool counts) noexcept {
    own_->round_began = own_->acked_now;
    own_->round_ends = own_->sent_now;
    own_->marked = 0;
    if (counts) ++own_->rounds;
  }

  struct State {
    double g, initial_alpha;
    Time target;
    std::int64_t transition;
    bool halves, falls_back;
    bool saw_mark = false;
    double alpha = 0;
    std::int64_t marked = 0, rounds = 0;  // marks of this round trip; round trips after slow start
    std::int64_t acked_now = 0, sent_now = 0;  // at the last see()
    std::int64_t round_began = 0;              // packets acknowledged at its beginning
    std::int64_t round_ends = 0;      // the round ends at this number of acknowledged packets
    std::int64_t reduced_until = -1;  // no second reduction up to this packet
    Time now = 0, srtt = 0, min_rtt = 0;
    ClassicScore score{};
    Time alpha_at = 0,
         reduced_at = kNever;  // last changes of alpha and of the window; kNever: not yet
  };
  static State state_of(const double* values) {
    check_parameters<Prague>(values);
    return {values[0],
            values[3],
            std::llround(values[1] * kPsPerSecond),
            static_cast<std::int64_t>(values[2]),
            values[4] != 0,
            values[5] != 0};
  }

  Boxed<State> own_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_PRAGUE_H_
