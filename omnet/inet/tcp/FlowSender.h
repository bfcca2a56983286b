// SPDX-License-Identifier: LGPL-3.0-or-later
// The sending half of a TCP flow over INET's connections: the sender that both engines share (host/tcp), and the
// bytes of its segments. A segment is cut when it is first sent, and retransmitted unchanged. Below it, INET's
// connection implements the wire protocol.
#ifndef ECNOMY_INET_TCP_FLOWSENDER_H_
#define ECNOMY_INET_TCP_FLOWSENDER_H_

#include <cstdint>
#include <deque>
#include <optional>

#include "host/accounts.h"
#include "host/plan.h"
#include "laws/random/stream.h"
#include "tcp/HostedSender.h"
#include "tcp/Outbox.h"
#include "tcp/SenderPort.h"

namespace ecnomy::omnet {

class FlowSender {
 public:
  // The flow's owner. Without a plan, the flow belongs to an application outside the market.
  struct Identity {
    const SourcePlan* plan = nullptr;
    int member = 0, flow = -1;
    Accounts* accounts = nullptr;
    FlowOwner* owner = nullptr;
    std::optional<Stream> rttError = std::nullopt;  // for a law that needs random draws
  };
  static constexpr std::uint32_t kHeaders = 40;  // IP and TCP, on INET's wire

  // All referenced objects must outlive it.
  FlowSender(const TransportPlan& transport, FlowStats& stats, Outbox outbox, Identity identity);
  FlowSender(const FlowSender&) = delete;
  FlowSender& operator=(const FlowSender&) = delete;

  // ---- calls from the application
  void begin(Time now) noexcept { sender_.begin(now); }
  void setProfile(bool on, double factor, Time nextStep) noexcept {
    sender_.set_profile(on, factor, nextStep);
  }
  // Called before a connection is opened for this number of segments (-1: unlimited). When all are acknowledged,
  // allAcked is called. The last segment carries the FIN, unless the connection is lasting.
  void open(std::int64_t segments, bool lasting, Time now) noexcept;
  void extend(std::int64_t segments) noexcept { sender_.extend(segments); }
  void close(Time now) noexcept;  // ends the use of this connection
  void resume(Time now);          // a limit on sending may have changed
  void order(const FlowOrder& order, Time now);

  bool closed() const noexcept { return sender_.closed(); }
  bool idle() const noexcept { return sender_.idle(); }
  bool active(Time now) const noexcept { return sender_.active(now); }
  FlowState state(Time now) const noexcept { return sender_.state(now); }
  std::int64_t segmentsLeft() const noexcept { return sender_.segments_left(); }
  FlowStats& stats() noexcept { return *stats_; }
  const TransportPlan& transport() const noexcept { return *setup_.transport; }
  const SourcePlan* plan() const noexcept { return setup_.source; }
  int flow() const noexcept { return identity_.flow; }
  int member() const noexcept { return identity_.member; }
  std::uint32_t mss() const noexcept { return mss_; }  // of the present connection
  // The payload with which a full segment's IP packet has the plan's size.
  std::uint32_t plannedMss() const noexcept;
  std::optional<Time> capLifted() const noexcept;

  // ---- calls from the connection
  void attach(SenderPort& port) noexcept { port_ = &port; }
  void lostConnection(const char* how, Time now);
  std::int64_t nextSegment() const noexcept { return sender_.next(); }
  Time rto() const noexcept { return sender_.timer().rto(); }
  Outbox& outbox() noexcept { return outbox_; }
  const Window& window() const noexcept { return sender_.window(); }
  const Rto& timer() const noexcept { return sender_.timer(); }
  bool synLost(Time now);  // whether the SYN is sent again
  // Called when the SYN is acknowledged. Data begins at `first`, and segments have at most `mss` bytes.
  void connected(const TcpAck& ack, std::uint32_t first, std::uint32_t mss, Time now);
  void dataHandedOver(Time now);
  void onAck(const TcpAck& ack, Time now);
  void onPace(Time now);
  void onTimeout(Time now);

 private:
  struct Port;
  struct Covered {
    std::int64_t segments = 0, bytes = 0;
    Time sent = kNever;  // departure of the newest; kNever if one of them was retransmitted
  };
  static constexpr std::uint32_t kLittleData = 1u << 28;

  Covered cover(std::uint32_t number);
  AckNews read(const TcpAck& ack, std::uint32_t oldest, const Covered& covered, bool news) const;
  void trace(const TcpAck& ack, Time now) const;
  bool noteHeld(const TcpAck& ack);
  std::int64_t numberOf(std::uint32_t seq) const noexcept;
  bool available() const;
  std::int32_t cut(std::int64_t number, bool fresh);
  void emit(const Emission& emission, Time now);

  HostedSetup setup_;
  FlowStats* stats_;
  Identity identity_;
  SenderPort* port_ = nullptr;
  HostedSender sender_;
  Outbox outbox_;
  bool requestedData_ = false;  // has requested more data
  bool lasting_ = false;        // its connection may be extended

  std::deque<Segment> segments_;  // sent but not acknowledged
  std::uint32_t tail_ = 0;        // sequence number of the next new segment
  std::uint32_t mss_;
  std::uint64_t room_ = 0;  // the receiver's window in its last ACK, bytes
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_FLOWSENDER_H_
