// SPDX-License-Identifier: Apache-2.0
// The sending half of a TCP flow, for both engines: windows, recovery, ECN, pacing, caps and timers, as defined by
// window laws and RFCs. It counts whole segments and uses no packets or sockets. An engine hosts it behind a port
// (segment_port.h) and calls it at ACKs and at timers.
//
//   segment_sender.cc       connections, orders from the market, the law's weight
//   segment_sender_out.h    when to send: window, pacing, caps, retransmission timer
//   segment_sender_in.h     effects of an ACK: RTT, window law, ECN, recovery (RFC 5681, 6298, 3168, 7661)
//   segment_sender_sack.cc  recovery with selective ACKs (RFC 6675)
//
// Sequence numbers count segments and continue from connection to connection.
#ifndef ECNOMY_HOST_TCP_SEGMENT_SENDER_H_
#define ECNOMY_HOST_TCP_SEGMENT_SENDER_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "host/accounts.h"
#include "host/gate.h"
#include "host/plan.h"
#include "host/scoreboard.h"
#include "host/tcp/segment_port.h"
#include "host/window_host.h"
#include "laws/traffic/traffic.h"
#include "laws/window/round_trip.h"
#include "laws/window/rto.h"

namespace ecnomy {

// Data that the flows of one source share. The plans must outlive it.
struct SenderSetup {
  // `source` is null for a flow outside the market.
  SenderSetup(const TransportPlan& transport, const SourcePlan* source);

  const TransportPlan* transport;
  const SourcePlan* source;
  WindowHost law;  // the initial law of each flow, at the reference RTT if there is one
  std::optional<RateCapped> capped;
  std::int64_t offered;       // the receiver's window, packets
  std::int32_t packet_bytes;  // IP packet of a full segment
};

class SegmentSender {
 public:
  static constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

  explicit SegmentSender(const SenderSetup& setup) noexcept;

  // ---- connections
  void begin(Time now) noexcept;  // starts the flow, still without a connection
  void set_profile(bool on, double factor, Time next_step) noexcept;
  // Opens a connection for this number of segments. A value of -1 means unlimited data.
  void open(std::int64_t segments, Time now) noexcept;
  // Adds segments to the current connection. All its data so far must be acknowledged.
  void extend(std::int64_t segments) noexcept { end_ += segments; }
  void close(Time now) noexcept;
  // The host has cancelled the calls that wake_at and alarm_at requested.
  void forget_calls() noexcept { pace_event_at_ = timer_event_at_ = kNever; }
  // Called if the SYN was lost: the window begins with one packet. Returns false if the flow was switched off
  // meanwhile.
  bool syn_lost(FlowStats& stats, Time now) noexcept;
  // Called when the SYN is answered. `again` is true if it was sent more than once. `sent` is its departure, or kNever
  // if unknown.
  template <SegmentPort Port>
  void connected(Port& port, bool again, Time sent, Time now);

  // ---- events
  template <SegmentPort Port>
  void resume(Port& port, Time now);  // a limit on the flow may have changed
  template <SegmentPort Port>
  void on_ack(Port& port, const AckNews& ack, Time now);
  template <SegmentPort Port>
  void on_pace(Port& port, Time now);
  template <SegmentPort Port>
  void on_timeout(Port& port, Time now);
  template <SegmentPort Port>
  void send_allowed(Port& port, Time now);
  template <SegmentPort Port>
  void arm_timer(Port& port, Time now);
  void take(const FlowOrder& order) noexcept;  // call `resume` afterwards
  // Returns true if the block reports new segments. It is not inlined, to keep the code small for flows without SACK.
  [[gnu::noinline]] bool note_block(const SegmentRange& block);

