// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tcp/MarketConnection.h"

#include <cstdio>
#include <utility>

#include "market/MarketBridge.h"
#include "tcp/MarketTcp.h"
#include "tcp/TcpMarketFlavour.h"

namespace ecnomy::omnet {

using inet::L3Address;
using inet::Packet;
using inet::Ptr;
using inet::tcp::TcpConnection;
using inet::tcp::TcpHeader;
using omnetpp::cMessage;

Define_Module(MarketConnection);

MarketConnection* MarketConnection::make(inet::tcp::Tcp& tcp, int socketId, bool ofMarket) {
  char name[24];
  std::snprintf(name, sizeof name, "conn-%d", socketId);
  omnetpp::cModuleType* type = omnetpp::cModuleType::get(ofMarket ? "ecnomy.tcp.FlowConnection"
                                                                  : "ecnomy.tcp.MarketConnection");
  auto* made = omnetpp::check_and_cast<MarketConnection*>(type->createScheduleInit(name, &tcp));
  made->TcpConnection::initConnection(&tcp, socketId);
  return made;
}

TcpConnection* MarketConnection::cloneListeningConnection() {
  const int id = static_cast<int>(inet::getActiveSimulationOrEnvir()->getUniqueNumber());
  const MarketTcp* market = dynamic_cast<MarketTcp*>(tcpMain);
  MarketConnection* clone = make(*tcpMain, id, market && market->receivesAt(localAddr, localPort));
  clone->initClonedConnection(this);
  clone->forked_ = true;
  return clone;
}

// ---- handshake

void MarketConnection::selectInitialSeqNum() {
  TcpConnection::selectInitialSeqNum();
  if (flavour_) flavour_->begins();
}

// A flow of the market repeats its SYN until it is connected or gives up by itself.
void MarketConnection::process_OPEN_ACTIVE(Event& event, inet::TcpCommand* command,
                                           cMessage* message) {
  TcpConnection::process_OPEN_ACTIVE(event, command, message);
  if (flavour_ && flavour_->planned()) cancelEvent(connEstabTimer);
}

// The flow's receiver answers each SYN, and waits for data without a limit.
MarketConnection::Event MarketConnection::processSynInListen(Packet* packet, const Header& header,
                                                             L3Address from, L3Address to) {
  Enter_Method("processSynInListen");
  if (flavour_) flavour_->serve(*header, from, to);
  const Event event = TcpConnection::processSynInListen(packet, header, from, to);
  if (flavour_ && flavour_->planned()) cancelEvent(connEstabTimer);
  return event;
}

void MarketConnection::startSynRexmitTimer() {
  if (!flavour_) return TcpConnection::startSynRexmitTimer();
  if (flavour_->planned() && !state->active) return;
  state->syn_rexmit_count = 0;
  state->syn_rexmit_timeout = simtime(flavour_->synTimeout());
  rescheduleAfter(state->syn_rexmit_timeout, synRexmitTimer);
}

void MarketConnection::process_TIMEOUT_SYN_REXMIT(Event& event) {
  if (!flavour_ || !flavour_->planned()) return TcpConnection::process_TIMEOUT_SYN_REXMIT(event);
  if (!flavour_->sends()) return;  // the connection ends here
  if (!flavour_->synLost()) {
    event = inet::tcp::TCP_E_ABORT;
    return;
  }
  ++state->syn_rexmit_count;
  sendSyn();
  state->syn_rexmit_timeout = simtime(flavour_->synTimeout());
  scheduleAfter(state->syn_rexmit_timeout, synRexmitTimer);
}

// INET's own code negotiates ECN only after the first data has left.
MarketConnection::Event MarketConnection::processSegmentInSynSent(Packet* packet,
                                                                  const Header& header,
                                                                  L3Address from, L3Address to) {
  const bool agreed = header->getSynBit() && header->getEceBit() && !header->getCwrBit();
  if (flavour_ && state->ecnSynSent && agreed) state->ect = true;
  return TcpConnection::processSegmentInSynSent(packet, header, from, to);
}

// A connection that was forked off cannot listen again, since its address is in use.
bool MarketConnection::performStateTransition(const Event& event) {
  const bool back =
      event == inet::tcp::TCP_E_RCV_RST || event == inet::tcp::TCP_E_TIMEOUT_CONN_ESTAB;
  const bool ends = forked_ && back && getFsmState() == inet::tcp::TCP_S_SYN_RCVD;
  return TcpConnection::performStateTransition(ends ? inet::tcp::TCP_E_ABORT : event);
}

void MarketConnection::release() {
  Enter_Method("release");
  performStateTransition(inet::tcp::TCP_E_DESTROY);
}

// An application gets no indications for a connection before it has accepted it. A whole short file, with its FIN, may
// arrive with the last step of the handshake, so PEER_CLOSED is kept until then.
void MarketConnection::sendIndicationToApp(int code, const int id) {
  if (!isToBeAccepted()) return TcpConnection::sendIndicationToApp(code, id);
  peerClosed_ = peerClosed_ || code == inet::TCP_I_PEER_CLOSED;
}

void MarketConnection::process_ACCEPT(Event& event, inet::TcpCommand* command, cMessage* message) {
  TcpConnection::process_ACCEPT(event, command, message);
  if (std::exchange(peerClosed_, false)) sendIndicationToApp(inet::TCP_I_PEER_CLOSED);
}

// ---- segments in

MarketConnection::Event MarketConnection::process_RCV_SEGMENT(Packet* packet, const Header& header,
                                                              L3Address from, L3Address to) {
  if (flavour_) flavour_->segmentArrives(*packet, *header);
  const bool synAgain = getFsmState() == inet::tcp::TCP_S_SYN_RCVD && header->getSynBit() &&
                        !header->getAckBit() && header->getSequenceNo() == state->irs;
  const bool answerAgain = state->active && header->getSynBit() && header->getAckBit() &&
                           getFsmState() != inet::tcp::TCP_S_SYN_SENT;
  if (flavour_ && synAgain) {
    sendSynAck();
  } else if (flavour_ && flavour_->planned() && answerAgain) {
    flavour_->connectedAgain();
  } else {
    return TcpConnection::process_RCV_SEGMENT(packet, header, from, to);
  }
  delete packet;
  return inet::tcp::TCP_E_IGNORE;
}

bool MarketConnection::processSACKOption(const Header& header,
                                         const inet::tcp::TcpOptionSack& option) {
  if (!flavour_) return TcpConnection::processSACKOption(header, option);
  for (unsigned i = 0; i < option.getSackItemArraySize(); ++i) {
    const inet::tcp::SackItem& item = option.getSackItem(i);
    flavour_->heldBeyond({item.getStart(), item.getEnd()});
  }
  return true;
}

bool MarketConnection::processAckInEstabEtc(Packet* packet, const Header& header) {
  if (!TcpConnection::processAckInEstabEtc(packet, header)) return false;
  if (flavour_) flavour_->ackArrives(*header);
  return true;
}

// ---- segments out

void MarketConnection::sendAck() {
  composesAck_ = true;
  TcpConnection::sendAck();
  composesAck_ = false;
}

// A flow of the market takes its options from the plan, not from the SYN, so that a SYN is as long as an ACK.
TcpHeader MarketConnection::writeHeaderOptions(const Ptr<TcpHeader>& header) {
  if (!flavour_) return TcpConnection::writeHeaderOptions(header);
  if (flavour_->planned() && header->getSynBit()) return *header;
  TcpConnection::writeHeaderOptions(header);
  if (composesAck_) addHeld(*header);
  return *header;
}

void MarketConnection::addHeld(TcpHeader& header) const {
  const std::vector<SeqRange> held = flavour_->held();
  if (held.empty()) return;
  header.appendHeaderOption(new inet::tcp::TcpOptionNop());
  header.appendHeaderOption(new inet::tcp::TcpOptionNop());
  auto* option = new inet::tcp::TcpOptionSack();
  option->setLength(static_cast<unsigned short>(2 + 8 * held.size()));
  option->setSackItemArraySize(held.size());
  for (std::size_t i = 0; i < held.size(); ++i) {
    option->setSackItem(i, inet::tcp::Sack(held[i].first, held[i].end));
  }
  header.appendHeaderOption(option);
  header.setHeaderLength(inet::tcp::TCP_MIN_HEADER_LENGTH + header.getHeaderOptionArrayLength());
  header.setChunkLength(header.getHeaderLength());
}

void MarketConnection::sendToIP(Packet* packet, const Ptr<TcpHeader>& header) {
  if (flavour_) flavour_->segmentLeaves(*packet, *header);
  TcpConnection::sendToIP(packet, header);
}

void MarketConnection::sendToIP(Packet* packet, const Ptr<TcpHeader>& header, L3Address from,
                                L3Address to) {
  if (flavour_) flavour_->segmentLeaves(*packet, *header);
  TcpConnection::sendToIP(packet, header, from, to);
}

}  // namespace ecnomy::omnet
