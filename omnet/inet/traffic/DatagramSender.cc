// SPDX-License-Identifier: LGPL-3.0-or-later
#include "traffic/DatagramSender.h"

#include "inet/common/Simsignals.h"
#include "inet/networklayer/common/EcnTag_m.h"
#include "queue/IpFrame.h"
#include "traffic/DatagramTag.h"

namespace ecnomy::omnet {

using omnetpp::cMessage;
using omnetpp::cRuntimeError;

namespace {

constexpr std::int32_t kIpAndUdpBytes = 28;

inet::Ptr<const inet::ByteCountChunk> chunk(std::int32_t bytes) {
  const auto made = inet::makeShared<inet::ByteCountChunk>(inet::B(bytes));
  made->markImmutable();
  return made;
}

}  // namespace

DatagramSender::~DatagramSender() {
  for (const Line& each : lines_) cancelAndDelete(each.timer);
}

// The IP packet has the plan's size. If the plan's header is longer than IP's and UDP's, the difference is
// payload here.
void DatagramSender::openMembers() {
  const std::int32_t bytes = packetBytes() - kIpAndUdpBytes;
  if (bytes < 1 || port_ + plan().count > 65'536) {
    throw cRuntimeError(
        "%s: a datagram has at least 29 bytes and a source's ports end at 65535, "
        "found %d bytes and ports %d to %d",
        getParentModule()->getFullPath().c_str(), packetBytes(), port_, port_ + plan().count - 1);
  }
  payload_ = chunk(bytes);
  socket_.setOutputGate(gate("socketOut"));
  socket_.bind(local_, port_);
  for (int member = 0; member < plan().count; ++member) {
    lines_.push_back({stream(member, "overhead"), new cMessage("due")});
    lines_.back().timer->setContextPointer(reinterpret_cast<void*>(std::intptr_t{member}));
  }
}

void DatagramSender::startMember(int member) {
  line(member).started = true;
  begin(member);
}

void DatagramSender::handleOther(cMessage* message) {
  if (message->isSelfMessage()) {
    return due(static_cast<int>(reinterpret_cast<std::intptr_t>(message->getContextPointer())));
  }
  EV_WARN << "UDP says: " << message << "\n";  // the receiver has no socket (ICMP)
  delete message;
}

bool DatagramSender::active(int member) const {
  return line(member).started && line(member).ordered && !stopped();
}

void DatagramSender::takeOrder(int member, const FlowOrder& order) {
  line(member).ordered = order.active;
}

FlowState DatagramSender::state(int member) { return {0, active(member), 0, 0, 0, 0, {}}; }

Time DatagramSender::drawOverhead(int member) {
  const Time most = plan().send_overhead_ps;
  if (most <= 0) return 0;
  return static_cast<Time>(line(member).overhead() * static_cast<double>(most));
}

void DatagramSender::wake(int member, Time at) { scheduleAt(simtime(at), line(member).timer); }

// `payload` is the plan's payload. INET's payload is larger if the plan's header is longer than IP's and UDP's.
void DatagramSender::sendDatagram(int member, std::uint16_t call, std::int32_t payload) {
  const std::int32_t bytes = payload + plan().transport.header_bytes;
  FlowStats& stats = this->stats(member);
  auto* packet = new inet::Packet(
      plan().name.c_str(), bytes == packetBytes() ? payload_ : chunk(bytes - kIpAndUdpBytes));
  const auto tag = packet->addRegionTag<DatagramTag>();
  tag->seq = stats.sent;
  tag->call = call;
  if (plan().transport.ect) {
    packet->addTag<inet::EcnReq>()->setExplicitCongestionNotification(
        ecnField(true, plan().transport.ect_1));
  }
  packet->setTimestamp(omnetpp::simTime());
  const Accounts& accounts = market_->accounts();
  if (accounts.tally) accounts.tally->sent(flowOf(member), now());
  if (accounts.trace) {
    accounts.trace->add(now(), TraceEvent::send, -1, flowOf(member), stats.sent, bytes, false);
  }
  ++stats.sent;
  stats.sent_bytes += bytes;
  ++sent_;
  emit(inet::packetSentSignal, packet);
  socket_.sendTo(packet, remote_, port_ + member);
}

std::string DatagramSender::display() const { return "sent " + std::to_string(sent_); }

// Shows the text on the source, which is visible in the host.
void DatagramSender::refreshDisplay() const {
  getParentModule()->getDisplayString().setTagArg("t", 0, display().c_str());
}

}  // namespace ecnomy::omnet