  // ---- state
  bool closed() const noexcept { return state_ == State::closed; }
  bool connecting() const noexcept { return state_ == State::connecting; }
  bool is_open() const noexcept { return state_ == State::open; }
  // True if there is no data to send and no data to be acknowledged.
  bool idle() const noexcept { return closed() || (is_open() && una_ == end_); }
  bool active(Time now) const noexcept;
  std::int64_t una() const noexcept { return una_; }
  std::int64_t next() const noexcept { return next_; }
  std::int64_t end() const noexcept { return end_; }
  // The segments that are not yet acknowledged, including those not yet sent. It must not be called for unlimited data.
  std::int64_t segments_left() const noexcept { return closed() ? 0 : end_ - una_; }
  std::int64_t learned() const noexcept { return learned_; }
  Time step_at() const noexcept { return step_at_; }
  const Window& window() const noexcept { return window_; }
  const Rto& timer() const noexcept { return rto_; }
  FlowState state(Time now) const noexcept;

 private:
  enum class State : std::uint8_t { closed, connecting, open };
  // What an ACK answers: the packets passed to the law, all packets, and the time since the last ACK in units of T (-1:
  // unknown).
  struct Answer {
    std::int64_t for_law, packets;
    double trips;
  };
  static constexpr std::int64_t kNoSegment = -1;
  static constexpr double kLeastWeight = 1e-9;  // above 0, because laws divide by the weight
  // Default minimum window of paced plans (SMALLEST_WINDOW in tcp_options.py). The weight then sets the floor.
  static constexpr double kLeastWindow = 1.0 / 64;
  static constexpr double kOwnWeight = -std::numeric_limits<double>::infinity();

  const TransportPlan& transport() const noexcept { return *setup_->transport; }

  // segment_sender.cc
  void aim() noexcept;
  void set_floor() noexcept;
  void set_cwnd_clock(Time now) noexcept;
  bool aims_by_time() const noexcept {
    return (mark_rate_ >= 0 && !law_.aims()) || transport().reference_rtt > 0;
  }
  // T, the round-trip time for pacing and for converting marks per second to marks per round trip.
  Time rtt() const noexcept { return transport().rtt_mean ? round_trip_.mean() : rto_.srtt(); }
  Time round_trip() const noexcept {
    return aims_by_time() ? round_trip_.for_weight(rtt()) : rtt();
  }

  // segment_sender_out.h
  bool window_open() const noexcept;
  template <SegmentPort Port>
  bool gate_open(Port& port, Time now);
  bool held_back(const FlowStats& stats, double cap, Time now) const noexcept;
  bool spent(const FlowStats& stats) const noexcept;
  template <SegmentPort Port>
  bool available(Port& port, std::int64_t seq) const;
  template <SegmentPort Port>
  std::int64_t next_segment(Port& port) const;
  template <SegmentPort Port>
  void emit(Port& port, std::int64_t seq, double cap, Time now);
  template <SegmentPort Port>
  void retransmit(Port& port, Time now);
  template <SegmentPort Port>
  void resend_from_una(Port& port, Time now);  // go-back-n
  template <SegmentPort Port>
  void shut_gate(Port& port, double cap, Time now);
  void reopen_gate(Time now) noexcept;
  void hasten_gate(Time now) noexcept;
  Time pace_interval() const noexcept;
  Time cap_interval(double cap, Time now, Time from) const noexcept;
  double cap_bps(Time now) const noexcept;  // the lower of both caps; below 0: none
  void not_window_limited() noexcept;
  void restart_after_idle(Time now) noexcept;
  void lose_window(Time now) noexcept;
  template <SegmentPort Port>
  void let_go(Port& port, Time now);  // gives up lost segments, without repair
  double in_network() const noexcept;

  // segment_sender_sack.cc
  [[gnu::noinline]] bool suspect_loss() noexcept;
  [[gnu::noinline]] std::int64_t pipe() const noexcept;
  template <SegmentPort Port>
  [[gnu::noinline]] std::int64_t repair(Port& port) const;
  [[gnu::noinline]] void resent(std::int64_t seq) noexcept;

