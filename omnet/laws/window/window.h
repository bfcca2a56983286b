// SPDX-License-Identifier: Apache-2.0
// What every window law shares. A law is a plain class with
//
//   on_ack(window, ack)       an ACK arrived; n packets newly acknowledged, k marks learnt
//   on_congestion(window, used)   an RFC 3168 echo, at most once per round trip (host's duty)
//   on_loss(window, used)     fast retransmit, once per recovery
//   on_timeout(window, used)
//   weight(), set_weight(w)   marks per round trip it aims at; 0 where it has none
//   kPerMark                  true: every echoed mark goes to on_ack; false: on_congestion
//   kRecovery                 how its host repairs losses after a fast retransmit
//
// `used` is what a reduction is of, in packets: the flight, no more than cwnd (RFC 5681 Eq. 4; RFC 6675 after a
// timeout), or cwnd itself for an echo unless its host takes the flight there too.
//
// And, where it wants them,
//
//   kHalves                   true: an echo leaves at least one packet, and at one packet its host waits for
//                             the retransmission timer (RFC 3168 section 6.1.2)
//   begin(window)             a new connection
//   on_rtt(window, rtt)       an RTT sample of data (Karn), before on_ack of the same ACK
//   kEveryAck                 true: on_ack hears of every packet answered, whether or not it may grow
//                             the window: 1 for a duplicate or in recovery, where each packet that
//                             arrived has had an ACK of its own
//   noisy(), disturb(z)       true: a standard normal draw before every on_ack
//   weigh(w)                  takes a weight that is no number of marks (MulTCP's flows); others set_weight(w)
//   aim(marks_per_s)          takes marks per second itself; others are told set_weight(rate T)
//   send_rate()               packets/s at which its host paces it; others leave cwnd / T
//
// Windows are real numbers in packets. After every change the law clamps to [min, max].
#ifndef ECNOMY_LAWS_WINDOW_WINDOW_H_
#define ECNOMY_LAWS_WINDOW_WINDOW_H_

#include <algorithm>
#include <cstdint>

#include "../parameter.h"

namespace ecnomy {

struct Window {
  double cwnd;
  double ssthresh;  // slow start below it; 0: slow start off
  double min;
  double max;

  void set(double packets) noexcept { cwnd = std::clamp(packets, min, max); }
  bool in_slow_start() const noexcept { return cwnd < ssthresh; }
};

enum class Recovery : std::uint8_t {
  first_ack,  // until the first new ACK (Reno, RFC 5681)
  all_acked,  // until all that was outstanding is acknowledged, a hole at a time (RFC 6582)
  go_back,    // resend everything from the loss on (Tahoe)
};

struct Ack {
  std::int64_t newly_acked;  // 0 where growth is not allowed (duplicate, application-limited)
  std::int64_t marks;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_WINDOW_H_
