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
  account();
  const Held held = look(packet);
  ++stats_.arrivals;
  stats_.arrived_bytes += held.bytes;
  if (held.hop) ++held.hop->arrivals;
  if (Tally* tally = market_ ? market_->accounts().tally : nullptr) {
    tally->arrived(link_, static_cast<std::int64_t>(waiting_.size()), now());
  }
  note(TraceEvent::enqueue, held);
  waitingBytes_ += held.wireBytes;
  waiting_.emplace(packet, held);
  inner_->pushPacket(packet, in_);
  stats_.queue_max = std::max(stats_.queue_max, static_cast<std::int64_t>(waiting_.size()));
}

Packet* CountedQueue::pullPacket(QueueGate*) {
  Enter_Method("pullPacket");
  Packet* packet = inner_->pullPacket(out_);
  take(packet);
  // An interface flushes its queue as the network is deleted, when the market may be gone already.
  if (omnetpp::getSimulation()->getSimulationStage() == omnetpp::CTX_CLEANUP) return packet;
  account();
  const auto found = waiting_.find(packet);
  if (found == waiting_.end()) throw cRuntimeError("the queue inside gives what it was not given");
  Held held = found->second;
  waiting_.erase(found);
  waitingBytes_ -= held.wireBytes;
  depart(held, readFrame(packet).ce);
  emit(inet::packetPulledSignal, packet);
  return packet;
}

// The packet goes to the wire.
void CountedQueue::depart(Held& packet, bool ce) {
  if (ce && !packet.ce) mark(packet);
  ++stats_.departures;
  stats_.departed_bytes += packet.bytes;
  const Time time = now();
  const Time duration = transmission(packet.wireBytes);
  work_ += duration;
  freeAt_ = time + duration;
  while (!departed_.empty() && departed_.front().delivered < time) departed_.pop_front();
  if (!ce || !packet.hop) return;
  departed_.push_back({freeAt_ - transmission(gap_) + plan_.delay_ps, packet.hop});
  marked_.insert(packet.hop);
}

void CountedQueue::removePacket(Packet* packet) {
  Enter_Method("removePacket");
  account();
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
  account();
  const auto* why = dynamic_cast<inet::PacketDropDetails*>(details);
  lose(found, why && why->getReason() == inet::CONGESTION);
}

// ---- books

void CountedQueue::account() {
  stats_.queue_integral_ps +=
      static_cast<double>(waiting_.size()) * static_cast<double>(now() - changed_);
  changed_ = now();
}

Time CountedQueue::transmission(std::int32_t wireBytes) const {
  const double rate = interface_->getDatarate();
  return rate >= 1 ? std::llround(wireBytes * 8e12 / rate) : 0;
}

void CountedQueue::mark(const Held& packet) {
  ++stats_.marks;
  if (packet.hop) ++packet.hop->marks;
  note(TraceEvent::mark, packet);
  if (Tally* tally = market_ ? market_->accounts().tally : nullptr) tally->marked(link_, now());
}

void CountedQueue::lose(Waiting::iterator packet, bool byLaw) {
  const Held held = packet->second;
  waiting_.erase(packet);
  waitingBytes_ -= held.wireBytes;
  stats_.dropped(held.bytes, byLaw, held.ect, held.ce);
  if (held.hop) {
    ++held.hop->drops;
    held.hop->ce_dropped += held.ce ? 1 : 0;
  }
  note(TraceEvent::drop, held);
  if (!market_) return;
  if (held.label.data) ++market_->flow(held.label.flow).lost;
  if (Tally* tally = market_->accounts().tally) tally->dropped(link_, now());
}

void CountedQueue::note(TraceEvent what, const Held& packet) {
  if (!market_ || packet.label.source < 0) return;
  if (Trace* trace = market_->accounts().trace) {
    trace->add(now(), what, link_, packet.label.flow, packet.label.seq, packet.bytes, packet.ce);
  }
}

LinkState CountedQueue::state() {
  Enter_Method_Silent();
  account();
  return look();
}

LinkState CountedQueue::look() const {
  const Time ahead = std::max<Time>(freeAt_ - now(), 0);
  return {stats_, work_ - ahead, static_cast<std::int64_t>(waiting_.size()), waitingBytes_, 0};
}

// What is delivered at the time of a report comes after it and is still under way.
void CountedQueue::tellInFlight() {
  Enter_Method_Silent();
  while (!departed_.empty() && departed_.front().delivered < now()) departed_.pop_front();
  for (Hop* hop : marked_) hop->ce_in_flight = 0;
  for (const Departed& packet : departed_) ++packet.hop->ce_in_flight;
  for (const auto& [packet, held] : waiting_) {
    if (!held.ce || !held.hop) continue;
    marked_.insert(held.hop);
    ++held.hop->ce_in_flight;
  }
}

void CountedQueue::reconfigure(const std::vector<std::pair<std::size_t, double>>&) {
  throw BadParameter(plan_.name + ": a counted queue has no marking law to change");
}

}  // namespace ecnomy::omnet
