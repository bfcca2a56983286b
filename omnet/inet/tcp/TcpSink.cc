// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tcp/TcpSink.h"

#include <cstdio>
#include <string>

#include "inet/common/InitStages.h"
#include "inet/common/Simsignals.h"
#include "inet/common/packet/Message.h"
#include "inet/common/packet/Packet.h"
#include "inet/common/socket/SocketTag_m.h"
#include "inet/transportlayer/contract/tcp/TcpCommand_m.h"
#include "traffic/WantedSource.h"

namespace ecnomy::omnet {

using inet::TcpSocket;
using omnetpp::cMessage;
using omnetpp::cRuntimeError;

Define_Module(TcpSink);

namespace {

const omnetpp::simsignal_t kAccepted = omnetpp::cComponent::registerSignal("accepted");
const omnetpp::simsignal_t kFileComplete = omnetpp::cComponent::registerSignal("fileComplete");
const omnetpp::simsignal_t kConnected = omnetpp::cComponent::registerSignal("connected");

}  // namespace

void TcpSink::initialize(int stage) {
  if (stage == inet::INITSTAGE_LOCAL) {
    address_ = inet::L3Address(par("address").stringValue());
    port_ = static_cast<int>(par("port").intValue());
    count_ = static_cast<int>(par("count").intValue());
  } else if (stage == inet::INITSTAGE_APPLICATION_LAYER) {
    checkSource();
    listen();
    countSockets();
  }
}

void TcpSink::checkSource() {
  MarketBridge& market = MarketBridge::of(this);
  const Label label = market.label({}, 0, address_, port_);
  const WantedSource wanted(this);
  const bool found = label.source >= 0 &&
                     wanted.is(label.source, market.sourcePlan(label.source)) &&
                     label.flow == market.firstFlow(label.source) &&
                     count_ == market.sourcePlan(label.source).count;
  if (found) {
    figures_.open(this, market, label.source);
    return market.addSampled(this);
  }
  throw cRuntimeError("no source%s sends to %s, ports %d to %d", wanted.words().c_str(),
                      address_.str().c_str(), port_, port_ + count_ - 1);
}

void TcpSink::listen() {
  listening_ = std::vector<TcpSocket>(static_cast<std::size_t>(count_));
  int port = port_;
  for (TcpSocket& socket : listening_) {
    socket.setOutputGate(gate("socketOut"));
    socket.setCallback(this);
    socket.setTCPAlgorithmClass("ecnomy::omnet::TcpMarketFlavour");
    socket.bind(address_, port++);
    socket.listen();
  }
}

void TcpSink::handleMessage(cMessage* message) {
  const auto& tags = omnetpp::check_and_cast<inet::ITaggedObject*>(message)->getTags();
  const int id = tags.getTag<inet::SocketInd>()->getSocketId();
  const auto known = sockets_.find(id);
  if (known != sockets_.end()) {
    known->second->processMessage(message);
  } else if (message->getKind() == inet::TCP_I_AVAILABLE) {
    socketAvailable(nullptr,
                    omnetpp::check_and_cast<inet::TcpAvailableInfo*>(message->getControlInfo()));
    delete message;
  } else {
    delete message;
  }
  gone_.clear();
}

void TcpSink::socketAvailable(TcpSocket*, inet::TcpAvailableInfo* info) {
  auto socket = std::make_unique<TcpSocket>(info);
  socket->setOutputGate(gate("socketOut"));
  socket->setCallback(this);
  socket->accept(info->getNewSocketId());
  sockets_[info->getNewSocketId()] = std::move(socket);
  emit(kAccepted, ++accepted_);
  countSockets();
}

void TcpSink::socketDataArrived(TcpSocket*, inet::Packet* packet, bool) {
  bytes_ += packet->getByteLength();
  emit(inet::packetReceivedSignal, packet);
  delete packet;
}

void TcpSink::forget(TcpSocket* socket) {
  const auto known = sockets_.find(socket->getSocketId());
  if (known == sockets_.end()) return;
  gone_.push_back(std::move(known->second));
  sockets_.erase(known);
  countSockets();
}

void TcpSink::socketPeerClosed(TcpSocket*) { emit(kFileComplete, ++closed_); }

void TcpSink::countSockets() { emit(kConnected, static_cast<omnetpp::intval_t>(sockets_.size())); }

void TcpSink::refreshDisplay() const {
  char text[64];
  std::snprintf(text, sizeof text, "%zu connected\n%.3g MB", sockets_.size(),
                1e-6 * static_cast<double>(bytes_));
  getDisplayString().setTagArg("t", 0, text);
}

}  // namespace ecnomy::omnet
