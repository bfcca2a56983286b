// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tcp/MarketTcp.h"

#include <memory>
#include <utility>

#include "inet/common/INETUtils.h"
#include "inet/common/ProtocolTag_m.h"
#include "inet/networklayer/common/EcnTag_m.h"
#include "queue/IpFrame.h"
#include "tcp/HostTransport.h"
#include "tcp/MarketConnection.h"
#include "tcp/TcpMarketFlavour.h"

namespace ecnomy::omnet {

using inet::Packet;
using inet::tcp::TcpHeader;
using omnetpp::cMessage;

Define_Module(MarketTcp);

namespace {

// Returns the flow of a source, or of a host that is part of a source.
int flowOf(const FlowTag& tag) { return tag.flow >= 0 ? tag.flow : tag.payer; }

std::int64_t payloadBytes(const Packet& packet, const TcpHeader& header) {
  return packet.getByteLength() - inet::B(header.getHeaderLength()).get();
}

}  // namespace

void MarketTcp::initialize(int stage) {
  Tcp::initialize(stage);
  if (stage != inet::INITSTAGE_LOCAL) return;
  if (omnetpp::SimTime::getScaleExp() != -12) {
    throw omnetpp::cRuntimeError(
        "ecnomy counts in picoseconds: put simtime-resolution = ps into the ini file");
  }
  market_ = MarketBridge::find();
  warnedOfEcho_ = false;
  if (!par("source").stdstringValue().empty()) joinSource();
}

// The host joins the source with the law of its connections' flavour.
void MarketTcp::joinSource() {
  MarketBridge& market = MarketBridge::of(this);
  const std::string name = par("tcpAlgorithmClass").stdstringValue();
  const std::unique_ptr<omnetpp::cObject> made(
      inet::utils::createOneIfClassIsKnown(name.c_str(), "ecnomy::omnet::MarketTcp"));
  const auto* flavour = dynamic_cast<const TcpMarketFlavour*>(made.get());
  if (!flavour) {
    throw omnetpp::cRuntimeError(
        this,
        "A host that is part of source '%s' needs one of ecnomy's flavours, "
        "found tcpAlgorithmClass '%s'",
        par("source").stringValue(), name.c_str());
  }
  payer_ = HostSource::join(market, *this, hostTransport(this, flavour->law()));
}

bool MarketTcp::warnedOfEcho_ = false;

void MarketTcp::warnOfEcho(const std::string& law, const inet::L3Address& peer) {
  if (std::exchange(warnedOfEcho_, true)) return;
  std::string text = getFullPath() + ": the law '" + law + "' needs an echo of each mark, but ";
  text += peer.str() +
          " echoes no marks or as in RFC 3168, so that the rate does not follow the weight; ";
  text += "give that host ecnomy.tcp.MarketTcp, or this one a law such as reno ";
  text += "(shown once; other hosts may have the same problem)";
  omnetpp::getEnvir()->alert(text.c_str());
}

void MarketTcp::reset() {
  expected_.clear();
  serving_.clear();
  Tcp::reset();
}

inet::tcp::TcpConnection* MarketTcp::createConnection(int socketId) {
  return MarketConnection::make(*this, socketId, expected_.count(socketId) != 0);
}

FlowSender* MarketTcp::claim(int socketId) {
  const auto found = expected_.find(socketId);
  if (found == expected_.end()) return nullptr;
  FlowSender* flow = found->second;
  expected_.erase(found);
  return flow;
}

bool MarketTcp::receivesAt(const inet::L3Address& address, int port) const {
  if (!market_) return false;
  const Label label = market_->label({}, 0, address, port);
  return label.source >= 0 && !label.ack;
}

void MarketTcp::serves(int flow, MarketConnection* connection) {
  Enter_Method("serves");
  MarketConnection*& present = serving_[flow];
  MarketConnection* done = std::exchange(present, connection);
  if (!done) return;
  done->release();
  removeConnection(done);
}

void MarketTcp::servesNoLonger(int flow, const MarketConnection* connection) {
  const auto found = serving_.find(flow);
  if (found != serving_.end() && found->second == connection) serving_.erase(found);
}

void MarketTcp::segmentToIp(Packet* packet) {
  const Departure departure = std::exchange(departure_, Departure{});
  const auto& ecn = packet->addTagIfAbsent<inet::EcnReq>();
  const bool ect =
      departure.ect ||
      (!departure.notEct && ecn->getExplicitCongestionNotification() != inet::IP_ECN_NOT_ECT);
  ecn->setExplicitCongestionNotification(ecnField(ect, departure.ect1));
  if (departure.at <= now()) return leave(packet);
  scheduleAt(simtime(departure.at), packet);
}

void MarketTcp::handleSelfMessage(cMessage* message) {
  leave(omnetpp::check_and_cast<Packet*>(message));
}

// Called when the packet leaves its host.
void MarketTcp::leave(Packet* packet) {
  packet->setTimestamp(omnetpp::simTime());
  Trace* trace = market_ ? market_->accounts().trace : nullptr;
  if (trace) {
    const auto& header = packet->peekAtFront<TcpHeader>();
    const auto& tag = header->findTag<FlowTag>();
    if (tag && tag->flow >= 0 && tag->fromSender) {
      trace->add(now(), TraceEvent::send, -1, tag->flow, header->getSequenceNo(),
                 packet->getByteLength() + kIpHeader, false);
    }
  }
  send(packet, "ipOut");
}

void MarketTcp::handleLowerPacket(Packet* packet) {
  const auto& protocol = packet->findTag<inet::PacketProtocolTag>();
  if (!protocol || protocol->getProtocol() != &inet::Protocol::tcp) {
    return Tcp::handleLowerPacket(packet);
  }
  const auto header = packet->peekAtFront<TcpHeader>();
  const auto tag = header->findTag<FlowTag>();
  const auto& ecn = packet->findTag<inet::EcnInd>();
  arrival_.ce = ecn && ecn->getExplicitCongestionNotification() == inet::IP_ECN_CE;
  arrival_.sent = packet->getTimestamp().raw();
  arrival_.bytes = packet->getByteLength() + kIpHeader;
  arrival_.tag = tag.get();
  if (market_ && tag && flowOf(*tag) >= 0) count(*packet, *header);
  Tcp::handleLowerPacket(packet);
  arrival_ = Arrival{};
}

// Counts each packet that a host receives for a flow of the market, even if its connection discards the packet.
void MarketTcp::count(const Packet& packet, const TcpHeader& header) {
  const int flow = flowOf(*arrival_.tag);
  if (!arrival_.tag->fromSender || payloadBytes(packet, header) == 0) {
    if (arrival_.ce) ++market_->flow(flow).control_ce;
    return;
  }
  Accounts& books = market_->accounts();
  books.count_delivery(flow, arrival_.bytes, now() - arrival_.sent, arrival_.ce, now());
  if (books.trace) {
    books.trace->add(now(), TraceEvent::deliver, -1, flow, header.getSequenceNo(), arrival_.bytes,
                     arrival_.ce);
  }
}

// Late segments for a closed connection are not answered. RFC 793 requires an RST for each of them, and these RSTs
// would compete with the data of other flows.
void MarketTcp::segmentArrivalWhileClosed(Packet* packet, const inet::Ptr<const TcpHeader>& header,
                                          inet::L3Address from, inet::L3Address to) {
  if (arrival_.tag && arrival_.tag->flow >= 0 && !header->getSynBit()) {
    delete packet;
    return;
  }
  Tcp::segmentArrivalWhileClosed(packet, header, from, to);
}

}  // namespace ecnomy::omnet
