// SPDX-License-Identifier: LGPL-3.0-or-later
#include "traffic/UdpSink.h"

#include <cstdio>

#include "inet/common/InitStages.h"
#include "inet/common/Simsignals.h"
#include "inet/common/packet/Packet.h"
#include "inet/networklayer/common/EcnTag_m.h"
#include "inet/transportlayer/common/L4PortTag_m.h"
#include "traffic/DatagramTag.h"
#include "traffic/WantedSource.h"

namespace ecnomy::omnet {

using omnetpp::cComponent;
using omnetpp::cMessage;
using omnetpp::cRuntimeError;
using omnetpp::simsignal_t;

Define_Module(UdpSink);

namespace {

constexpr std::int64_t kIpAndUdpBytes = 28;
const simsignal_t kDelay = cComponent::registerSignal("delay");

}  // namespace

void UdpSink::initialize(int stage) {
  if (stage == inet::INITSTAGE_LOCAL) {
    market_ = &MarketBridge::of(this);
    address_ = inet::L3Address(par("address").stringValue());
    port_ = static_cast<int>(par("port").intValue());
    count_ = static_cast<int>(par("count").intValue());
  } else if (stage == inet::INITSTAGE_APPLICATION_LAYER) {
    findSource();
    openSockets();
  }
}

void UdpSink::findSource() {
  const Label label = market_->label({}, 0, address_, port_);
  const WantedSource wanted(this);
  if (label.source < 0 || !wanted.is(label.source, market_->sourcePlan(label.source)) ||
      label.flow != market_->firstFlow(label.source) ||
      count_ != market_->sourcePlan(label.source).count) {
    throw cRuntimeError("no source%s sends to %s, ports %d to %d", wanted.words().c_str(),
                        address_.str().c_str(), port_, port_ + count_ - 1);
  }
  firstFlow_ = label.flow;
  figures_.open(this, *market_, label.source);
  market_->addSampled(this);
  listener_ = dynamic_cast<IDeliveryListener*>(market_->sourceHost(label.source));
}

void UdpSink::openSockets() {
  sockets_ = std::vector<inet::UdpSocket>(static_cast<std::size_t>(count_));
  int port = port_;
  for (inet::UdpSocket& socket : sockets_) {
    socket.setOutputGate(gate("socketOut"));
    socket.bind(address_, port++);
  }
}

void UdpSink::handleMessage(cMessage* message) {
  const auto* packet = dynamic_cast<const inet::Packet*>(message);
  if (packet) {
    receive(packet);
  } else {
    EV_WARN << "UDP says: " << message << "\n";
  }
  delete message;
}

void UdpSink::receive(const inet::Packet* packet) {
  const int member = packet->getTag<inet::L4PortInd>()->getDestPort() - port_;
  const int flow = firstFlow_ + member;
  const auto& ecn = packet->findTag<inet::EcnInd>();
  const bool ce = ecn && ecn->getExplicitCongestionNotification() == inet::IP_ECN_CE;
  const omnetpp::simtime_t age = omnetpp::simTime() - packet->getTimestamp();
  const std::int64_t bytes = packet->getByteLength() + kIpAndUdpBytes;
  const DatagramTag* tag = DatagramTag::of(packet);

  Accounts& accounts = market_->accounts();
  accounts.count_delivery(flow, bytes, age.raw(), ce, now());
  FlowStats& stats = market_->flow(flow);
  ++stats.acked;
  stats.acked_bytes += bytes;
  if (accounts.trace) {
    accounts.trace->add(now(), TraceEvent::deliver, -1, flow, tag ? tag->seq : -1, bytes, ce);
  }
  if (listener_ && tag) listener_->delivered(member, tag->call, age.raw(), ce);

  ++received_;
  marked_ += ce ? 1 : 0;
  delaySum_s_ += age.dbl();
  emit(inet::packetReceivedSignal, packet);
  emit(kDelay, age);
}

void UdpSink::refreshDisplay() const {
  char text[96] = "nothing yet";
  if (received_ > 0) {
    const double count = static_cast<double>(received_);
    std::snprintf(text, sizeof text, "%lld received\n%.2f %% CE, %.3g ms",
                  static_cast<long long>(received_), 100 * static_cast<double>(marked_) / count,
                  1e3 * delaySum_s_ / count);
  }
  getDisplayString().setTagArg("t", 0, text);
}

}  // namespace ecnomy::omnet
