// SPDX-License-Identifier: Apache-2.0
// SCReAM 2, congestion control for media (draft-ietf-ccwg-rfc8298bis-screamv2 of August 2026, section 4; obsoletes
// RFC 8298). A reference window W limits the packets in flight, and the media rate follows it:
//
//   rate   W / (1.2 T) packets/s, less up to 20 % at W below 10 packets; T is the smoothed RTT
//   flight at most 3 W: a source that is not paced may send 1.5 W
//
// After every ACK, in this order, with V = virtual_rtt_s, v = min(V, T) and s = clamp(64 ((W - W_i) / W_i)^2, 0.1, 1):
//
//   alpha          every min(10 ms, T), from the share f of marked packets: alpha + (f - alpha) / 8 if f is above
//                  alpha, and else alpha - alpha / 128
//   q_avg          every v, from the queueing delay q = RTT - smallest RTT: q_avg + (q - q_avg) / 4, or q if lower
//   reduction      once per v, W_i = W first if W has grown since the last reduction:
//     loss           W *= beta_loss
//     mark           classic: W *= beta_ecn.  l4s: W *= 1 - b, with b = alpha / 2 / max(1, T / V), times
//                    max(0.25, s) while q is below qdelay_target_s / 4; first W = min(W, largest flight of the last
//                    round trip) if no reduction has occurred for 100 max(V, T)
//     q_avg > D/2    W *= 1 - c / 2 / max(1, T / V), with D = qdelay_target_s and c = (2 q_avg / D - 1) in [0, 1]
//   growth         for n packets, m of them marked, if W stays below 1 + 1.5 (largest flight of this and the last round
//                  trip): W += (n - m) min(1, 1 / W) min(1, T / V) max(0.25, s) (1 + multiplicative W r s), with
//                  r = min(1, time since the last mark or loss / (post_congestion max(V, T)))
//
// In equilibrium a flow receives one to two marks in max(V, T), at any rate, if packets are marked independently.
// Prague receives about two. Alpha rises faster than it falls, so a reduction exceeds half the share of marked packets.
//
// The encoder is an ideal one: it follows the rate at once with frames of one packet. Without frames the media queue is
// empty, so rate_adjust_factor and frame_size_dev are 0, and the pacing has no headroom. Lost packets are resent, as in
// media over QUIC streams. The queueing delay includes that of the reverse path, because an ACK has no time stamp of
// the receiver. The draft's options against jitter (section 4.2.1.4), clock drift, rate policers, undershoot and
// competing flows (4.5) are left out. The draft has no retransmission timer; here a timeout leaves min_ref_wnd.
#ifndef ECNOMY_LAWS_WINDOW_SCREAM_H_
#define ECNOMY_LAWS_WINDOW_SCREAM_H_

#include <algorithm>
#include <cstdint>

#include "../boxed.h"
#include "window.h"

namespace ecnomy {

class Scream {
 public:
  static constexpr const char* kName = "scream";
  static constexpr About kAbout{
      "SCReAM 2, for media: a rate from a reference window that marks, losses and delay reduce.",
      "RFC 8298; draft-ietf-ccwg-rfc8298bis-screamv2"};
  static constexpr WindowTraits kTraits{.recovery = Recovery::all_acked,
                                        .per_mark = true,
                                        .every_ack = true,
                                        .ect_1 = true,
                                        .classic = "marks == classic",
                                        .begins = true,
                                        .hears_rtt = true,
                                        .paced = true,
                                        .sees = true};
  static constexpr Parameter kParameters[] = {
      {"marks", "choice", 0, 0, 1, "l4s,classic",
       "Response to marks: by the share of marked packets, or by beta_ecn (RFC 3168)."},
      {"beta_loss", "", 0.7, 0.01, 1, "", "Factor of the reference window at a loss."},
      {"beta_ecn", "", 0.8, 0.01, 1, "", "Factor of the reference window at a classic mark."},
      {"qdelay_target_s", "s", 0.06, 1e-6, 1e3, "",
       "Queueing delay above half of which the reference window falls."},
      {"virtual_rtt_s", "s", 0.025, 1e-6, 1e3, "",
       "Round trip that replaces shorter ones, for growth and reductions."},
      {"multiplicative", "", 0.02, 0, 1, "",
       "Growth per round trip, as a share of the reference window, long after congestion."},
      {"post_congestion", "", 100, 1e-3, 1e9, "",
       "Round trips after a mark or loss until multiplicative growth is complete."},
      {"min_ref_wnd", "packets", 3, 1e-3, 1e9, "",
       "Minimum reference window (3,000 bytes at an MSS of 1,000 bytes)."},
  };

