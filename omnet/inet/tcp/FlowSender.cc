// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tcp/FlowSender.h"

#include <algorithm>

#include "host/tally.h"
#include "laws/random/inversion.h"

namespace ecnomy::omnet {

// INET's services for the shared sender (host/tcp/segment_port.h).
struct FlowSender::Port {
  FlowSender& flow;

  FlowStats& stats() const noexcept { return *flow.stats_; }
  bool available(std::int64_t) const { return flow.available(); }
  std::int32_t cut(std::int64_t number, bool fresh) { return flow.cut(number, fresh); }
  void emit(const Emission& emission, Time now) { flow.emit(emission, now); }
  void wake_at(Time at) { flow.port_->wakeAt(at); }
  void alarm_at(Time at) { flow.port_->alarmAt(at); }
  void syn_timed_out(Time) {}  // INET's connection has its own timer for this
  void all_acked(Time) {
    if (flow.identity_.owner) flow.identity_.owner->allAcked();
  }
  Time overhead() noexcept { return flow.outbox_.draw(); }
  void disturb(HostedWindow& law) {
    if (flow.identity_.rttError) law.disturb(standard_normal(*flow.identity_.rttError));
  }
  void note_sent(Time now) {
    const Accounts* accounts = flow.identity_.accounts;
    if (accounts && accounts->tally) accounts->tally->sent(flow.identity_.flow, now);
  }
};

FlowSender::FlowSender(const TransportPlan& transport, FlowStats& stats, Outbox outbox,
                       Identity identity)
    : setup_(hostedSetup(transport, identity.plan)),
      stats_(&stats),
      identity_(identity),
      sender_(setup_),
      outbox_(outbox),
      mss_(plannedMss()) {}

std::uint32_t FlowSender::plannedMss() const noexcept {
  return static_cast<std::uint32_t>(transport().payload_bytes + transport().header_bytes) -
         kHeaders;
}

std::optional<Time> FlowSender::capLifted() const noexcept {
  if (!setup_.capped || setup_.capped->lifted_at() == kNever) return std::nullopt;
  return setup_.capped->lifted_at();
}

void FlowSender::open(std::int64_t segments, bool lasting, Time now) noexcept {
  requestedData_ = false;
  lasting_ = lasting;
  sender_.open(segments, now);
}

void FlowSender::close(Time now) noexcept {
  sender_.close(now);
  sender_.forget_calls();
  segments_.clear();
  if (port_) port_->sever();
  port_ = nullptr;
}

void FlowSender::lostConnection(const char* how, Time now) {
  close(now);
  if (identity_.owner) identity_.owner->lost(how);
}

void FlowSender::resume(Time now) {
  Port port{*this};
  sender_.resume(port, now);
}

void FlowSender::order(const FlowOrder& order, Time now) {
  sender_.take(order);
  resume(now);
}

bool FlowSender::synLost(Time now) {
  if (sender_.syn_lost(*stats_, now)) return true;
  close(now);
  if (identity_.owner) identity_.owner->gaveUp();
  return false;
}

void FlowSender::connected(const TcpAck& ack, std::uint32_t first, std::uint32_t mss, Time now) {
  trace(ack, now);
  if (!sender_.connecting()) return;
  tail_ = first;
  mss_ = mss;
  setup_.packet_bytes = static_cast<std::int32_t>(mss + kHeaders);
  room_ = ack.room;
  Port port{*this};
  sender_.connected(port, ack.answersAgain, ack.answered, now);
}

void FlowSender::dataHandedOver(Time now) {
  requestedData_ = false;
  Port port{*this};
  sender_.send_allowed(port, now);
}

void FlowSender::onPace(Time now) {
  Port port{*this};
  sender_.on_pace(port, now);
}

void FlowSender::onTimeout(Time now) {
  Port port{*this};
  const std::int64_t timeouts = stats_->timeouts;
  sender_.on_timeout(port, now);
  if (port_ && stats_->timeouts > timeouts) port_->windowChanged();
}

// ---- ACKs

void FlowSender::trace(const TcpAck& ack, Time now) const {
  if (!identity_.accounts || !identity_.accounts->trace) return;
  identity_.accounts->trace->add(now, TraceEvent::ack, -1, identity_.flow, ack.number, ack.bytes,
                                 ack.ce);
}

void FlowSender::onAck(const TcpAck& ack, Time now) {
  if (!sender_.is_open()) return;
  const bool news = transport().sack && noteHeld(ack);
  const std::uint32_t oldest = segments_.empty() ? tail_ : segments_.front().seq;
  const Covered covered = cover(ack.number);
  room_ = ack.room;
  trace(ack, now);
  Port port{*this};
  sender_.on_ack(port, read(ack, oldest, covered, news), now);
  if (port_) port_->windowChanged();
}

// If segments carry their departure times, the RTT of a retransmission is measured from its own departure (RFC 7323
// section 4). Otherwise a retransmission gives no RTT sample (Karn). A peer that sends no count of marks is assumed to
// echo each mark once.
AckNews FlowSender::read(const TcpAck& ack, std::uint32_t oldest, const Covered& covered,
                         bool news) const {
  AckNews ackNews;
  ackNews.next = sender_.una() + covered.segments;
  ackNews.bytes = covered.bytes;
  ackNews.marks = ack.counts ? ack.marks : sender_.learned() + (ack.ece ? 1 : 0);
  ackNews.sent = ack.counts ? ack.answered : covered.sent;
  ackNews.ece = ack.ece;
  ackNews.duplicate = ack.number == oldest && ack.duplicates;
  ackNews.news = news;
  return ackNews;
}

// Removes all segments acknowledged up to `number`, and the acknowledged beginning of a partly acknowledged segment.
FlowSender::Covered FlowSender::cover(std::uint32_t number) {
  Covered covered;
  bool ambiguous = false;
  while (!segments_.empty()) {
    Segment& oldest = segments_.front();
    const std::int32_t reach = static_cast<std::int32_t>(number - oldest.seq);
    if (reach <= 0) break;
    if (static_cast<std::uint32_t>(reach) < oldest.bytes) {
      oldest.seq += static_cast<std::uint32_t>(reach);
      oldest.bytes -= static_cast<std::uint32_t>(reach);
      break;
    }
    ++covered.segments;
    covered.bytes += oldest.bytes + kHeaders;
    ambiguous = ambiguous || oldest.again;
    covered.sent = ambiguous ? kNever : oldest.sent;
    segments_.pop_front();
  }
  return covered;
}

// Returns the number of the first segment that begins at or beyond seq.
std::int64_t FlowSender::numberOf(std::uint32_t seq) const noexcept {
  const auto at = std::lower_bound(segments_.begin(), segments_.end(), seq,
                                   [](const Segment& segment, std::uint32_t from) {
                                     return static_cast<std::int32_t>(segment.seq - from) < 0;
                                   });
  return sender_.una() + (at - segments_.begin());
}

bool FlowSender::noteHeld(const TcpAck& ack) {
  bool news = false;
  for (const SeqRange& range : ack.held) {
    if (sender_.note_block({numberOf(range.first), numberOf(range.end)})) news = true;
  }
  return news;
}

// ---- segments

// True if there is data for a new segment and room for it at the receiver. One segment may always be sent, as a probe.
bool FlowSender::available() const {
  const std::uint32_t bytes = port_->waiting(tail_);
  if (bytes == 0) return false;
  const std::uint64_t ahead = segments_.empty() ? 0 : tail_ - segments_.front().seq;
  return ahead == 0 || ahead + std::min(bytes, mss_) <= room_;
}

std::int32_t FlowSender::cut(std::int64_t number, bool fresh) {
  if (fresh) {
    const std::uint32_t waiting = port_->waiting(tail_);
    const std::uint32_t bytes = std::min(mss_, waiting);
    segments_.push_back({tail_, bytes, 0, false});
    tail_ += bytes;
    if (identity_.owner && !requestedData_ && waiting < kLittleData) {
      requestedData_ = true;
      identity_.owner->wantsData();
    }
  }
  Segment& segment = segments_[static_cast<std::size_t>(number - sender_.una())];
  segment.again = !fresh;
  return static_cast<std::int32_t>(segment.bytes + kHeaders);
}

void FlowSender::emit(const Emission& emission, Time now) {
  Segment& segment = segments_[static_cast<std::size_t>(emission.seq - sender_.una())];
  segment.sent = emission.gated && outbox_.empty(now) ? now : outbox_.handOver(now);
  port_->emit(segment, {emission.seq, emission.cwr, emission.last && !lasting_});
}

}  // namespace ecnomy::omnet
