// SPDX-License-Identifier: LGPL-3.0-or-later
// The segments of the flavour: arrivals, the times of ACKs, and the contents of departing segments.
#include <limits>

#include "InetCompat.h"
#include "inet/transportlayer/tcp/TcpReceiveQueue.h"
#include "tcp/TcpMarketFlavour.h"

namespace ecnomy::omnet {

using inet::Packet;
using inet::tcp::TcpHeader;

// ---- in

void TcpMarketFlavour::segmentArrives(const Packet& packet, const TcpHeader& header) {
  arrivalSeq_ = header.getSequenceNo();
  arrivalBytes_ =
      static_cast<std::uint32_t>(packet.getByteLength() - inet::B(header.getHeaderLength()).get());
  arrivalCwr_ = header.getCwrBit();
  arrivalFin_ = header.getFinBit();
  arrivingAck_ = TcpAck{};
  const bool answered = arrivalBytes_ > 0 || header.getSynBit() || header.getFinBit();
  const MarketTcp::Arrival& arrival = tcp_->arrival();
  if (answered) receiver_.note(arrival.sent, arrival.tag && arrival.tag->again);
}

// INET calls this first for each segment of an established connection.
void TcpMarketFlavour::processEcnInEstablished() {
  if (arrivalBytes_ == 0) return;
  heldBefore_ = holdsData();
  receiver_.noteData(tcp_->arrival().ce && state->ect, arrivalCwr_);
}

bool TcpMarketFlavour::holdsData() const {
  inet::tcp::TcpReceiveQueue& queue = receiveQueueOf(*conn);
  const std::uint32_t begun = inet::tcp::seqLess(queue.getFirstSeqNo(), state->rcv_nxt) ? 1 : 0;
  return queue.getQueueLength() > begun;
}

void TcpMarketFlavour::receivedOutOfOrderSegment() {
  receiver_.hold(receiveQueueOf(*conn), arrivalSeq_, arrivalSeq_ + arrivalBytes_);
  conn->sendAck();
}

void TcpMarketFlavour::receiveSeqChanged() {
  const bool inOrder = !heldBefore_ && !holdsData();
  const bool mayWait = plan().delayed_acks > 1 && inOrder && !arrivalFin_;
  if (!mayWait || !receiver_.mayWait(plan().delayed_acks, plan().echo)) return conn->sendAck();
  if (receiver_.waiting().packets == 1) schedule(ackTimer_, now() + plan().delayed_ack);
}

bool TcpMarketFlavour::shouldMarkAck() { return receiver_.echo(plan().echo); }

void TcpMarketFlavour::ackSent() {
  acked_ = true;
  receiver_.ackSent();
  state->full_sized_segment_counter = 0;
  state->ack_now = false;
  state->last_ack_sent = state->rcv_nxt;
  if (ackTimer_->isScheduled()) conn->cancelEvent(ackTimer_);
}

std::vector<SeqRange> TcpMarketFlavour::held() {
  if (!sack_ || !holdsData()) return {};
  return receiver_.held(state->rcv_nxt);
}

TcpAck TcpMarketFlavour::readAck(const TcpHeader& header) const {
  TcpAck ack = arrivingAck_;
  const MarketTcp::Arrival& arrival = tcp_->arrival();
  ack.number = header.getAckNo();
  ack.duplicates = arrivalBytes_ == 0 && !arrivalFin_;
  ack.ece = header.getEceBit() && state->ect;
  ack.bytes = arrival.bytes;
  ack.ce = arrival.ce;
  ack.room = planned_ ? std::numeric_limits<std::uint64_t>::max() : state->snd_wnd;
  if (!arrival.tag) return ack;
  ack.counts = true;
  ack.answered = arrival.tag->answered;
  ack.answersAgain = arrival.tag->answersAgain;
  ack.marks = arrival.tag->marks;
  return ack;
}

void TcpMarketFlavour::ackArrives(const TcpHeader& header) {
  if (state->fin_ack_rcvd) {
    conn->cancelEvent(finTimer_);
    closeOwnFlow();
  }
  if (!flow_) return;
  const bool deaf = !planned_ && !tcp_->arrival().tag && counts_marks(plan().echo);
  if (deaf && flow_->nextSegment() > 0) {
    tcp_->warnOfEcho(plan().window.law, connection_->getRemoteAddress());
  }
  flow_->onAck(readAck(header), now());
}

// ---- out

// Segments without the flow's data leave no earlier than its last segment. Only the SYN has a separate send overhead.
MarketTcp::Departure TcpMarketFlavour::departure(const Packet& packet, const TcpHeader& header) {
  MarketTcp::Departure departs;
  departs.ect = plan_ && plan().ect_all && !header.getRstBit();
  departs.notEct = !departs.ect && packet.getByteLength() == 0;
  departs.ect1 = plan_ && plan().ect_1;
  if (emitted_) {
    lastLeaves_ = emitted_->sent;
  } else if (flow_ && header.getSynBit()) {
    lastLeaves_ = flow_->outbox().handOver(now());
  }
  departs.at = lastLeaves_;
  return departs;
}

void TcpMarketFlavour::segmentLeaves(const Packet& packet, TcpHeader& header) {
  tcp_->departs(departure(packet, header));
  const bool data = packet.getByteLength() > 0;
  if (data && header.getAckBit() && state->ect && shouldMarkAck()) header.setEceBit(true);
  const auto tag = header.addTagIfAbsent<FlowTag>();
  tag->flow = flowIndex_;
  if (!planned_ && tcp_->payer()) tag->payer = tcp_->payer()->flow();
  tag->fromSender = tag->payer >= 0 || (planned_ && state->active);
  tag->again = emitted_ ? emitted_->again : header.getSynBit() && state->syn_rexmit_count > 0;
  if (!header.getAckBit()) return;
  const FlowReceiver::Waiting& waiting = receiver_.waiting();
  tag->answered = waiting.sent;
  tag->answersAgain = waiting.again;
  tag->marks = receiver_.marks();
}

}  // namespace ecnomy::omnet