  explicit Scream(const double* values) : own_(state_of(values)) {}

  // A connection begins with the initial window as its reference window.
  void begin(Window& window) noexcept {
    own_->forget();
    own_->reacted_at = own_->congested_at = own_->alpha_at = own_->delay_at = own_->now;
    own_->acked_before = own_->acked;
    own_->round_ends = own_->sent;
    own_->ref_wnd = window.cwnd;
    show(window);
  }
  void on_rtt(Window&, Time rtt) noexcept { own_->rtt = rtt; }
  void see(const Path& path) noexcept {
    own_->now = path.now;
    own_->srtt = path.srtt;
    own_->min_rtt = path.min_rtt;
    own_->acked = path.acked;
    own_->sent = path.sent;
    own_->flight = path.in_flight;
  }
  void on_ack(Window& window, const Ack& ack) noexcept {
    note_flight();
    own_->marked |= ack.marks > 0;
    estimate_alpha(ack);
    average_delay();
    const double near = distance();
    react(near);
    grow(window, near, static_cast<double>(std::max<std::int64_t>(ack.newly_acked - ack.marks, 0)));
    show(window);
  }
  void on_congestion(Window&, double) noexcept {}
  void on_loss(Window& window, double) noexcept {
    own_->lost = true;
    react(distance());
    show(window);
  }
  void on_timeout(Window& window, double used) noexcept {
    on_loss(window, used);
    own_->ref_wnd = own_->min_ref_wnd;
    show(window);
  }

  // Media rate in packets/s. Before the first RTT sample the round trip counts as 100 ms.
  double send_rate() const noexcept {
    constexpr double kUnknownRtt = 0.1, kHeadroom = 1.2;
    const double t = own_->srtt > 0 ? seconds(own_->srtt) : kUnknownRtt;
    const double w = own_->ref_wnd;
    return w / (kHeadroom * t) * (1 - std::clamp(share_of_packet(w) - 0.1, 0.0, 0.2));
  }

  double reference_window() const noexcept { return own_->ref_wnd; }
  double alpha() const noexcept { return own_->alpha; }
  double weight() const noexcept { return 0.0; }
  void set_weight(double) noexcept {}

 private:
  static constexpr double kFlightOfWindow = 1.5;  // half of REF_WND_OVERHEAD_MAX, see window_open()

  static double seconds(Time t) noexcept {
    return static_cast<double>(t) / static_cast<double>(kPsPerSecond);
  }
  static double share_of_packet(double w) noexcept { return std::min(1.0, 1 / w); }

  // Factor of T / V, at least 1.
  double long_trip() const noexcept {
    return std::max(1.0, seconds(own_->srtt) / own_->virtual_rtt);
  }
  double response_interval() const noexcept {
    return std::min(own_->virtual_rtt, seconds(own_->srtt));
  }
  double since(Time then) const noexcept { return seconds(own_->now - then); }
  double delay() const noexcept { return seconds(std::max<Time>(own_->rtt - own_->min_rtt, 0)); }
  // Factor s near the window of the last reduction.
  double distance() const noexcept {
    const double part = 8 * (own_->ref_wnd - own_->inflection) / own_->inflection;
    return std::clamp(part * part, 0.1, 1.0);
  }

  // The largest flight of a round trip is taken just before each ACK.
  void note_flight() noexcept {
    const std::int64_t before = own_->flight + own_->acked - own_->acked_before;
    own_->acked_before = own_->acked;
    own_->max_flight = std::max(own_->max_flight, before);
    if (own_->acked < own_->round_ends) return;
    own_->last_max_flight = own_->max_flight;
    own_->max_flight = own_->flight;
    own_->round_ends = own_->sent;
  }

  void estimate_alpha(const Ack& ack) noexcept {
    constexpr double kInterval = 0.01, kUp = 1.0 / 8, kDown = 1.0 / 128;
    own_->delivered_packets += ack.newly_acked;
    own_->marked_packets += ack.marks;
    if (own_->delivered_packets == 0) return;
    if (since(own_->alpha_at) < std::min(kInterval, seconds(own_->srtt))) return;
    const double share = std::min(1.0, static_cast<double>(own_->marked_packets) /
                                           static_cast<double>(own_->delivered_packets));
    own_->alpha =
        share >= own_->alpha ? kUp * share + (1 - kUp) * own_->alpha : (1 - kDown) * own_->alpha;
    own_->alpha_at = own_->now;
    own_->delivered_packets = own_->marked_packets = 0;
  }

