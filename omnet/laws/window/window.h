// SPDX-License-Identifier: Apache-2.0
// The interface of window laws. A law is a plain class with
//
//   on_ack(window, ack)       an ACK arrived, with n newly acknowledged packets and k marks
//   on_congestion(window, used)   an RFC 3168 echo, at most once per round trip (the host ensures this); not called for a
//                             law with per_mark, whose on_ack gets the marks
//   on_loss(window, used)     fast retransmit, once per recovery
//   on_timeout(window, used)
//   weight(), set_weight(w)   target marks per round trip; a law without a weight has 0 and ignores set_weight
//
// `used` is the quantity that a reduction scales, in packets: the flight, at most cwnd (RFC 5681 Eq. 4; RFC 6675
// after a timeout). For an echo it is cwnd, unless the host uses the flight there as well.
//
// kTraits describes how the host treats the law, and names the further hooks that the law has. A law whose hooks and
// traits differ does not compile (WindowHooks).
//
//   begin(window)             a new connection
//   on_rtt(window, rtt)       an RTT sample of data (Karn), before on_ack of the same ACK
//   noisy(), disturb(z)       if noisy() is true, z is a standard normal draw before every on_ack
//   weigh(w)                  takes a weight other than marks (MulTCP's flows); other laws get set_weight(w)
//   aim(marks_per_s)          takes marks per second; other laws get set_weight(rate T)
//   send_rate()               packets/s at which the host paces the flow; other laws are paced at cwnd / T
//   gain(), set_gain(g)       change of the window per mark, which the host scales to a reference round trip
//   see(path)                 takes the flow's state: at every ACK, before the other hooks, and before begin, on_loss
//                             and on_timeout
//   on_sent(path, seq)        packet `seq` leaves, possibly again; `path` is the state before it
//   on_delivered(first, end)  packets [first, end) have arrived, by the cumulative or a selective ACK, before
//                             on_ack of this ACK; selective ACKs repeat packets
//   on_lost(below, selective) all packets below `below` that have not arrived are lost, unless they were sent again.
//                             If `selective` is true, every loss is reported so; otherwise only the first
//
// A law with much state keeps it in a Boxed (laws/boxed.h), so that flows of other laws stay small.
//
// Windows are real numbers in packets. After every change the law clamps the window to [min, max].
#ifndef ECNOMY_LAWS_WINDOW_WINDOW_H_
#define ECNOMY_LAWS_WINDOW_WINDOW_H_

#include <algorithm>
#include <cstdint>

#include "../parameter.h"

namespace ecnomy {

struct Window {
  double cwnd;
  double ssthresh;  // slow start is below it; 0: no slow start
  double min;
  double max;

  void set(double packets) noexcept { cwnd = std::clamp(packets, min, max); }
  bool in_slow_start() const noexcept { return cwnd < ssthresh; }
};

// The equilibrium of a law whose window moves by `gain` in steps, for calculations in `check` and the analysis.
// per_mark: w_inc / W per packet and -1 / w_dec per mark (siris2002 Eq. 4), with parameters gain, form, w_inc, w_dec.
// per_round: w / W per packet and half of w - W per echo (antoniadis2000 Eq. 1, A4), with parameters gain and w.
enum class Steps : std::uint8_t { none, per_mark, per_round };

enum class Recovery : std::uint8_t {
  first_ack,  // until the first new ACK (Reno, RFC 5681)
  all_acked,  // until all outstanding packets are acknowledged, one hole at a time (RFC 6582)
  go_back,    // resend all packets from the loss on (Tahoe)
};

struct Ack {
  std::int64_t newly_acked;  // 0 if the window may not grow (duplicate ACK, application-limited)
  std::int64_t marks;
  double trips =
      -1;  // round trips since the previous ACK, if the flow has always had a packet to pace; else -1
};

// State of a flow. Packets are counted over all its connections. A round trip ends when all packets that had been
// sent at its beginning are acknowledged.
struct Path {
  Time now;
  Time srtt;               // smoothed RTT of RFC 6298; 0 before the first sample
  Time min_rtt;            // the connection's smallest sample; 0 before the first sample
  std::int64_t acked;      // packets acknowledged, including this ACK's
  std::int64_t sent;       // packets sent, each counted once
  std::int64_t in_flight;  // packets sent and not acknowledged
  bool app_limited;        // something other than the window limits the flow (RFC 7661)
};

struct WindowTraits {
  Recovery recovery;  // the host's repair of losses after a fast retransmit
  bool per_mark =
      false;  // on_ack gets every echoed mark, by an accurate echo; otherwise on_congestion
  bool every_ack =
      false;  // on_ack counts every packet answered, even if it may not grow the window: 1 for a
              // duplicate or in recovery, if each packet has its own ACK
  bool halves = false;  // an echo leaves at least one packet. At one packet the host waits for the
                        // retransmission timer (RFC 3168 section 6.1.2)
  bool ect_1 =
      false;  // scalable: its packets are ECT(1) unless the source sets ECT(0) (RFC 9331 section 4)
  // Other than 0: with these parameters the law answers marks as a classic sender, whatever per_mark and ect_1 state.
  // An expression of parameters as in MarkingTraits.
  const char* classic = "0";
  bool weighted = false;     // set_weight has an effect: a target in marks per round trip or second
  bool needs_sack = false;   // without SACK, the flow sends little for seconds after losses
  bool deaf_beyond = false;  // ignores marks on round trips above longest_rtt
  // The round trip in seconds up to which the law answers marks as one of data centres, an expression of
  // parameters as in MarkingTraits; "": it is for any.
  const char* longest_rtt = "";
  // The hooks that the law has.
  bool begins = false;     // begin
  bool hears_rtt = false;  // on_rtt
  bool noisy = false;      // noisy, disturb
  bool weighs = false;     // weigh
  bool aims = false;       // aim
  bool paced = false;      // send_rate
  bool gain = false;       // gain, set_gain
  bool sees = false;       // see
  bool tracks = false;  // on_sent, on_delivered, on_lost. The flight is at most cwnd, even if paced
  // The parameters whose product is the weight that an agent may set, "a,b"; "": no such weight.
  const char* weight = "";
  Steps steps = Steps::none;
};

// Concepts for the optional hooks.
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
template <class Law>
concept Tracks = requires(Law& law, const Path& path) {
  law.on_sent(path, std::int64_t{});
  law.on_delivered(std::int64_t{}, std::int64_t{});
  law.on_lost(std::int64_t{}, true);
};

// A complete window law has a description, all required hooks, and exactly the optional hooks that its traits name.
template <class Law>
concept WindowHooks = Described<Law> && std::same_as<decltype(Law::kTraits), const WindowTraits> &&
                      requires(Law& law, const Law& it, Window& window, const Ack& ack) {
                        { law.on_ack(window, ack) } noexcept;
                        { law.on_congestion(window, 1.0) } noexcept;
                        { law.on_loss(window, 1.0) } noexcept;
                        { law.on_timeout(window, 1.0) } noexcept;
                        { it.weight() } noexcept -> std::same_as<double>;
                        { law.set_weight(1.0) } noexcept;
                      } && Law::kTraits.begins == Begins<Law> &&
                      Law::kTraits.hears_rtt == HearsRtt<Law> && Law::kTraits.noisy == Noisy<Law> &&
                      Law::kTraits.weighs == Weighs<Law> && Law::kTraits.aims == Aims<Law> &&
                      Law::kTraits.paced == Paced<Law> && Law::kTraits.gain == HasGain<Law> &&
                      Law::kTraits.sees == Sees<Law> && Law::kTraits.tracks == Tracks<Law>;

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_WINDOW_H_
