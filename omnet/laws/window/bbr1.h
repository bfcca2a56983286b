// SPDX-License-Identifier: Apache-2.0
// BBR version 1 (draft-cardwell-iccrg-bbr-congestion-control-00; Linux's tcp_bbr.c since 4.20), the version that
// published models of BBR beside CUBIC describe. It measures the path's bandwidth bw and its smallest round-trip time
// min_rtt, paces at a gain times bw, and keeps the flight at a gain times bw min_rtt.
//
//   pacing rate     gain (1 - pacing_margin) bw
//   cwnd            gain bw min_rtt + min(extra_acked, 0.1 s bw), at least 4; grows by at most the packets acknowledged
//   bw              largest delivery rate (delivery_rate.h) of this round and the last 10
//   min_rtt         smallest RTT, for min_rtt_window
//   extra_acked     largest number of packets acknowledged beyond those expected at bw, in the last 5 to 10 rounds
//   Startup         gains startup_gain, until bw has not grown by a quarter for 3 rounds
//   Drain           gain 1 / startup_gain (cwnd startup_gain), until the flight is at most bw min_rtt
//   ProbeBW         8 phases of min_rtt each, with gains 1.25, 0.75, 1 ... 1 (cwnd cwnd_gain). The first lasts until the
//                   flight reaches 1.25 bw min_rtt or a packet is lost. The second ends early once the flight is at most
//                   bw min_rtt
//   ProbeRTT        if no RTT was as small as min_rtt for min_rtt_window: cwnd 4, for probe_rtt_duration and a round
//                   once the flight is at most 4. ProbeBW follows
//   loss            in the first round of a recovery, as many packets leave as were acknowledged. Afterwards cwnd falls
//                   by the packets lost and grows as before. The end of the recovery restores the window
//   timeout         one packet, then as after a loss
//
// The law ignores marks.
//
// Linux chooses the first phase of ProbeBW at random, except the second. Laws here have no random stream: it is phase
// -t mod 8 (phase 0 has gain 1.25), where t is the time of entry in ps modulo 7, so flows that enter at different times
// differ. Linux's estimate of a policer's rate (long-term sampling) and its offload budget are omitted. Undoing a
// spurious recovery is omitted, because no host reports one. Linux approximates the largest rate by three samples; here
// it is exact.
#ifndef ECNOMY_LAWS_WINDOW_BBR1_H_
#define ECNOMY_LAWS_WINDOW_BBR1_H_

#include "../boxed.h"
#include "bbr1_model.h"
#include "window.h"

namespace ecnomy {

class Bbr1 {
 public:
  static constexpr const char* kName = "bbr1";
  static constexpr About kAbout{
      "BBR version 1: paces at the measured bandwidth, at most two bandwidth-delay products in "
      "flight.",
      "draft-cardwell-iccrg-bbr-congestion-control-00; Linux tcp_bbr 4.20"};
  static constexpr WindowTraits kTraits{.recovery = Recovery::all_acked,
                                        .per_mark = true,
                                        .every_ack = true,
                                        .needs_sack = true,
                                        .deaf_beyond = true,
                                        .longest_rtt = "0",
                                        .begins = true,
                                        .paced = true,
                                        .sees = true,
                                        .tracks = true};
  static constexpr Parameter kParameters[] = {
      {"startup_gain", "", 2.885, 1.01, 10, "", "Gains of Startup; that of Drain is its inverse."},
      {"up_gain", "", 1.25, 1.01, 10, "", "Pacing gain of the first phase of ProbeBW."},
      {"down_gain", "", 0.75, 0.01, 0.99, "", "Pacing gain of the second phase of ProbeBW."},
      {"cwnd_gain", "", 2, 1, 100, "", "Bandwidth-delay products in flight at most, in ProbeBW."},
      {"pacing_margin", "", 0.01, 0, 0.5, "", "Share of the bandwidth that pacing leaves free."},
      {"min_rtt_window_s", "s", 10, 0.01, 1e6, "",
       "Time without a smaller round trip after which the flow empties the queue to measure one."},
      {"probe_rtt_duration_s", "s", 0.2, 0, 1e3, "",
       "Least time with an empty queue to measure the smallest round trip."},
  };

  explicit Bbr1(const double* values) : own_(State{Bbr1Model(settings_of(values)), {}}) {}

  void begin(Window& window) noexcept { own_->model.begin(own_->path, window.cwnd); }
  void see(const Path& path) noexcept { own_->path = path; }
  void on_sent(const Path& path, std::int64_t seq) noexcept { own_->model.on_sent(path, seq); }
  void on_delivered(std::int64_t first, std::int64_t end) noexcept {
    own_->model.on_delivered(first, end);
  }
  void on_lost(std::int64_t below, bool) noexcept { own_->model.on_lost(below); }
  void on_ack(Window& window, const Ack&) noexcept {
    own_->model.on_ack(own_->path, window.cwnd);
    window.set(own_->model.cwnd());
  }
  void on_congestion(Window&, double) noexcept {}
  void on_loss(Window& window, double) noexcept {
    own_->model.on_loss(own_->path, window.cwnd);
    window.set(own_->model.cwnd());
  }
  void on_timeout(Window& window, double) noexcept {
    own_->model.on_timeout(own_->path, window.cwnd);
    window.set(own_->model.cwnd());
  }
  double send_rate() const noexcept { return own_->model.pacing_rate(); }

  double weight() const noexcept { return 0.0; }
  void set_weight(double) noexcept {}

 private:
  static Bbr1Settings settings_of(const double* values) {
    check_parameters<Bbr1>(values);
    return {.startup_gain = values[0],
            .up_gain = values[1],
            .down_gain = values[2],
            .cwnd_gain = values[3],
            .pacing_margin = values[4],
            .min_rtt_window = picoseconds(values[5]),
            .probe_rtt_duration = picoseconds(values[6])};
  }

  struct State {
    Bbr1Model model;
    Path path;
  };
  Boxed<State> own_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_BBR1_H_
