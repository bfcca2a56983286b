// SPDX-License-Identifier: Apache-2.0
// BBRv3 (draft-ietf-ccwg-bbr; its response to marks: Linux's tcp_bbr.c, branch v3 of google/bbr). It measures the
// path's bandwidth bw and its smallest round-trip time min_rtt, paces at a gain times bw, and keeps the flight at a
// gain times bw min_rtt.
//
//   pacing rate     gain (1 - margin) bw,   bw = min(max_bw, bw_short)
//   cwnd            min(gain bw min_rtt + extra_acked, bounds), grows by at most the packets acknowledged
//   max_bw          largest delivery rate (delivery_rate.h) of this cycle of ProbeBW and the last
//   Startup         gains 2.77 and 2, until the rate has not grown by a quarter for 3 rounds, or with losses in 6
//                   places and above 2 % in a round of recovery, or with marks above ecn_threshold in 2 rounds
//   Drain           gain 0.5, until the flight is at most bw min_rtt, or for 3 rounds
//   ProbeBW         DOWN 0.9 until the flight is at most bw min_rtt and 0.85 inflight_long, CRUISE 1, REFILL 1 for
//                   a round, UP 1.25 (cwnd 2.25) until the pipe is full. REFILL begins probe_wait after DOWN began,
//                   or after min(bw min_rtt, cwnd, 63) rounds, so that Reno has its share
//   ProbeRTT        flight of bw min_rtt / 2 for 200 ms, if no smaller RTT was measured for 5 s
//   too high        losses above 2 % (marks above ecn_threshold) among packets of REFILL and UP:
//                   inflight_long = max(flight at the loss, beta min(bw min_rtt, cwnd)), then DOWN. UP raises
//                   inflight_long by 1, 2, 4 ... packets per round. The next UP ends at inflight_long
//   other states    per round with losses: bw_short = max(latest rate, beta bw_short), and inflight_short likewise;
//                   with marks: inflight_short *= 1 - alpha ecn_factor. REFILL lifts both bounds
//   alpha           share of marks per round, averaged with ecn_alpha_gain, from 1
//   timeout         one packet. The end of a recovery restores the window
//
// Marks count only once min_rtt was at most ecn_max_rtt (5 ms, a data centre); on longer paths the law ignores them.
//
// The draft waits a random time of 2 s to 3 s before a probe, and the number of rounds is smaller by 0 or 1 at random.
// Laws here have no random stream: probe_wait is 2.5 s unless the scenario sets it, and the number of rounds is not
// reduced. The draft's offload budget is omitted, because hosts send single packets. Undoing a spurious recovery is
// omitted too, because no host reports one. As in Linux, extra_acked is kept for 5 to 10 rounds, inflight_long is a
// whole number of packets, a cycle without samples keeps max_bw, and a careful UP ends by the flight as it was before
// the ACK. Without selective ACKs the host reports only the first loss of a round, and a single loss is too many, as in
// the draft.
#ifndef ECNOMY_LAWS_WINDOW_BBR_H_
#define ECNOMY_LAWS_WINDOW_BBR_H_

#include <cmath>

#include "../boxed.h"
#include "bbr_model.h"
#include "window.h"

