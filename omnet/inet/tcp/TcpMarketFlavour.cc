// SPDX-License-Identifier: LGPL-3.0-or-later
// The connection of the flavour: transport, handshake, timers, and the sender's half.
#include "tcp/TcpMarketFlavour.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "inet/transportlayer/tcp/TcpSendQueue.h"
#include "tcp/HostTransport.h"

namespace ecnomy::omnet {

using inet::tcp::TcpHeader;
using omnetpp::cComponent;
using omnetpp::cContextSwitcher;
using omnetpp::cMessage;
using omnetpp::cRuntimeError;

Register_Class(TcpMarketFlavour);

TcpMarketFlavour::~TcpMarketFlavour() {
  for (cMessage* timer : {paceTimer_, lossTimer_, ackTimer_, finTimer_}) {
    if (timer) delete conn->cancelEvent(timer);
  }
}

void TcpMarketFlavour::initialize() {
  tcp_ = dynamic_cast<MarketTcp*>(conn->getTcpMain());
  connection_ = dynamic_cast<MarketConnection*>(conn);
  if (!tcp_ || !connection_) {
    throw cRuntimeError("%s is not an ecnomy.tcp.MarketTcp: its connections cannot have flavour %s",
                        conn->getTcpMain()->getFullPath().c_str(), getClassName());
  }
  connection_->adopt(this);
  paceTimer_ = new cMessage("PACE");
  lossTimer_ = new cMessage("REXMIT");
  ackTimer_ = new cMessage("DELAYEDACK");
  finTimer_ = new cMessage("FIN");
  flow_ = tcp_->claim(conn->getSocketId());
  if (!flow_) return;
  flowIndex_ = flow_->flow();
  adopt(flow_->transport(), true);
  flow_->attach(*this);
}

void TcpMarketFlavour::adopt(const TransportPlan& plan, bool planned) {
  plan_ = &plan;
  planned_ = planned;
  state->ecnWillingness = state->ecnWillingness && plan.echo != Echo::off;
  state->sack_support = plan.sack && !planned;
  state->ts_support = state->ts_support && !planned;
  if (planned) {
    state->snd_mss =
        static_cast<std::uint32_t>(plan.payload_bytes + plan.header_bytes) - FlowSender::kHeaders;
  }
}

void TcpMarketFlavour::begins() {
  if (plan_) return;
  ownPlan_ = hostTransport(tcp_, law());
  adopt(ownPlan_, false);
}

void TcpMarketFlavour::serve(const TcpHeader& syn, const inet::L3Address& from,
                             const inet::L3Address& to) {
  MarketBridge* market = tcp_->market();
  if (market) {
    const Label label = market->label(from, syn.getSrcPort(), to, syn.getDestPort());
    if (label.source >= 0 && !label.ack) {
      flowIndex_ = label.flow;
      adopt(market->sourcePlan(label.source).transport, true);
      tcp_->serves(flowIndex_, connection_);
    }
  }
  const MarketTcp::Arrival& arrival = tcp_->arrival();
  receiver_.note(arrival.sent, arrival.tag && arrival.tag->again);
}

Time TcpMarketFlavour::synTimeout() const { return flow_ ? flow_->rto() : plan().initial_rto; }

bool TcpMarketFlavour::synLost() { return flow_->synLost(now()); }

// Applies the options agreed in the handshake. A flow of the market scales windows without negotiation. Other flows
// use SACK as negotiated in the SYNs. INET's own scoreboard is not used.
void TcpMarketFlavour::agree() {
  sack_ = planned_ ? plan().sack : state->sack_enabled;
  state->sack_enabled = false;
  if (!planned_) return;
  state->ws_enabled = true;
  state->rcv_wnd_scale = state->snd_wnd_scale = 14;
  conn->updateRcvWnd();
}

void TcpMarketFlavour::established(bool active) {
  agree();
  if (!flow_ && !planned_) openOwnFlow();
  acked_ = false;
  if (flow_) connectFlow();
  // For a flow of the market, the first data completes the handshake, however late it is. The receiver waits for it.
  if (active && !acked_ && !planned_) conn->sendAck();
}

void TcpMarketFlavour::openOwnFlow() {
  ownPlan_.sack = sack_;
  HostSource::Member* payer = tcp_->payer();
  ownFlow_ = std::make_unique<FlowSender>(plan(), payer ? payer->stats() : ownStats_,
                                          Outbox(0, Stream(0, "")),
                                          payer ? payer->identity() : FlowSender::Identity{});
  flow_ = ownFlow_.get();
  flow_->begin(now());
  flow_->open(-1, false, now());
  flow_->attach(*this);
  if (payer) payer->opened(*flow_);
}

// Called when the flow no longer shares its host's order.
void TcpMarketFlavour::closeOwnFlow() {
  if (ownFlow_ && tcp_->payer()) tcp_->payer()->closed(*ownFlow_);
}

void TcpMarketFlavour::connectFlow() {
  TcpAck ack;
  ack.number = state->snd_una;
  ack.bytes = tcp_->arrival().bytes;
  ack.ce = tcp_->arrival().ce;
  ack.room = planned_ ? std::numeric_limits<std::uint64_t>::max() : state->snd_wnd;
  if (const FlowTag* tag = tcp_->arrival().tag) {
    ack.answered = tag->answered;
    ack.answersAgain = tag->answersAgain;
  }
  constexpr std::uint32_t kTimestamps = 12;
  const std::uint32_t options = state->ts_enabled ? kTimestamps : 0;
  flow_->connected(ack, state->iss + 1, state->snd_mss - options, now());
  windowChanged();
}

void TcpMarketFlavour::connectedAgain() {
  if (flow_) connectFlow();
}

void TcpMarketFlavour::connectionClosed() {
  for (cMessage* timer : {paceTimer_, lossTimer_, ackTimer_, finTimer_}) conn->cancelEvent(timer);
  if (planned_ && !state->active) tcp_->servesNoLonger(flowIndex_, connection_);
  closeOwnFlow();
  if (!flow_ || ownFlow_) return;
  flow_->lostConnection("reset", now());
}

void TcpMarketFlavour::processTimer(cMessage* timer, inet::tcp::TcpEventCode&) {
  if (timer == paceTimer_ && flow_) return flow_->onPace(now());
  if (timer == lossTimer_ && flow_) return flow_->onTimeout(now());
  if (timer == ackTimer_) return conn->sendAck();
  if (timer == finTimer_) return resendFin();
}

void TcpMarketFlavour::schedule(cMessage* timer, Time at) {
  cContextSwitcher context(conn);
  if (timer->isScheduled()) conn->cancelEvent(timer);
  conn->scheduleAt(simtime(at), timer);
}

void TcpMarketFlavour::sendCommandInvoked() {
  if (flow_) flow_->dataHandedOver(now());
}

void TcpMarketFlavour::restartRexmitTimer() {
  finTimeout_ = plan().initial_rto;
  schedule(finTimer_, now() + finTimeout_);
}

// Retransmits a FIN that was sent without data. A FIN with data is retransmitted with this data.
void TcpMarketFlavour::resendFin() {
  if (!state->send_fin || state->fin_ack_rcvd) return;
  finTimeout_ = std::min(2 * finTimeout_, plan().max_rto);
  schedule(finTimer_, now() + finTimeout_);
  if (state->snd_una == state->snd_fin_seq) conn->retransmitOneSegment(true);
}

std::uint32_t TcpMarketFlavour::waiting(std::uint32_t from) {
  return conn->getSendQueue()->getBytesAvailable(from);
}

void TcpMarketFlavour::emit(const Segment& segment, const Departing& how) {
  cContextSwitcher context(conn);
  if (how.fin) {
    state->send_fin = true;
    state->snd_fin_seq = segment.seq + segment.bytes;
  }
  emitted_ = &segment;
  state->snd_nxt = segment.seq;
  state->rexmit = segment.again;
  state->sndCwr = how.cwr;
  conn->sendSegment(segment.bytes);
  state->sndCwr = state->rexmit = false;
  state->snd_nxt = state->snd_max;
  emitted_ = nullptr;
  ackSent();
}

void TcpMarketFlavour::sever() {
  flow_ = nullptr;
  cContextSwitcher context(conn);
  conn->cancelEvent(paceTimer_);
  conn->cancelEvent(lossTimer_);
}

// Emits the window for INET's statistics.
void TcpMarketFlavour::windowChanged() {
  static const omnetpp::simsignal_t cwnd = cComponent::registerSignal("cwnd");
  static const omnetpp::simsignal_t ssthresh = cComponent::registerSignal("ssthresh");
  static const omnetpp::simsignal_t srtt = cComponent::registerSignal("srtt");
  static const omnetpp::simsignal_t rto = cComponent::registerSignal("rto");
  if (!flow_) return;
  const auto bytes = [&](double packets) {
    const double most = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min(packets * flow_->mss(), most));
  };
  Variables& shown = variables();
  shown.snd_cwnd = bytes(flow_->window().cwnd);
  shown.ssthresh = bytes(flow_->window().ssthresh);
  shown.srtt = simtime(flow_->timer().srtt());
  shown.rexmit_timeout = simtime(flow_->rto());
  conn->emit(cwnd, static_cast<omnetpp::uintval_t>(shown.snd_cwnd));
  conn->emit(ssthresh, static_cast<omnetpp::uintval_t>(shown.ssthresh));
  conn->emit(srtt, shown.srtt);
  conn->emit(rto, shown.rexmit_timeout);
}

}  // namespace ecnomy::omnet
