// SPDX-License-Identifier: LGPL-3.0-or-later
#include "node/MarketPpp.h"

#include <cmath>

#include "inet/common/ProtocolTag_m.h"
#include "inet/common/Simsignals.h"
#include "inet/common/packet/chunk/ByteCountChunk.h"
#include "inet/linklayer/common/InterfaceTag_m.h"
#include "inet/networklayer/common/EcnTag_m.h"
#include "inet/networklayer/ipv4/Ipv4Header_m.h"
#include "market/MarketBridge.h"
#include "queue/MarkingQueue.h"

namespace ecnomy::omnet {

using inet::Packet;
using omnetpp::cRuntimeError;

Define_Module(MarketPpp);

void MarketPpp::initialize(int stage) {
  Ppp::initialize(stage);
  if (stage == inet::INITSTAGE_LOCAL) framing_ = inet::B(par("framing").intValue());
}

// The transmission time in whole picoseconds, rounded as in the queue and the built-in engine.
omnetpp::simtime_t MarketPpp::transmission(const Packet* frame) const {
  const std::int64_t rate = std::llround(datarateChannel->getNominalDatarate());
  const std::int64_t bytes = inet::B(frame->getDataLength()).get();
  return simtime((bytes * 8'000'000'000'000 + rate / 2) / rate);
}

void MarketPpp::startTransmitting() {
  Packet* frame = currentTxFrame->dup();
  if (omnetpp::getEnvir()->isGUI()) frame->setKind(colour(frame));
  encapsulate(frame);
  frame->clearTags();
  frame->addTag<inet::PacketProtocolTag>()->setProtocol(&inet::Protocol::ipv4);
  emit(transmissionStateChangedSignal, 1L);
  emit(inet::packetSentToLowerSignal, frame);
  const omnetpp::simtime_t duration = transmission(frame);
  send(frame, omnetpp::SendOptions().duration(duration), physOutGate);
  scheduleAfter(duration, endTransmissionEvent);
  ++numSent;
}

// Returns a message kind, which Qtenv shows as a colour: red for frames marked by ECN, green for other data, and blue
// for frames without data.
short MarketPpp::colour(const Packet* frame) const {
  constexpr short kRed = 0, kGreen = 1, kBlue = 2;
  if (frame->peekAtFront<inet::Ipv4Header>()->getEcn() == inet::IP_ECN_CE) return kRed;
  MarketBridge* market = MarketBridge::find();
  return market && market->label(frame).data ? kGreen : kBlue;
}

void MarketPpp::encapsulate(Packet* packet) {
  const auto& tag = packet->findTag<inet::PacketProtocolTag>();
  if (!tag || tag->getProtocol() != &inet::Protocol::ipv4) {
    throw cRuntimeError("only IPv4 datagrams go over this interface, got '%s'", packet->getName());
  }
  if (framing_ > inet::B(0)) packet->insertAtBack(inet::makeShared<inet::ByteCountChunk>(framing_));
}

void MarketPpp::decapsulate(Packet* packet) {
  if (framing_ > inet::B(0)) packet->removeAtBack(framing_);
  packet->addTagIfAbsent<inet::InterfaceInd>()->setInterfaceId(networkInterface->getInterfaceId());
  packet->addTagIfAbsent<inet::DispatchProtocolReq>()->setProtocol(&inet::Protocol::ipv4);
  packet->addTagIfAbsent<inet::PacketProtocolTag>()->setProtocol(&inet::Protocol::ipv4);
}

// The queue that sends over the wire to this interface; nullptr if it is not a MarkingQueue.
MarkingQueue* MarketPpp::sendingQueue() const {
  const omnetpp::cModule* sender = gate("phys$i")->getPathStartGate()->getOwnerModule();
  return dynamic_cast<MarkingQueue*>(sender->getParentModule()->getSubmodule("queue"));
}

// The sending queue has the wire's laws of loss and delay.
void MarketPpp::handleLowerPacket(Packet* packet) {
  MarkingQueue* queue = sendingQueue();
  const Time held = queue ? queue->held(packet) : 0;
  if (held == 0 || held == kNever) return receive(packet, held == kNever);
  scheduleAfter(simtime(held), packet);
}

void MarketPpp::handleSelfMessage(omnetpp::cMessage* message) {
  if (message == endTransmissionEvent) return Ppp::handleSelfMessage(message);
  receive(omnetpp::check_and_cast<Packet*>(message), false);
}

void MarketPpp::receive(Packet* packet, bool lost) {
  if (packet->hasBitError() || lost) {
    inet::PacketDropDetails details;
    details.setReason(inet::INCORRECTLY_RECEIVED);
    emit(inet::packetDroppedSignal, packet, &details);
    ++numDroppedBitErr;
    delete packet;
    return;
  }
  packet->setKind(0);  // removes the colour
  emit(rxPkOkSignal, packet);
  decapsulate(packet);
  ++numRcvdOK;
  emit(inet::packetSentToUpperSignal, packet);
  send(packet, "upperLayerOut");
}

void MarketPpp::refreshOutGateConnection(bool connected) {
  if (!connected && endTransmissionEvent->isScheduled()) {
    throw cRuntimeError("a link of a MarketPpp cannot be cut while it sends");
  }
  Ppp::refreshOutGateConnection(connected);
}

}  // namespace ecnomy::omnet