  // segment_sender_in.h
  template <SegmentPort Port>
  void advance(Port& port, const AckNews& ack, Time since, Time now);
  // It is not inlined: it is rare, and would take registers from every ACK.
  template <SegmentPort Port>
  [[gnu::noinline]] void duplicate(Port& port, const AckNews& ack, Time now);
  template <SegmentPort Port>
  void recover(Port& port, Time now);
  void sample_rtt(Time sent, Time now) noexcept;
  bool overtaken(const AckNews& ack) const noexcept;
  std::int64_t fresh_marks(const AckNews& ack, std::int64_t answered) const noexcept;
  // It is inlined, because every ACK runs it, and a call would save and restore many registers.
  template <SegmentPort Port>
  [[gnu::always_inline]] inline void learn_marks(Port& port, const AckNews& ack,
                                                 const Answer& answer, Time now);
  template <SegmentPort Port>
  [[gnu::noinline]] void respond(Port& port, const Ack& ack, Time now);
  double used(std::int64_t flight) const noexcept {
    return std::min(window_.cwnd, static_cast<double>(flight));
  }
  double outstanding() const noexcept {
    return used(transport().reduce_from == ReduceFrom::pipe ? pipe() : next_ - una_);
  }
  template <SegmentPort Port>
  void tell_law(Port& port, const Ack& ack);
  Path path(Time now) const noexcept {
    return {now,   rto_.srtt(),  round_trip_.min(),         una_,
            sent_, next_ - una_, una_ <= app_limited_until_};
  }
  void show_path(Time now) noexcept {
    if (law_.sees()) [[unlikely]]
      law_.see(path(now));
  }
  [[gnu::noinline]] void tell_lost() noexcept;
  std::int64_t packets_for_law(std::int64_t newly_acked, std::int64_t flight,
                               bool recovering) const noexcept;
  double trips(Time since) const noexcept;
  std::int64_t growth(std::int64_t newly_acked, std::int64_t flight) const noexcept;

  // The fields are ordered by use: those that nearly every packet touches come first and share cache lines.
  const SenderSetup* setup_;
  State state_ = State::closed;
  bool started_ = false, active_ = true;
  bool on_ = true;  // state by the profile
  bool in_recovery_ = false, cwr_due_ = false;
  bool one_waits_ = false;  // a mark came at a window of one packet: the next waits for the timer
  std::int32_t duplicates_ = 0;
  std::int32_t healed_ = -1;  // ACKs since a timeout, while it limits the flight; -1: no limit
  std::int64_t una_ = 0, next_ = 0,
               sent_ = 0;               // oldest unacked, next to send, one past the highest
  std::int64_t end_ = 0;                // one past the last segment to send
  std::int64_t recover_ = 0;            // no fast retransmit up to this segment (RFC 6582)
  std::int64_t cut_until_ = 0;          // no RFC 3168 response to ACKs up to this segment
  std::int64_t app_limited_until_ = 0;  // up to this segment the window was not the limit
  std::int64_t learned_ = 0;            // marks of this connection reported to the sender
  WindowHost law_;
  Window window_;
  RoundTrip round_trip_;
  Rto rto_;
  Time timer_at_ = 0;             // retransmission deadline
  Time timer_event_at_ = kNever;  // time of the valid timeout event
  Time last_ack_at_ = 0;
  Time last_sent_at_ = 0;
  double cwnd_integral_ps_ = 0;  // packet-ps
  Time cwnd_since_ = 0;          // last ACK or timeout
  Gate gate_;                    // pacing and caps
  Time pace_event_at_ = kNever;  // time of the valid pace event
  double mark_rate_;             // target in marks/s; -w: the weight w; kOwnWeight: the source's
  double order_cap_bps_ = -1;
  std::int64_t mark_cap_ = -1;

  Scoreboard scoreboard_;
  std::int64_t again_ = 0;       // one past the highest segment sent again (HighRxt, RFC 6675)
  std::int64_t rescue_ = 0;      // a rescue requires una_ above this value (RescueRxt)
  std::int64_t timer_una_ = -1;  // una_ at the last timeout
  double factor_ = 1;            // the profile's factor on the cap
  Time step_at_ = kNever;        // next step of the profile
};

}  // namespace ecnomy

#include "host/tcp/segment_sender_in.h"
#include "host/tcp/segment_sender_out.h"

#endif  // ECNOMY_HOST_TCP_SEGMENT_SENDER_H_