namespace ecnomy {

class Bbr {
 public:
  static constexpr const char* kName = "bbr";
  static constexpr About kAbout{
      "BBRv3: paces at the measured bandwidth and keeps about one bandwidth-delay product in "
      "flight.",
      "draft-ietf-ccwg-bbr; Linux tcp_bbr v3"};
  static constexpr WindowTraits kTraits{.recovery = Recovery::all_acked,
                                        .per_mark = true,
                                        .every_ack = true,
                                        .needs_sack = true,
                                        .deaf_beyond = true,
                                        .longest_rtt = "ecn_max_rtt_s",
                                        .begins = true,
                                        .paced = true,
                                        .sees = true,
                                        .tracks = true};
  static constexpr Parameter kParameters[] = {
      {"startup_gain", "", 2.77, 1.01, 10, "", "Pacing gain of Startup."},
      {"drain_gain", "", 0.5, 0.01, 0.99, "", "Pacing gain of Drain (Linux: 0.35)."},
      {"up_gain", "", 1.25, 1.01, 10, "", "Pacing gain of ProbeBW_UP."},
      {"down_gain", "", 0.9, 0.01, 1, "", "Pacing gain of ProbeBW_DOWN."},
      {"cwnd_gain", "", 2, 1, 100, "", "Bandwidth-delay products in flight at most."},
      {"up_cwnd_gain", "", 2.25, 1, 100, "",
       "Bandwidth-delay products in flight at most, in ProbeBW_UP."},
      {"pacing_margin", "", 0.01, 0, 0.5, "", "Share of the bandwidth that pacing leaves free."},
      {"loss_threshold", "", 0.02, 1e-6, 0.5, "",
       "Share of lost packets in a round trip at which a probe for bandwidth has gone too high."},
      {"beta", "", 0.7, 0.01, 0.99, "",
       "Share of the bounds that remains after a round trip with losses."},
      {"headroom", "", 0.15, 0, 0.9, "",
       "Share of the long-term bound on the flight that is left to other flows while cruising."},
      {"probe_wait_s", "s", 2.5, 0.01, 1e3, "",
       "Time between probes for bandwidth (the draft draws it from 2 s to 3 s)."},
      {"probe_rtt_interval_s", "s", 5, 0.01, 1e6, "",
       "Time without a smaller round trip after which the flow empties the queue to measure one."},
      {"probe_rtt_duration_s", "s", 0.2, 0, 1e3, "",
       "Least time with an empty queue to measure the smallest round trip."},
      {"min_rtt_window_s", "s", 10, 0.01, 1e6, "", "Time for which the smallest round trip holds."},
      {"probe_rtt_cwnd_gain", "", 0.5, 0.01, 1, "",
       "Bandwidth-delay products in flight while the smallest round trip is measured."},
      {"ecn_max_rtt_s", "s", 0.005, 0, 1e3, "",
       "Largest smallest round trip at which marks count; 0: they never do."},
      {"ecn_alpha_gain", "", 0.0625, 1e-9, 1, "",
       "Weight of the latest round trip in alpha, the averaged share of marks."},
      {"ecn_factor", "", 1.0 / 3, 0, 1, "",
       "Share of alpha by which a round trip with marks lowers the bound on the flight."},
      {"ecn_threshold", "", 0.5, 1e-6, 1, "",
       "Share of marks in a round trip at which a probe for bandwidth has gone too high."},
  };

  explicit Bbr(const double* values) : own_(State{BbrModel(settings_of(values)), {}}) {}

  void begin(Window& window) noexcept { own_->model.begin(own_->path, window.cwnd); }
  void see(const Path& path) noexcept { own_->path = path; }
  void on_sent(const Path& path, std::int64_t seq) noexcept { own_->model.on_sent(path, seq); }
  void on_delivered(std::int64_t first, std::int64_t end) noexcept {
    own_->model.on_delivered(first, end);
  }
  void on_lost(std::int64_t below, bool selective) noexcept {
    own_->model.on_lost(below, selective);
  }
  void on_ack(Window& window, const Ack& ack) noexcept {
    own_->model.on_ack(own_->path, ack.marks, window.cwnd);
    window.set(own_->model.cwnd());
  }
  void on_congestion(Window&, double) noexcept {}
  void on_loss(Window& window, double) noexcept { own_->model.on_loss(own_->path, window.cwnd); }
  void on_timeout(Window& window, double) noexcept {
    own_->model.on_timeout(own_->path, window.cwnd);
    window.set(own_->model.cwnd());
  }
  double send_rate() const noexcept { return own_->model.pacing_rate(); }

  double weight() const noexcept { return 0.0; }
  void set_weight(double) noexcept {}

 private:
  static BbrSettings settings_of(const double* values) {
    check_parameters<Bbr>(values);
    const auto ps = [&](int i) {
      return static_cast<Time>(std::llround(values[i] * kPsPerSecond));
    };
    return {.startup_gain = values[0],
            .drain_gain = values[1],
            .up_gain = values[2],
            .down_gain = values[3],
            .cwnd_gain = values[4],
            .up_cwnd_gain = values[5],
            .pacing_margin = values[6],
            .loss_threshold = values[7],
            .beta = values[8],
            .headroom = values[9],
            .probe_wait = ps(10),
            .probe_rtt_interval = ps(11),
            .probe_rtt_duration = ps(12),
            .min_rtt_window = ps(13),
            .probe_rtt_cwnd_gain = values[14],
            .ecn_max_rtt = ps(15),
            .ecn_alpha_gain = values[16],
            .ecn_factor = values[17],
            .ecn_threshold = values[18]};
  }

  struct State {
    BbrModel model;
    Path path;
  };
  Boxed<State> own_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_BBR_H_
