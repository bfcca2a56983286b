// SPDX-License-Identifier: LGPL-3.0-or-later
// The sending half of a TCP flow: what window laws and RFCs say of windows, recovery, ECN, pacing and
// timers. INET's connection below it does the wire protocol.
//
//   FlowSender.cc        its life: start, connections, orders from the market
//   FlowSenderOutput.cc  what may leave when: window, pacing, caps, retransmission timer
//   FlowSenderInput.cc   what an ACK does: RTT, window law, ECN, recovery (RFC 5681, 6298, 3168, 7661)
//   FlowSenderSack.cc    recovery with selective ACKs (RFC 6675)
//
// It counts in whole segments as the built-in engine does (engine/tcp_flow.h, which has the same
// names), from connection to connection; a segment is cut when it is sent first and sent again as it was.
#ifndef ECNOMY_INET_TCP_FLOWSENDER_H_
#define ECNOMY_INET_TCP_FLOWSENDER_H_

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>

#include "host/accounts.h"
#include "host/gate.h"
#include "host/plan.h"
#include "host/scoreboard.h"
#include "host/window_host.h"
#include "laws/random/stream.h"
#include "laws/traffic/traffic.h"
#include "laws/window/round_trip.h"
#include "laws/window/rto.h"
#include "tcp/Outbox.h"
#include "tcp/SenderPort.h"

namespace ecnomy::omnet {

class FlowSender {
 public:
  // Whose flow it is; without plan one of an application that the market does not know.
  struct Identity {
    const SourcePlan* plan = nullptr;
    int member = 0, flow = -1;
    Accounts* accounts = nullptr;
    FlowOwner* owner = nullptr;
    std::optional<Stream> rttError = std::nullopt;  // for a law that wants draws
  };
  static constexpr std::uint32_t kHeaders = 40;  // IP and TCP, on INET's wire

  // All that is referred to must outlive it.
  FlowSender(const TransportPlan& transport, FlowStats& stats, Outbox outbox, Identity identity);

  // ---- the application's side
  void begin(Time now) noexcept;  // the flow's start, without a connection yet
  void setProfile(bool on, double factor, Time nextStep) noexcept;
  // A connection is about to be made, for so many segments (-1: without end). With the last one goes the
  // FIN, and when all are acknowledged allAcked is called.
  void open(std::int64_t segments, Time now) noexcept;
  void close(Time now) noexcept;  // has done with this connection
  void resume(Time now);          // something that held it back may have changed
  void order(const FlowOrder& order, Time now);

  bool closed() const noexcept { return state_ == State::closed; }
  bool active(Time now) const noexcept;
  FlowState state(Time now) const noexcept;
  FlowStats& stats() noexcept { return *stats_; }
  const TransportPlan& transport() const noexcept { return *transport_; }
  const SourcePlan* plan() const noexcept { return identity_.plan; }
  int flow() const noexcept { return identity_.flow; }
  int member() const noexcept { return identity_.member; }
  std::uint32_t mss() const noexcept { return mss_; }  // of the present connection
  // The payload that makes a full segment's IP packet as long as the plan's.
  std::uint32_t plannedMss() const noexcept;
  std::optional<Time> capLifted() const noexcept;

  // ---- the connection's side
  void attach(SenderPort& port) noexcept { port_ = &port; }
  void lostConnection(const char* how, Time now);
  std::int64_t nextSegment() const noexcept { return next_; }
  Time rto() const noexcept { return rto_.rto(); }
  Outbox& outbox() noexcept { return outbox_; }
  const Window& window() const noexcept { return window_; }
  const Rto& timer() const noexcept { return rto_; }
  bool synLost(Time now);  // whether the SYN is sent again
  // The SYN is acknowledged: data begins at `first` and is cut to at most `mss` bytes.
  void connected(const TcpAck& ack, std::uint32_t first, std::uint32_t mss, Time now);
  void dataHandedOver(Time now);
  void onAck(const TcpAck& ack, Time now);
  void onPace(Time now);
  void onTimeout(Time now);

 private:
  enum class State : std::uint8_t { closed, connecting, open };
  static constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kNoSegment = -1;
  static constexpr double kLeastWeight = 1e-9;  // laws divide by it
  static constexpr std::uint32_t kLittleData = 1u << 28;

  // FlowSender.cc
  void setCwndClock(Time now) noexcept;
  void aim() noexcept;
  bool aimsByTime() const noexcept {
    return (markRate_ >= 0 && !law_.aims()) || transport_->reference_rtt > 0;
  }

