// SPDX-License-Identifier: LGPL-3.0-or-later
#include "node/MarketRoutingTable.h"

#include <sstream>

#include "inet/networklayer/contract/IInterfaceTable.h"
#include "inet/networklayer/ipv4/Ipv4InterfaceData.h"
#include "inet/networklayer/ipv4/Ipv4Route.h"

namespace ecnomy::omnet {

using inet::Ipv4Address;
using inet::NetworkInterface;
using omnetpp::cRuntimeError;

Define_Module(MarketRoutingTable);

namespace {

constexpr std::uint32_t kShared = 0x64400000;  // 100.64.0.0/10 (RFC 6598), not used by sources

Ipv4Address address(const std::string& text, const char* parameter) {
  if (!Ipv4Address::isWellFormed(text.c_str())) {
    throw cRuntimeError("parameter '%s': '%s' is not an IPv4 address", parameter, text.c_str());
  }
  return Ipv4Address(text.c_str());
}

}  // namespace

void MarketRoutingTable::initialize(int stage) {
  if (stage == inet::INITSTAGE_NETWORK_ADDRESS_ASSIGNMENT) addressInterfaces();
  Ipv4RoutingTable::initialize(stage);
  if (stage == inet::INITSTAGE_LOCAL) readAddresses();
  if (stage == inet::INITSTAGE_STATIC_ROUTING) addStaticRoutes();
}

void MarketRoutingTable::readAddresses() {
  std::istringstream text(par("localAddresses").stdstringValue());
  for (std::string word; text >> word;) own_.insert(address(word, "localAddresses").getInt());
}

// IPv4 accepts datagrams from an interface without an address as its own, so each interface needs an address.
void MarketRoutingTable::addressInterfaces() {
  for (int i = 0; i < ift->getNumInterfaces(); ++i) {
    NetworkInterface* interface = ift->getInterface(i);
    auto* data = interface->addProtocolDataIfAbsent<inet::Ipv4InterfaceData>();
    if (interface->isLoopback()) {
      data->setIPAddress(Ipv4Address::LOOPBACK_ADDRESS);
      data->setNetmask(Ipv4Address::LOOPBACK_NETMASK);
    } else {
      data->setIPAddress(Ipv4Address(kShared + static_cast<std::uint32_t>(interface->getId())));
      data->setNetmask(Ipv4Address::ALLONES_ADDRESS);
    }
    data->setMetric(1);
  }
}

void MarketRoutingTable::addStaticRoutes() {
  std::istringstream text(par("routes").stdstringValue());
  for (std::string word; text >> word;) addStaticRoute(word);
}

// The text has the form address/prefix>interface.
void MarketRoutingTable::addStaticRoute(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::size_t arrow = text.find('>');
  int prefix = -1;
  if (slash != std::string::npos && arrow != std::string::npos && slash < arrow) {
    std::istringstream number(text.substr(slash + 1, arrow - slash - 1));
    if (!(number >> prefix) || !number.eof()) prefix = -1;
  }
  if (prefix < 0 || prefix > 32) {
    throw cRuntimeError("parameter 'routes': '%s' must have the form 10.0.0.2/32>ppp0",
                        text.c_str());
  }
  const std::string name = text.substr(arrow + 1);
  NetworkInterface* interface = ift->findInterfaceByName(name.c_str());
  if (!interface) {
    throw cRuntimeError("parameter 'routes': '%s': the node has no interface '%s'", text.c_str(),
                        name.c_str());
  }
  const Ipv4Address netmask = Ipv4Address::makeNetmask(prefix);
  const Ipv4Address destination = address(text.substr(0, slash), "routes").doAnd(netmask);
  auto* route = new inet::Ipv4Route();
  route->setDestination(destination);
  route->setNetmask(netmask);
  route->setInterface(interface);
  route->setSourceType(inet::IRoute::MANUAL);
  route->setMetric(1);
  addRoute(route);
}

bool MarketRoutingTable::isLocalAddress(const Ipv4Address& address) const {
  return own_.count(address.getInt()) != 0 || Ipv4RoutingTable::isLocalAddress(address);
}

NetworkInterface* MarketRoutingTable::getInterfaceByAddress(const Ipv4Address& address) const {
  if (own_.count(address.getInt()) != 0) return ift->findFirstLoopbackInterface();
  return Ipv4RoutingTable::getInterfaceByAddress(address);
}

}  // namespace ecnomy::omnet
