// SPDX-License-Identifier: LGPL-3.0-or-later
// An IPv4 routing table that parameters define completely: static routes, and addresses of the node in addition to
// those of its interfaces. There is one address for each source that begins or ends here, so that every source can have
// its own path.
#ifndef ECNOMY_INET_NODE_MARKETROUTINGTABLE_H_
#define ECNOMY_INET_NODE_MARKETROUTINGTABLE_H_

#include <cstdint>
#include <string>
#include <unordered_set>

#include "inet/networklayer/ipv4/Ipv4RoutingTable.h"

namespace ecnomy::omnet {

class MarketRoutingTable : public inet::Ipv4RoutingTable {
 public:
  using Ipv4RoutingTable::getInterfaceByAddress;
  using Ipv4RoutingTable::isLocalAddress;
  bool isLocalAddress(const inet::Ipv4Address& address) const override;
  inet::NetworkInterface* getInterfaceByAddress(const inet::Ipv4Address& address) const override;

 protected:
  void initialize(int stage) override;

 private:
  void readAddresses();
  void addressInterfaces();
  void addStaticRoutes();
  void addStaticRoute(const std::string& text);

  std::unordered_set<std::uint32_t> own_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_NODE_MARKETROUTINGTABLE_H_