  // FlowSenderOutput.cc
  void sendAllowed(Time now);
  bool windowOpen() const noexcept;
  bool gateOpen(Time now);
  bool heldBack(Time now) const noexcept;
  bool spent() const noexcept;
  bool available(std::int64_t number) const;
  std::int64_t nextToSend() const;
  void emit(std::int64_t number, Time now);
  bool cut(std::int64_t number);
  void retransmit(Time now);
  void resendFromUna(Time now);
  void shutGate(Time now) noexcept;
  void reopenGate(Time now) noexcept;
  void hastenGate(Time now) noexcept;
  Time paceInterval() const noexcept;
  Time capInterval(Time now, Time from) const noexcept;
  double capBps(Time now) const noexcept;
  void notWindowLimited() noexcept;
  void restartAfterIdle(Time now) noexcept;
  void loseWindow(Time now) noexcept;
  void armTimer(Time now);

  // FlowSenderInput.cc
  struct Covered {
    std::int64_t segments = 0, bytes = 0;
    Time sent = kNever;  // of the newest; kNever where one of them was sent again
  };
  Covered cover(std::uint32_t number);
  void trace(const TcpAck& ack, Time now) const;
  void advance(const Covered& covered, const TcpAck& ack, Time now);
  void duplicate(const TcpAck& ack, Time now);
  void recover(Time now);
  void sampleRtt(Time sent, Time now) noexcept;
  void learnMarks(const TcpAck& ack, std::int64_t told) noexcept;
  void respond(std::int64_t told) noexcept;
  void tellLaw(const Ack& ack) noexcept;
  std::int64_t toldOf(std::int64_t newlyAcked, std::int64_t flight, bool recovering) const noexcept;
  std::int64_t growth(std::int64_t newlyAcked, std::int64_t flight) const noexcept;

  // FlowSenderSack.cc
  bool noteHeld(const TcpAck& ack);
  std::int64_t numberOf(std::uint32_t seq) const noexcept;
  void suspectLoss(Time now);
  std::int64_t pipe() const noexcept;
  std::int64_t repair() const;
  void resent(std::int64_t number) noexcept;

  const TransportPlan* transport_;
  FlowStats* stats_;
  Identity identity_;
  SenderPort* port_ = nullptr;
  State state_ = State::closed;
  bool started_ = false, active_ = true;
  bool on_ = true;      // by the profile
  bool asked_ = false;  // for more data
  bool inRecovery_ = false, cwrDue_ = false;

  WindowHost law_;
  Window window_;
  RoundTrip roundTrip_;
  Rto rto_;
  Outbox outbox_;

  std::deque<Segment> segments_;  // from una_ to sent_
  std::uint32_t tail_ = 0;        // sequence number of what is cut next
  std::uint32_t mss_;

  std::int64_t una_ = 0, next_ = 0,
               sent_ = 0;             // oldest unacked, next to send, one past the highest
  std::int64_t end_ = kEndless;       // one past the last there is to send
  std::int64_t recover_ = 0;          // no fast retransmit up to it (RFC 6582)
  std::int64_t again_ = 0;            // one past the highest sent again (HighRxt, RFC 6675)
  std::int64_t rescue_ = 0;           // a rescue needs una_ beyond it (RescueRxt)
  std::int64_t cutUntil_ = 0;         // no RFC 3168 response to ACKs up to it
  std::int64_t appLimitedUntil_ = 0;  // up to here the window was not what held it back
  std::int64_t timerUna_ = -1;        // una_ at the last timeout
  std::int64_t learned_ = 0;          // marks of this connection the sender knows of
  std::int64_t offered_;              // the receiver's window as planned, packets
  std::uint64_t room_ = 0;            // and as its ACKs say, bytes
  std::int32_t duplicates_ = 0;
  Scoreboard scoreboard_;

  Gate gate_;                   // pacing and caps
  Time paceEventAt_ = kNever;   // the pace event that counts
  Time timerAt_ = 0;            // retransmission deadline
  Time timerEventAt_ = kNever;  // when it is looked at
  Time lastAckAt_ = 0, lastSentAt_ = 0;
  double markRate_;             // marks/s aimed at; -1: the law's own weight
  double ownWeight_, ownGain_;  // as the plan states them, at the reference RTT if there is one
  double orderCapBps_ = -1;
  std::int64_t markCap_ = -1;

  double cwndIntegralPs_ = 0;  // packet-ps
  Time cwndSince_ = 0;

  double factor_ = 1;     // of the profile, on the cap
  Time stepAt_ = kNever;  // when the profile has its next step
  std::optional<RateCapped> capped_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_FLOWSENDER_H_
