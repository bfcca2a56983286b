// SPDX-License-Identifier: Apache-2.0
// DCTCP (RFC 8257; Alizadeh et al., SIGCOMM 2010): the window falls in proportion to the share of marked packets.
//
//   M      = marks / packets acknowledged, in a window of data. The window of data ends when all packets that
//            were sent at its beginning are acknowledged
//   alpha <- (1 - g) alpha + g M             at its end (RFC 8257 section 3.3, step 5)
//   first mark of a window of data           cwnd <- cwnd (1 - alpha / 2), at least one packet; ssthresh = cwnd,
//                                            at least min_ssthresh; no growth until all packets sent are answered
//   otherwise                                slow start: cwnd += n;  else cwnd += n / cwnd
//   loss                                     half the window (section 3.5); timeout: one packet, as Reno
//
// The mark that reduces the window uses the present alpha, as in Linux. With an RFC 3168 echo, M is known only
// per round trip. The market's weights have no effect.
#ifndef ECNOMY_LAWS_WINDOW_DCTCP_H_
#define ECNOMY_LAWS_WINDOW_DCTCP_H_

#include "../boxed.h"
#include "window.h"

namespace ecnomy {

class Dctcp {
 public:
  static constexpr const char* kName = "dctcp";
  static constexpr About kAbout{
      "DCTCP: once per round trip the window falls by half the share of marked packets.",
      "RFC 8257; Alizadeh et al. 2010"};
  static constexpr WindowTraits kTraits{.recovery = Recovery::all_acked,
                                        .per_mark = true,
                                        .longest_rtt = "0.001",
                                        .begins = true,
                                        .sees = true};
  static constexpr Parameter kParameters[] = {
      {"g", "", 0.0625, 1e-9, 1, "",
       "Weight of the latest round trip in alpha (RFC 8257 section 4.2: 1/16)."},
      {"initial_alpha", "", 1, 0, 1, "",
       "Initial estimate of the share of marked packets (RFC 8257 section 3.3)."},
      {"min_ssthresh", "packets", 2, 1, 1e9, "", "Minimum slow-start threshold (RFC 5681 Eq. 4)."},
  };

  explicit Dctcp(const double* values) : own_(State{values[0], values[1], values[2], values[1]}) {
    check_parameters(this, values);
  }

  void begin(Window&) noexcept {
    own_->alpha = own_->initial_alpha;
    own_->acked = own_->marked = 0;
    own_->acked_now = own_->round_ends = own_->reduced_until = -1;
  }
  void see(const Path& path) noexcept {
    end_round();
    if (own_->acked_now >= 0) own_->acked += path.acked - own_->acked_now;
    own_->acked_now = path.acked;
    own_->sent_now = path.sent;
  }
  void on_ack(Window& window, const Ack& ack) noexcept {
    const double n = static_cast<double>(ack.newly_acked);
    own_->marked += ack.marks;
    end_round();
    if (own_->acked_now <= own_->reduced_until) return;
    if (ack.marks > 0) {
      own_->reduced_until = own_->sent_now;
      window.set(std::max(window.cwnd * (1 - own_->alpha / 2), 1.0));
      window.ssthresh = std::max(window.cwnd, own_->min_ssthresh);
    } else {
      window.set(window.cwnd + (window.in_slow_start() ? n : n / window.cwnd));
    }
  }
  void on_congestion(Window&, double) noexcept {}
  void on_loss(Window& window, double used) noexcept {
    window.ssthresh = std::max(used / 2, own_->min_ssthresh);
    window.set(window.ssthresh);
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
  // Ends a finished window of data. After a lost ACK it may have more marks than packets.
  void end_round() noexcept {
    if (own_->acked_now <= own_->round_ends) return;
    own_->round_ends = own_->sent_now;
    if (own_->acked == 0) return;
    const double share = static_cast<double>(own_->marked) / static_cast<double>(own_->acked);
    own_->alpha = (1 - own_->g) * own_->alpha + own_->g * std::min(share, 1.0);
    own_->acked = own_->marked = 0;
  }

  struct State {
    double g, initial_alpha, min_ssthresh;
    double alpha;
    std::int64_t acked = 0, marked = 0;         // packets of this window of data
    std::int64_t acked_now = -1, sent_now = 0;  // at the last see(); -1: not yet called
    std::int64_t round_ends = -1;     // the window of data ends when more packets are acknowledged
    std::int64_t reduced_until = -1;  // no second reduction and no growth up to this packet
  };
  Boxed<State> own_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_DCTCP_H_
