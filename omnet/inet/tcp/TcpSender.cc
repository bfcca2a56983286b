// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tcp/TcpSender.h"

#include <cstdio>
#include <string>

#include "host/traffic_parts.h"
#include "inet/common/ModuleAccess.h"
#include "results/Watching.h"

namespace ecnomy::omnet {

using omnetpp::cMessage;
using omnetpp::cRuntimeError;

Define_Module(TcpSender);

// Checks the plan's sizes: INET's headers have 40 bytes.
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
  watchWindows();
}

void TcpSender::startMember(int member) { at(member).start(now()); }

// TCP's messages about its connections are ignored, since the flows have this information.
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

TcpSender::Connected TcpSender::connected() const {
  Connected out;
  for (const auto& member : members_) {
    if (member->sender().closed()) continue;
    ++out.flows;
    out.windows += member->sender().window().cwnd;
  }
  return out;
}

void TcpSender::sample(const Sample& sample) {
  static const omnetpp::simsignal_t kMeanWindow = registerSignal("meanWindow");
  SourceBase::sample(sample);
  const Connected now = connected();
  if (now.flows > 0) getParentModule()->emit(kMeanWindow, now.windows / now.flows);
}

// Watches the state of each window law, for Qtenv.
void TcpSender::watchWindows() {
  watchEach(
      "windows", [this] { return static_cast<int>(members_.size()); },
      [this](int member) {
        const FlowState state = this->state(member);
        const Window& window = at(member).sender().window();
        char text[160];
        std::snprintf(text, sizeof text,
                      "%s: cwnd %.4g, ssthresh %.4g, srtt %.4g s, weight %.4g, in flight %lld",
                      at(member).sender().closed() ? "closed" : "connected", state.cwnd,
                      window.ssthresh, state.srtt_s, state.weight,
                      static_cast<long long>(stats(member).under_way()));
        return std::string(text);
      });
}

void TcpSender::refreshDisplay() const {
  const Connected now = connected();
  char text[64];
  std::snprintf(text, sizeof text, "%d connected\nmean window %.1f", now.flows,
                now.flows > 0 ? now.windows / now.flows : 0.0);
  getDisplayString().setTagArg("t", 0, text);
}

}  // namespace ecnomy::omnet
