// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tcp/TcpSender.h"

#include <cstdio>

#include "host/traffic_parts.h"
#include "inet/common/ModuleAccess.h"

namespace ecnomy::omnet {

using omnetpp::cMessage;
using omnetpp::cRuntimeError;

Define_Module(TcpSender);

// INET's headers have 40 bytes.
void TcpSender::checkSizes() const {
  const TransportPlan& transport = plan().transport;
  const int headers = static_cast<int>(FlowSender::kHeaders);
  const std::string source = getParentModule()->getFullPath();
  if (transport.ack_bytes != headers) {
    throw cRuntimeError("%s: parameter 'ack' is %d bytes, INET's TCP has ACKs of %d",
                        source.c_str(), transport.ack_bytes, headers);
  }
  if (transport.payload_bytes + transport.header_bytes <= headers) {
    throw cRuntimeError("%s: parameters 'mss' and 'header' make a packet of %d bytes, too short",
                        source.c_str(), transport.payload_bytes + transport.header_bytes);
  }
}

void TcpSender::openMembers() {
  checkSizes();
  auto* tcp = inet::getModuleFromPar<MarketTcp>(par("tcpModule"), this);
  const SourcePlan& source = market_->sourcePlan(index());
  if (source.traffic.law == Web::kName) web_.emplace(make_web(source));
  for (int member = 0; member < source.count; ++member) {
    const TcpMember::Place place{this, tcp, market_, local_, remote_, port_ + member};
    const FlowSender::Identity identity{
        &source, member, flowOf(member), &market_->accounts(), nullptr, stream(member, "rtt")};
    members_.push_back(std::make_unique<TcpMember>(
        place, identity, stats(member), Outbox(source.send_overhead_ps, stream(member, "overhead")),
        stream(member, "traffic"), web_ ? &*web_ : nullptr));
  }
}

void TcpSender::startMember(int member) { at(member).start(now()); }

// What TCP tells of its connections is known from the flows.
void TcpSender::handleOther(cMessage* message) {
  if (!message->isSelfMessage()) {
    delete message;
    return;
  }
  static_cast<TcpMember*>(message->getContextPointer())->onTimer(message, now());
}

void TcpSender::takeOrder(int member, const FlowOrder& order) {
  Enter_Method_Silent();
  at(member).order(order, now());
}

FlowState TcpSender::state(int member) { return at(member).state(now()); }

void TcpSender::refreshDisplay() const {
  double windows = 0;
  int open = 0;
  for (const auto& member : members_) {
    if (member->sender().closed()) continue;
    ++open;
    windows += member->sender().window().cwnd;
  }
  char text[64];
  std::snprintf(text, sizeof text, "%d connected\nmean window %.1f", open,
                open > 0 ? windows / open : 0.0);
  getDisplayString().setTagArg("t", 0, text);
}

}  // namespace ecnomy::omnet
