// SPDX-License-Identifier: LGPL-3.0-or-later
// The assignment of packets to sources: registered sources and links, and labels read from headers.
#include <algorithm>

#include "inet/common/packet/Packet.h"
#include "inet/networklayer/ipv4/Ipv4Header_m.h"
#include "inet/transportlayer/tcp_common/TcpHeader.h"
#include "inet/transportlayer/udp/UdpHeader_m.h"
#include "market/MarketBridge.h"
#include "tcp/FlowTag.h"
#include "traffic/DatagramTag.h"

namespace ecnomy::omnet {

using omnetpp::cRuntimeError;

namespace {

// The place for `index` in `list`, created if necessary. Throws if the place is taken.
template <class T, class Taken>
std::size_t place(std::vector<T>& list, int index, const char* what, Taken&& taken) {
  const std::size_t at = index < 0 ? list.size() : static_cast<std::size_t>(index);
  if (at >= list.size()) list.resize(at + 1);
  if (taken(list[at])) throw cRuntimeError("there are two %s of index %d", what, index);
  return at;
}

}  // namespace

MarketBridge* MarketBridge::find() {
  omnetpp::cModule* network = omnetpp::getSimulation()->getSystemModule();
  return dynamic_cast<MarketBridge*>(network->getSubmodule("market"));
}

MarketBridge& MarketBridge::of(const omnetpp::cComponent* asking) {
  MarketBridge* found = find();
  if (!found) {
    throw cRuntimeError("%s needs a MarketBridge called 'market' in the network",
                        asking->getFullPath().c_str());
  }
  return *found;
}

int MarketBridge::addLink(int index, const LinkPlan& plan, IMarkingLink* link) {
  if (index < 0) index = placeOf("links", plan.name);
  const std::size_t at = place(links_, index, "links", [](auto* host) { return host != nullptr; });
  links_[at] = link;
  if (plan_.links.size() < links_.size()) plan_.links.resize(links_.size());
  plan_.links[at] = plan;
  return static_cast<int>(at);
}

int MarketBridge::addSource(int index, const SourcePlan& plan, const inet::L3Address& remote,
                            int port, ISource* source) {
  if (index < 0) index = placeOf("sources", plan.name);
  const std::size_t at =
      place(sources_, index, "sources", [](const Source& entry) { return entry.host != nullptr; });
  sources_[at] = {source, remote, port, 0};
  if (plan_.sources.size() < sources_.size()) plan_.sources.resize(sources_.size());
  plan_.sources[at] = plan;
  return static_cast<int>(at);
}

ISource* MarketBridge::sourceNamed(const std::string& name) const {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].host && plan_.sources[i].name == name) return sources_[i].host;
  }
  return nullptr;
}

void MarketBridge::checkClass(const SourcePlan& source, const Hop& hop) const {
  const LinkPlan& link = plan_.links[static_cast<std::size_t>(hop.link)];
  const int classes = static_cast<int>(link.scheduler.classes.size());
  if (hop.service_class == -1 || (hop.service_class >= 0 && hop.service_class < classes)) return;
  throw cRuntimeError("source '%s' is in class %d of link '%s', which has %d classes",
                      source.name.c_str(), hop.service_class, link.name.c_str(), classes);
}

void MarketBridge::openBooks() {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (!links_[i]) throw cRuntimeError("no link has index %d", static_cast<int>(i));
  }
  int flow = 0;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    Source& source = sources_[i];
    if (!source.host) throw cRuntimeError("no source has index %d", static_cast<int>(i));
    source.firstFlow = flow;
    SourcePlan& plan = plan_.sources[i];
    plan.path = linksOf(plan, source.host->path(false));
    plan.ack_path = linksOf(plan, source.host->path(true));
    const int index = static_cast<int>(i);
    if (!source.remote.isUnspecified()) {
      peers_[source.remote.toIpv4().getInt()].push_back({source.port, plan.count, index, flow});
    }
    for (const auto& [path, classes] :
         {std::pair(&plan.path, &plan.classes), std::pair(&plan.ack_path, &plan.ack_classes)}) {
      std::uint32_t hop = accounts_.add_path(*path, *classes, index);
      hops_.emplace_back();
      for (const std::int32_t link : *path) {
        checkClass(plan, accounts_.hops[hop]);
        hops_.back().emplace_back(link, hop++);
      }
    }
    flow += plan.count;
  }
  accounts_.delay_thresholds = plan_.record.delay_thresholds;
  accounts_.open(static_cast<std::size_t>(flow));
  opened_ = true;
}

const MarketBridge::Peer* MarketBridge::peer(const inet::L3Address& address, int port) const {
  if (address.getType() != inet::L3Address::IPv4) return nullptr;
  const auto found = peers_.find(address.toIpv4().getInt());
  if (found == peers_.end()) return nullptr;
  for (const Peer& entry : found->second) {
    if (port >= entry.port && port < entry.port + entry.count) return &entry;
  }
  return nullptr;
}

Label MarketBridge::label(const inet::L3Address& from, int fromPort, const inet::L3Address& to,
                          int toPort) const {
  Label label;
  const Peer* found = peer(to, toPort);
  int port = toPort;
  if (!found) {
    found = peer(from, fromPort);
    port = fromPort;
    label.ack = found != nullptr;
  }
  if (!found) return label;
  label.source = found->source;
  label.flow = found->firstFlow + port - found->port;
  return label;
}

// The label for a connection of a host that is part of a source.
Label MarketBridge::hostLabel(const inet::tcp::TcpHeader& tcp) const {
  Label label;
  const auto tag = tcp.findTag<FlowTag>();
  if (!tag || tag->payer < 0) return label;
  label.flow = tag->payer;
  while (label.source + 1 < static_cast<int>(sources_.size()) &&
         sources_[static_cast<std::size_t>(label.source + 1)].firstFlow <= label.flow) {
    ++label.source;
  }
  return label;
}

Label MarketBridge::label(const inet::Packet* packet, inet::b offset) const {
  const auto& ip = packet->peekDataAt<inet::Ipv4Header>(offset);
  const inet::b behind = offset + ip->getChunkLength();
  const inet::B payload = ip->getTotalLengthField() - ip->getHeaderLength();
  if (ip->getFragmentOffset() != 0) return {};
  if (ip->getProtocolId() == inet::IP_PROT_TCP) {
    const auto& tcp = packet->peekDataAt<inet::tcp::TcpHeader>(behind);
    Label found =
        label(ip->getSrcAddress(), tcp->getSrcPort(), ip->getDestAddress(), tcp->getDestPort());
    if (found.source < 0 && !kept_.empty()) found = hostLabel(*tcp);
    found.data = !found.ack && payload > tcp->getHeaderLength();
    found.seq = tcp->getSequenceNo();
    return found;
  }
  if (ip->getProtocolId() != inet::IP_PROT_UDP) return {};
  const auto& udp = packet->peekDataAt<inet::UdpHeader>(behind);
  Label found =
      label(ip->getSrcAddress(), udp->getSrcPort(), ip->getDestAddress(), udp->getDestPort());
  found.data = found.source >= 0 && !found.ack;
  const DatagramTag* tag = accounts_.trace ? DatagramTag::of(packet) : nullptr;
  if (tag) found.seq = tag->seq;
  return found;
}

Hop* MarketBridge::hop(const Label& label, int link) {
  if (label.source < 0) return nullptr;
  for (const auto& [at, hop] : hops_[static_cast<std::size_t>(2 * label.source + label.ack)]) {
    if (at == link) return &accounts_.hops[hop];
  }
  return nullptr;
}

}  // namespace ecnomy::omnet
