// SPDX-License-Identifier: Apache-2.0
// What every window law shares. A law is a plain class with
//
//   on_ack(window, ack)       an ACK arrived; n packets newly acknowledged, k marks learnt
//   on_congestion(window, used)   an RFC 3168 echo, at most once per round trip (host's duty)
//   on_loss(window, used)     fast retransmit, once per recovery
//   on_timeout(window, used)
//   weight(), set_weight(w)   marks per round trip it aims at; 0, and no effect, where it has none
//
// `used` is what a reduction is of, in packets: the flight, no more than cwnd (RFC 5681 Eq. 4; RFC 6675 after a
// timeout), or cwnd itself for an echo unless its host takes the flight there too.
//
// kTraits says how its host treats it, and which of these hooks it has besides. A hook that its traits lack, and
// one that they name and it lacks, do not compile (WindowHooks).
//
//   begin(window)             a new connection
//   on_rtt(window, rtt)       an RTT sample of data (Karn), before on_ack of the same ACK
//   noisy(), disturb(z)       true: a standard normal draw before every on_ack
//   weigh(w)                  takes a weight that is no number of marks (MulTCP's flows); others set_weight(w)
//   aim(marks_per_s)          takes marks per second itself; others get set_weight(rate T)
//   send_rate()               packets/s at which its host paces it; others leave cwnd / T
//   gain(), set_gain(g)       how far a mark moves it, which its host scales to a reference round trip
//   see(path)                 where the flow stands: at every ACK, before the other hooks, and before begin, on_loss
//                             and on_timeout
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
  double trips = -1;  // round trips since the ACK before, where the pace alone held the flow back
};

// Where a flow stands. Packets are counted over all its connections; a round trip is over when as many are
// acknowledged as had been sent at its beginning.
struct Path {
  Time now;
  Time srtt;               // smoothed as RFC 6298 has it; 0 before the first sample
  Time min_rtt;            // the smallest sample of the connection; 0 before the first
  std::int64_t acked;      // packets acknowledged, those of this ACK included
  std::int64_t sent;       // packets sent, each counted once
  std::int64_t in_flight;  // sent and not acknowledged
  bool app_limited;        // something else than the window holds the flow back (RFC 7661)
};

struct WindowTraits {
  Recovery recovery;  // how its host repairs losses after a fast retransmit
  bool per_mark =
      false;  // every echoed mark goes to on_ack, by an accurate echo; else on_congestion
  bool every_ack =
      false;  // on_ack hears of every packet answered, whether or not it may grow the window: 1
              // for a duplicate or in recovery, where each packet had an ACK of its own
  bool halves =
      false;  // an echo leaves at least one packet, and at one packet its host waits for the
              // retransmission timer (RFC 3168 section 6.1.2)
  bool ect_1 =
      false;  // scalable: its packets are ECT(1) unless their source says otherwise (RFC 9331 section 4)
  bool weighted = false;  // set_weight has an effect: it can aim at marks per round trip or second
  // Hooks.
  bool begins = false;     // begin
  bool hears_rtt = false;  // on_rtt
  bool noisy = false;      // noisy, disturb
  bool weighs = false;     // weigh
  bool aims = false;       // aim
  bool paced = false;      // send_rate
  bool gain = false;       // gain, set_gain
  bool sees = false;       // see
  // The parameters whose product is the weight that an agent may choose, "a,b"; "" for none.
  const char* weight = "";
};

// The hooks that a law may have.
template <class Law>
concept Begins = requires(Law& law, Window& window) { law.begin(window); };
template <class Law>
concept HearsRtt = requires(Law& law, Window& window) { law.on_rtt(window, Time{}); };
template <class Law>
concept Noisy = requires(Law& law) {
  { law.noisy() } -> std::same_as<bool>;
  law.disturb(1.0);
};
template <class Law>
concept Weighs = requires(Law& law) { law.weigh(1.0); };
template <class Law>
concept Aims = requires(Law& law) { law.aim(1.0); };
template <class Law>
concept Paced = requires(const Law& law) {
  { law.send_rate() } -> std::same_as<double>;
};
template <class Law>
concept HasGain = requires(Law& law) {
  { law.gain() } -> std::same_as<double>;
  law.set_gain(1.0);
};
template <class Law>
concept Sees = requires(Law& law, const Path& path) { law.see(path); };

// A window law that is whole: described, with all hooks, and with exactly those that its traits name.
template <class Law>
concept WindowHooks =
    Described<Law> && std::same_as<decltype(Law::kTraits), const WindowTraits> &&
    requires(Law& law, const Law& it, Window& window, const Ack& ack) {
      { law.on_ack(window, ack) } noexcept;
      { law.on_congestion(window, 1.0) } noexcept;
      { law.on_loss(window, 1.0) } noexcept;
      { law.on_timeout(window, 1.0) } noexcept;
      { it.weight() } noexcept -> std::same_as<double>;
      { law.set_weight(1.0) } noexcept;
    } && Law::kTraits.begins == Begins<Law> && Law::kTraits.hears_rtt == HearsRtt<Law> &&
    Law::kTraits.noisy == Noisy<Law> && Law::kTraits.weighs == Weighs<Law> &&
    Law::kTraits.aims == Aims<Law> && Law::kTraits.paced == Paced<Law> &&
    Law::kTraits.gain == HasGain<Law> && Law::kTraits.sees == Sees<Law>;

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_WINDOW_H_
