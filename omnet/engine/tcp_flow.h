// SPDX-License-Identifier: Apache-2.0
// A TCP flow: sender, receiver and the traffic that drives them; a thin host of a window law.
//
//   tcp_flow.cc   its life: start, connections, files, orders from the market
//   tcp_send.cc   what may leave when: window, pacing, caps, retransmission timer
//   tcp_ack.cc    what an ACK does: RTT, window law, ECN, recovery (RFC 5681, 6298, 3168, 7661)
//   tcp_sack.cc   recovery with selective ACKs (RFC 6675)
//   tcp_receive.cc   the receiving host: its ACKs, delayed or not
//
// Sequence numbers count segments and run on from connection to connection. There is a SYN exchange
// (which gives the first RTT) and no FIN.
#ifndef ECNOMY_ENGINE_TCP_FLOW_H_
#define ECNOMY_ENGINE_TCP_FLOW_H_

#include <cstdint>
#include <limits>
#include <memory>

#include "engine/core.h"
#include "engine/files.h"
#include "engine/outbox.h"
#include "engine/source.h"
#include "engine/tcp_receiver.h"
#include "host/gate.h"
#include "host/scoreboard.h"
#include "host/window_host.h"
#include "laws/window/round_trip.h"
#include "laws/window/rto.h"

namespace ecnomy::engine {

class TcpFlow {
 public:
  TcpFlow(const SourceConfig& source, std::int32_t flow, Outbox outbox, Stream traffic);

  void start(Core& core, Time now);
  void on_application(Core& core, Time now);
  Time depart(Core& core, Time now) { return outbox_.depart(core, now); }
  void on_pace(Core& core, Time now);
  void on_timeout(Core& core, Time now);
  [[gnu::noinline]] void on_delayed_ack(Core& core, Time now);
  // Not inlined: in the event loop it would cost every event registers.
  [[gnu::noinline]] void receive(Core& core, PacketId id, Time now);
  void order(Core& core, const FlowOrder& order, Time now);

  bool active(Time now) const noexcept;
  double cwnd() const noexcept { return window_.cwnd; }
  double weight() const noexcept { return law_.weight(); }
  double srtt_s() const noexcept { return seconds(rto_.srtt()); }
  double cwnd_integral(Time now) const noexcept;

 private:
  enum class State : std::uint8_t { closed, connecting, open };
  static constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kNoSegment = -1;
  static constexpr double kLeastWeight = 1e-9;  // laws divide by it

  const TransportPlan& transport() const noexcept { return source_->plan->transport; }
  FlowStats& stats(Core& core) const noexcept {
    return core.flows[static_cast<std::size_t>(flow_)];
  }

  // tcp_flow.cc
  void open(Core& core, std::int64_t file_bytes, Time now);
  void await_file(Core& core, Time now);
  void on_step(Core& core, Time now);
  void next_file(Core& core, Time now);
  void finish_file(Core& core, bool complete, Time now);
  void syn_lost(Core& core, Time now);
  void set_cwnd_clock(Time now) noexcept;

  // tcp_send.cc
  void send_syn(Core& core, bool again, Time now);
  void send_allowed(Core& core, Time now);
  bool window_open() const noexcept;
  bool gate_open(Core& core, Time now);
  bool held_back(Core& core, Time now) const noexcept;
  bool spent(Core& core) const noexcept;
  bool available(std::int64_t seq) const noexcept;
  std::int64_t next_segment() const noexcept;
  void emit(Core& core, std::int64_t seq, Time now);
  void retransmit(Core& core, Time now);
  void resend_from_una(Core& core, Time now);  // go back n
  void shut_gate(Time now) noexcept;
  void reopen_gate(Time now) noexcept;
  void hasten_gate(Time now) noexcept;
  Time pace_interval() const noexcept;
  Time cap_interval(Time now, Time from) const noexcept;
  double cap_bps(Time now) const noexcept;
  void not_window_limited() noexcept;
  void restart_after_idle(Time now) noexcept;
  void lose_window(Time now) noexcept;
  std::int32_t segment_bytes(std::int64_t seq) const noexcept;
  void arm_timer(Core& core, Time now);

