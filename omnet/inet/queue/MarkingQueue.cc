// SPDX-License-Identifier: LGPL-3.0-or-later
// A MarkingQueue as an INET queue: set-up, arrivals, departures and display. MarkingQueueAccounts.cc contains accounts
// and decisions.
#include "queue/MarkingQueue.h"

#include <algorithm>
#include <cmath>

#include "inet/common/ModuleAccess.h"
#include "inet/common/Simsignals.h"
#include "parameters/Parameters.h"
#include "queue/IpFrame.h"
#include "queue/LawView.h"
#include "results/Watching.h"
#include "results/Weight.h"

namespace ecnomy::omnet {

using inet::Packet;
using omnetpp::cMessage;
using omnetpp::cRuntimeError;
using omnetpp::simsignal_t;

Define_Module(MarkingQueue);

simsignal_t MarkingQueue::waitingSignal_ = registerSignal("waiting");
simsignal_t MarkingQueue::markedSignal_ = registerSignal("marked");
simsignal_t MarkingQueue::probabilitySignal_ = registerSignal("markingProbability");

simsignal_t MarkingQueue::queueSampleSignal_ = registerSignal("queueSample");
simsignal_t MarkingQueue::queueMeanSignal_ = registerSignal("queueMean");
simsignal_t MarkingQueue::probabilitySampleSignal_ = registerSignal("markingProbabilitySample");
simsignal_t MarkingQueue::markedShareSignal_ = registerSignal("markedShare");

MarkingQueue::~MarkingQueue() { cancelAndDelete(timer_); }

void MarkingQueue::initialize(int stage) {
  PacketQueueBase::initialize(stage);
  if (stage == inet::INITSTAGE_LOCAL) {
    interface_ = inet::findContainingNicModule(this);
    if (!interface_) throw cRuntimeError("A marking queue belongs in a network interface");
    collector_ = inet::findConnectedModule<inet::queueing::IActivePacketSink>(outputGate);
    readPlan();
    market_ = MarketBridge::find();
    if (market_) {
      link_ = market_->addLink(static_cast<int>(par("linkIndex").intValue()), plan_, this);
      beSampled();
    }
  } else if (stage == inet::INITSTAGE_QUEUEING) {
    checkPacketOperationSupport(inputGate);
    checkPacketOperationSupport(outputGate);
    openLaw();
    wire_.emplace(make_wire(plan_, seed()));
    watchLaw();
    tellListeners();
  }
}

void MarkingQueue::readPlan() {
  const auto bytes = [this](const char* name) {
    return static_cast<std::int32_t>(par(name).intValue());
  };
  plan_.name = par("linkName").stdstringValue();
  plan_.source = plan_.target = -1;
  plan_.buffer_packets = par("bufferPackets").intValue();
  plan_.buffer_bytes = par("bufferBytes").intValue();
  plan_.framing_bytes = bytes("framing");
  plan_.drop_not_ect = par("notEct").stdstringValue() == "drop";
  plan_.stream = par("stream").stdstringValue();
  plan_.loss = par("loss").doubleValue();
  plan_.loss_stream = par("lossStream").stdstringValue();
  if (!(plan_.loss >= 0 && plan_.loss < 1))
    throw cRuntimeError("loss must be at least 0 and below 1");
  plan_.reordering = {par("reordering").doubleValue(), timeParameter(this, "reorderingDelay"),
                      par("reorderingStream").stdstringValue()};
  if (!(plan_.reordering.probability >= 0 && plan_.reordering.probability <= 1))
    throw cRuntimeError("reordering must be a probability from 0 to 1");
  plan_.delay_profile = delayProfile(this);
  readLaw();
  shortest_ = bytes("shortest");
  gap_ = bytes("gap");
  omnetpp::cChannel* channel = interface_->getTxTransmissionChannel();
  plan_.delay_ps = channel && channel->hasPar("delay") ? timeParameter(channel, "delay") : Time{0};
  const double datarate = interface_->getDatarate();
  plan_.rate_bps = datarate > 0 ? std::llround(datarate) : 0;
  if (plan_.framing_bytes < 0 || shortest_ < 0 || gap_ < 0 || gap_ > plan_.framing_bytes) {
    throw cRuntimeError("framing, shortest and gap are bytes, and gap is part of framing");
  }
}

void MarkingQueue::readLaw() { plan_.marking = lawParameters(this, "marking"); }

std::uint64_t MarkingQueue::seed() {
  return market_ ? market_->seed() : static_cast<std::uint64_t>(par("seed").intValue());
}

void MarkingQueue::openLaw() {
  try {
    law_.emplace(plan_.marking.law, plan_.marking.values, Stream(seed(), plan_.stream));
  } catch (const BadParameter& error) {
    throw cRuntimeError("%s", error.what());
  }
  if (law_->first_timer() == kNever) return;
  timer_ = new cMessage("marking law");
  scheduleAt(simtime(law_->first_timer()), timer_);
}

// The interface may get its rate late, and a channel's rate can change. A disconnected channel has no rate.
void MarkingQueue::adoptRate() {
  const double datarate = interface_->getDatarate();
  if (datarate == datarate_) return;
  if (!(datarate >= 1) && datarate_ > 0) return;
  if (!(datarate >= 1) || datarate > 1e15) {
    throw cRuntimeError("The interface has no datarate that a marking queue can use");
  }
  datarate_ = datarate;
  plan_.rate_bps = std::llround(datarate);
}

void MarkingQueue::handleMessage(cMessage* message) {
  if (message != timer_) return PacketQueueBase::handleMessage(message);
  adoptRate();
  const Time time = now();
  catchUp(time);
  const Time next = law_->on_timer(view(time), time);
  if (next != kNever) scheduleAt(simtime(next), timer_);
  tellListeners();
}

Time MarkingQueue::held(Packet* packet) {
  Enter_Method_Silent();
  const Time held = wire_->held(now());
  if (held == 0) return held;
  const Slot slot = look(packet, now());
  if (held == kNever) {
    countDrop(slot, false, now());
  } else {
    underWay_.late(slot.ce ? slot.hop : nullptr, now() + held);
  }
  return held;
}

void MarkingQueue::pushPacket(Packet* packet, QueueGate*) {
  Enter_Method("pushPacket");
  take(packet);
  adoptRate();
  const Time time = now();
  catchUp(time);
  Slot slot = look(packet, time);
  queue_.arrived(link_, slot.bytes, accounts(slot), time);
  if (!enter(slot, time)) return tellListeners();
  if (collector_) collector_->handleCanPullPacketChanged(outputGate->getPathEndGate());
  tellListeners();
}

Packet* MarkingQueue::canPullPacket(QueueGate*) const { return isEmpty() ? nullptr : getPacket(0); }

Packet* MarkingQueue::pullPacket(QueueGate*) {
  Enter_Method("pullPacket");
  if (slots_.empty()) throw cRuntimeError("there is no packet to pull");
  // An interface flushes its queue when the network is deleted. The market may then be gone already.
  if (omnetpp::getSimulation()->getSimulationStage() != omnetpp::CTX_CLEANUP) depart();
  Packet* packet = slots_.front().packet;
  slots_.pop_front();
  storage_.remove(packet);
  emit(inet::packetPulledSignal, packet);
  if (omnetpp::getEnvir()->isGUI()) animatePulled(packet);
  tellListeners();
  return packet;
}

// Called when the first packet goes to the transmitter.
void MarkingQueue::depart() {
  adoptRate();
  const Time time = now();
  catchUp(time);
  if (!begun_) {
    choose(time, true);
    begin(slots_.front(), time);
  }
  Slot& head = slots_.front();
  begun_ = false;
  const Time sent = time + transmission_ps(head.wireBytes, plan_.rate_bps);
  queue_.free_at = std::max(queue_.free_at, sent);
  const Time delivered = sent - transmission_ps(gap_, plan_.rate_bps) + plan_.delay_ps;
  underWay_.depart(head.ce ? head.hop : nullptr, delivered, time);
}

Packet* MarkingQueue::getPacket(int index) const {
  return slots_.at(static_cast<std::size_t>(index)).packet;
}

void MarkingQueue::removePacket(Packet* packet) {
  Enter_Method("removePacket");
  const Time time = now();
  catchUp(time);
  const auto found = std::find_if(slots_.begin(), slots_.end(),
                                  [&](const Slot& slot) { return slot.packet == packet; });
  if (found == slots_.end()) throw cRuntimeError("the packet to remove is not in the queue");
  forget(static_cast<std::size_t>(found - slots_.begin()), false, time);
  emit(inet::packetRemovedSignal, packet);
  tellListeners();
}

void MarkingQueue::removeAllPackets() {
  Enter_Method("removeAllPackets");
  while (!slots_.empty()) {
    Packet* packet = slots_.back().packet;
    removePacket(packet);
    delete packet;
  }
}

LinkState MarkingQueue::state() {
  Enter_Method_Silent();
  const Time time = now();
  catchUp(time);
  queue_.account(time);
  updateLaw(time);
  return look();
}

LinkState MarkingQueue::look() const {
  return {queue_.stats, queue_.busy_ps(now()), queue_.packets, queue_.bytes, probability()};
}

void MarkingQueue::reconfigure(const std::vector<std::pair<std::size_t, double>>& changes) {
  Enter_Method_Silent();
  std::vector<double> values = plan_.marking.values;
  for (const auto& [parameter, value] : changes) values.at(parameter) = value;
  law_->configure(values);
  plan_.marking.values = values;
}

void MarkingQueue::tellListeners() {
  if (emittedWaiting_ != queue_.packets) {
    emittedWaiting_ = queue_.packets;
    cSimpleModule::emit(waitingSignal_, static_cast<omnetpp::intval_t>(emittedWaiting_));
  }
  if (mayHaveListeners(probabilitySignal_)) cSimpleModule::emit(probabilitySignal_, probability());
}

void MarkingQueue::watchLaw() {
  WATCH(queue_.packets);
  WATCH(queue_.bytes);
  WATCH(queue_.stats.arrivals);
  WATCH(queue_.stats.marks);
  WATCH(queue_.stats.drops);
  watch("law", [this] {
    const std::string& name = plan_.scheduler.law.law;
    if (!name.empty()) return name + ": probability " + std::to_string(probability());
    const MarkingHost* host = law_->builtIn();
    return plan_.marking.law + ": " +
           (host ? describeLaw(*host) : "probability " + std::to_string(law_->probability()));
  });
}

// Subscribes to sampling. Without a market there are no samples, and hence no vectors. Links that cannot mark have no
// vectors of marks.
void MarkingQueue::beSampled() {
  std::vector<simsignal_t> signals{queueSampleSignal_, queueMeanSignal_};
  if (plan_.marking.law != DropTail::kName || !plan_.scheduler.classes.empty()) {
    signals.insert(signals.end(), {markedShareSignal_, probabilitySampleSignal_});
  }
  for (const simsignal_t signal : signals) {
    const char* name = getSignalName(signal);
    omnetpp::cProperty* how = getProperties()->get("statisticTemplate", name);
    omnetpp::getEnvir()->addResultRecorders(this, signal, name, how);
  }
  market_->addSampled(this);
}

// All accounts are up to date (see ISampled). Recorders made from a template do not filter out the warm-up.
void MarkingQueue::sample(const Sample& sample) {
  const LinkStats before = std::exchange(sampledStats_, queue_.stats);
  if (!sample.measured()) return;
  cSimpleModule::emit(queueSampleSignal_, static_cast<omnetpp::intval_t>(queue_.packets));
  cSimpleModule::emit(probabilitySampleSignal_, probability());
  if (!sample.counts()) return;
  const double integral = queue_.stats.queue_integral_ps - before.queue_integral_ps;
  cSimpleModule::emit(queueMeanSignal_, integral / static_cast<double>(sample.to - sample.from));
  const std::int64_t arrivals = queue_.stats.arrivals - before.arrivals;
  Weight weight(static_cast<double>(arrivals));
  cSimpleModule::emit(markedShareSignal_, share(queue_.stats.marks - before.marks, arrivals),
                      &weight);
}

std::string MarkingQueue::resolveDirective(char directive) const {
  switch (directive) {
    case 'w':
      return std::to_string(queue_.packets);
    case 'm':
      return std::to_string(queue_.stats.marks);
    case 'x':
      return std::to_string(queue_.stats.drops);
    default:
      return PacketQueueBase::resolveDirective(directive);
  }
}

}  // namespace ecnomy::omnet