  void average_delay() noexcept {
    constexpr double kGain = 0.25;
    if (since(own_->delay_at) < response_interval()) return;
    const double q = delay();
    const double average = own_->delay_average;
    own_->delay_average = q < average ? q : kGain * q + (1 - kGain) * average;
    own_->delay_at = own_->now;
  }

  void react(double near) noexcept {
    if (own_->lost || own_->marked) own_->congested_at = own_->now;
    if (since(own_->reacted_at) < response_interval()) return;
    const double half = own_->delay_target / 2;
    const bool late = own_->delay_average > half;
    if (!own_->lost && !own_->marked && !late) return;
    if (own_->grown) own_->inflection = own_->ref_wnd;
    own_->grown = false;
    if (own_->lost) {
      own_->ref_wnd *= own_->beta_loss;
    } else if (own_->marked) {
      own_->ref_wnd *= own_->classic ? own_->beta_ecn : 1 - by_share(near);
    } else {
      const double excess = std::min(1.0, (own_->delay_average - half) / half);
      own_->ref_wnd *= 1 - excess / 2 / long_trip();
    }
    own_->ref_wnd = std::max(own_->ref_wnd, own_->min_ref_wnd);
    own_->reacted_at = own_->now;
    own_->lost = own_->marked = false;
  }

  // The reduction b by the share of marked packets. After a long time without congestion the flight limits W first.
  double by_share(double near) noexcept {
    const double trip = std::max(own_->virtual_rtt, seconds(own_->srtt));
    if (since(own_->reacted_at) > 100 * trip) {
      own_->ref_wnd = std::min(own_->ref_wnd, static_cast<double>(own_->last_max_flight));
    }
    const double reduction = own_->alpha / 2 / long_trip();
    return delay() < own_->delay_target / 4 ? reduction * std::max(0.25, near) : reduction;
  }

  void grow(const Window& window, double near, double n) noexcept {
    constexpr double kHeadroom = 1.5;
    const double w = own_->ref_wnd, t = seconds(own_->srtt);
    const double recovered = std::min(
        1.0, since(own_->congested_at) / (own_->post_congestion * std::max(own_->virtual_rtt, t)));
    const double growth = n * share_of_packet(w) * std::min(1.0, t / own_->virtual_rtt) *
                          std::max(0.25, near) * (1 + own_->multiplicative * w * recovered * near);
    const auto flight = static_cast<double>(std::max(own_->max_flight, own_->last_max_flight));
    if (w + growth > 1 + kHeadroom * flight) return;
    own_->ref_wnd = std::min(w + growth, window.max / kFlightOfWindow);
    own_->grown |= own_->ref_wnd > w;
  }

  void show(Window& window) const noexcept {
    window.ssthresh = 0;
    window.set(kFlightOfWindow * own_->ref_wnd);
  }

  struct Learned {
    double ref_wnd = 1, inflection = 1e-3;  // packets
    double alpha = 0, delay_average = 0;    // share; seconds
    Time rtt = 0;                           // the latest sample
    Time reacted_at = 0, congested_at = 0, alpha_at = 0, delay_at = 0;
    std::int64_t acked_before = 0, round_ends = 0;
    std::int64_t max_flight = 0, last_max_flight = 0;
    std::int64_t delivered_packets = 0, marked_packets = 0;  // since the last change of alpha
    bool lost = false, marked = false;                       // since the last reduction
    bool grown = true;                                       // since the last inflection
  };
  struct State : Learned {
    void forget() noexcept { static_cast<Learned&>(*this) = Learned{}; }

    bool classic = false;
    double beta_loss = 1, beta_ecn = 1, delay_target = 1, virtual_rtt = 1;
    double multiplicative = 0, post_congestion = 1, min_ref_wnd = 1;
    Time now = 0, srtt = 0, min_rtt = 0;
    std::int64_t acked = 0, sent = 0, flight = 0;
  };
  static State state_of(const double* values) {
    check_parameters<Scream>(values);
    State state;
    state.classic = values[0] != 0;
    state.beta_loss = values[1];
    state.beta_ecn = values[2];
    state.delay_target = values[3];
    state.virtual_rtt = values[4];
    state.multiplicative = values[5];
    state.post_congestion = values[6];
    state.min_ref_wnd = values[7];
    return state;
  }
  Boxed<State> own_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_SCREAM_H_