  // tcp_receive.cc
  void receive_data(Core& core, PacketId id, Time now);
  [[gnu::noinline]] void put_off_ack(Core& core, Time now);
  void acknowledge(Core& core, PacketId id, std::uint16_t keep, Time now);
  [[gnu::noinline]] void report_held(Core& core, PacketId id);

  // tcp_sack.cc
  // Not inlined, so that a flow without SACK does not pay for them.
  [[gnu::noinline]] bool note_blocks(Core& core, PacketId id);
  [[gnu::noinline]] void suspect_loss(Core& core, Time now);
  [[gnu::noinline]] std::int64_t pipe() const noexcept;
  [[gnu::noinline]] std::int64_t repair() const noexcept;
  [[gnu::noinline]] void resent(std::int64_t seq) noexcept;

  // tcp_ack.cc
  void receive_ack(Core& core, const Packet& ack, bool news, Time now);
  void connected(Core& core, const Packet& ack, Time now);
  void advance(Core& core, const Packet& ack, Time now);
  void duplicate(Core& core, const Packet& ack, Time now);
  void recover(Core& core, Time now);
  void sample_rtt(Time sent, Time now);
  void learn_marks(Core& core, const Packet& ack, std::int64_t told) noexcept;
  void respond(std::int64_t told) noexcept;
  void tell_law(const Ack& ack) noexcept;
  std::int64_t told_of(std::int64_t newly_acked, std::int64_t flight,
                       bool recovering) const noexcept;
  std::int64_t growth(std::int64_t newly_acked, std::int64_t flight) const noexcept;
  void aim();
  bool aims_by_time() const noexcept {
    return (mark_rate_ >= 0 && !law_.aims()) || transport().reference_rtt > 0;
  }

  // Ordered by use: what nearly every packet touches comes first, so that it shares cache lines.
  const SourceConfig* source_;
  std::int32_t flow_;
  std::uint16_t connection_ = 0;
  State state_ = State::closed;
  bool started_ = false, active_ = true;
  bool on_ = true;  // by the profile
  bool in_recovery_ = false, cwr_due_ = false;
  bool ack_event_ = false;  // an event for the waiting ACK is under way
  std::int32_t duplicates_ = 0;

  TcpReceiver receiver_;
  std::int64_t una_ = 0, next_ = 0,
               sent_ = 0;               // oldest unacked, next to send, one past the highest
  std::int64_t end_ = 0;                // one past the last segment there is to send
  std::int64_t recover_ = 0;            // no fast retransmit up to it (RFC 6582)
  std::int64_t cut_until_ = 0;          // no RFC 3168 response to ACKs up to it
  std::int64_t app_limited_until_ = 0;  // up to here the window was not what held it back
  std::int64_t learned_ = 0;            // marks of this connection the sender knows of
  WindowHost law_;
  Window window_;
  RoundTrip round_trip_;
  Rto rto_;
  Time timer_at_ = 0;             // retransmission deadline
  Time timer_event_at_ = kNever;  // the timeout event that counts
  Time last_ack_at_ = 0;
  Time last_sent_at_ = 0;
  double cwnd_integral_ps_ = 0;  // packet-ps
  Time cwnd_since_ = 0;
  Outbox outbox_;
  Gate gate_;                    // pacing and caps
  Time pace_event_at_ = kNever;  // the pace event that counts
  double mark_rate_;             // marks/s aimed at; -1: the law's own weight
  double order_cap_bps_ = -1;
  std::int64_t mark_cap_ = -1;

  Scoreboard scoreboard_;
  std::int64_t again_ = 0;       // one past the highest sent again (HighRxt, RFC 6675)
  std::int64_t rescue_ = 0;      // a rescue needs una_ beyond it (RescueRxt)
  std::int64_t timer_una_ = -1;  // una_ at the last timeout
  Time ack_due_ = 0;             // when the waiting ACK leaves
  double factor_ = 1;            // of the profile, on the cap
  Time step_at_ = kNever;        // when the profile has its next step
  std::unique_ptr<Files> files_;
  std::int32_t last_segment_bytes_ = 0;  // payload of segment end_ - 1
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_TCP_FLOW_H_
