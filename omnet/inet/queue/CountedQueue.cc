// SPDX-License-Identifier: LGPL-3.0-or-later
#include "queue/CountedQueue.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "inet/common/ModuleAccess.h"
#include "inet/common/Simsignals.h"
#include "laws/marking/drop_tail.h"
#include "parameters/Parameters.h"
#include "queue/IpFrame.h"

namespace ecnomy::omnet {

using inet::Packet;
using omnetpp::cRuntimeError;

Define_Module(CountedQueue);

void CountedQueue::initialize(int stage) {
  PacketQueueBase::initialize(stage);
  if (stage != inet::INITSTAGE_LOCAL) return;
  interface_ = inet::findContainingNicModule(this);
  if (!interface_) throw cRuntimeError("A counted queue belongs in a network interface");
  omnetpp::cModule* inner = getSubmodule("queue");
  inner_ = omnetpp::check_and_cast<inet::queueing::IPacketQueue*>(inner);
  in_ = inner->gate("in");
  out_ = inner->gate("out");
  plan_.name = par("linkName").stdstringValue();
  plan_.source = plan_.target = -1;
  plan_.buffer_packets = plan_.buffer_bytes = -1;
  plan_.framing_bytes = static_cast<std::int32_t>(par("framing").intValue());
  plan_.marking = {DropTail::kName, {}};
  shortest_ = static_cast<std::int32_t>(par("shortest").intValue());
  gap_ = static_cast<std::int32_t>(par("gap").intValue());
  omnetpp::cChannel* channel = interface_->getTxTransmissionChannel();
  plan_.delay_ps = channel && channel->hasPar("delay") ? timeParameter(channel, "delay") : Time{0};
  const double datarate = interface_->getDatarate();
  plan_.rate_bps = datarate > 0 ? std::llround(datarate) : 0;
  subscribe(inet::packetDroppedSignal, this);
  market_ = MarketBridge::find();
  if (!market_) return;
  link_ = market_->addLink(static_cast<int>(par("linkIndex").intValue()), plan_, this);
}

// ---- packets

CountedQueue::Held CountedQueue::look(const Packet* packet) const {
  const IpFrame frame = readFrame(packet);
  Held held{};
  if (market_ && frame.ipv4) held.label = market_->label(packet, frame.offset);
  held.hop = market_ ? market_->hop(held.label, link_) : nullptr;
  held.bytes = frame.bytes;
  held.wireBytes = std::max(frame.bytes + plan_.framing_bytes, shortest_);
  held.ect = frame.ect;
  held.ce = frame.ce;
  return held;
}

void CountedQueue::pushPacket(Packet* packet, QueueGate*) {
  Enter_Method("pushPacket");
  take(packet);
  queue_.account(now());
  const Held held = look(packet);
  queue_.arrived(link_, held.bytes, accounts(held), now());
  note(TraceEvent::enqueue, held);
  queue_.join(held.wireBytes);
  waiting_.emplace(packet, held);
  inner_->pushPacket(packet, in_);
  queue_.peak();
}

Packet* CountedQueue::pullPacket(QueueGate*) {
  Enter_Method("pullPacket");
  Packet* packet = inner_->pullPacket(out_);
  take(packet);
  // An interface flushes its queue when the network is deleted. The market may then be gone already.
  if (omnetpp::getSimulation()->getSimulationStage() == omnetpp::CTX_CLEANUP) return packet;
  queue_.account(now());
  const auto found = waiting_.find(packet);
  if (found == waiting_.end()) throw cRuntimeError("the inner queue returned an unknown packet");
  Held held = found->second;
  waiting_.erase(found);
  queue_.leave(held.wireBytes);
  depart(held, readFrame(packet).ce);
  emit(inet::packetPulledSignal, packet);
  return packet;
}

// Called when the packet goes to the wire.
void CountedQueue::depart(Held& packet, bool ce) {
  if (ce && !packet.ce) mark(packet);
  queue_.depart(packet.bytes);
  const Time duration = transmission(packet.wireBytes);
  queue_.work += duration;
  queue_.free_at = now() + duration;
  const Time delivered = queue_.free_at - transmission(gap_) + plan_.delay_ps;
  underWay_.depart(ce ? packet.hop : nullptr, delivered, now());
}

void CountedQueue::removePacket(Packet* packet) {
  Enter_Method("removePacket");
  queue_.account(now());
  inner_->removePacket(packet);
  take(packet);
  const auto found = waiting_.find(packet);
  if (found != waiting_.end()) lose(found, false);
  emit(inet::packetRemovedSignal, packet);
}

void CountedQueue::removeAllPackets() {
  Enter_Method("removeAllPackets");
  while (!inner_->isEmpty()) {
    Packet* packet = inner_->getPacket(0);
    removePacket(packet);
    delete packet;
  }
}

void CountedQueue::receiveSignal(omnetpp::cComponent*, omnetpp::simsignal_t,
                                 omnetpp::cObject* packet, omnetpp::cObject* details) {
  const auto found = waiting_.find(dynamic_cast<Packet*>(packet));
  if (found == waiting_.end()) return;
  queue_.account(now());
  const auto* why = dynamic_cast<inet::PacketDropDetails*>(details);
  lose(found, why && why->getReason() == inet::CONGESTION);
}

// ---- books

PacketAccounts CountedQueue::accounts(const Held& packet) const {
  return market_ ? market_->accounts(packet.label, packet.hop) : PacketAccounts{};
}

Time CountedQueue::transmission(std::int32_t wireBytes) const {
  const double rate = interface_->getDatarate();
  return rate >= 1 ? std::llround(wireBytes * 8e12 / rate) : 0;
}

void CountedQueue::mark(const Held& packet) {
  queue_.marked(link_, accounts(packet), now());
  note(TraceEvent::mark, packet);
}

void CountedQueue::lose(Waiting::iterator packet, bool byLaw) {
  const Held held = packet->second;
  waiting_.erase(packet);
  queue_.leave(held.wireBytes);
  queue_.dropped(link_, held.bytes, byLaw, held.ect, held.ce, accounts(held), now());
  note(TraceEvent::drop, held);
}

void CountedQueue::note(TraceEvent what, const Held& packet) {
  if (!market_ || packet.label.source < 0) return;
  if (Trace* trace = market_->accounts().trace) {
    trace->add(now(), what, link_, packet.label.flow, packet.label.seq, packet.bytes, packet.ce);
  }
}

LinkState CountedQueue::state() {
  Enter_Method_Silent();
  queue_.account(now());
  return look();
}

LinkState CountedQueue::look() const {
  return {queue_.stats, queue_.busy_ps(now()), queue_.packets, queue_.bytes, 0};
}

void CountedQueue::tellInFlight() {
  Enter_Method_Silent();
  underWay_.tell(now(), [this](auto wait) {
    for (const auto& [packet, held] : waiting_) {
      if (held.ce && held.hop) wait(held.hop);
    }
  });
}

void CountedQueue::reconfigure(const std::vector<std::pair<std::size_t, double>>&) {
  throw BadParameter(plan_.name + ": a counted queue has no marking law to change");
}

}  // namespace ecnomy::omnet
