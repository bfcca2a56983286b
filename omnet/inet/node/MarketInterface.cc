// SPDX-License-Identifier: LGPL-3.0-or-later
#include "node/MarketInterface.h"

#include "inet/common/InitStages.h"

namespace ecnomy::omnet {

Define_Module(MarketInterface);

void MarketInterface::initialize(int stage) {
  NetworkInterface::initialize(stage);
  if (stage != inet::INITSTAGE_LOCAL) return;
  const std::string name = par("interfaceName").stdstringValue();
  if (!name.empty()) setInterfaceName(name.c_str());
}

std::string MarketInterface::resolveDirective(char directive) const {
  if (directive != 'l') return inet::NetworkInterface::resolveDirective(directive);
  const omnetpp::cModule* queue = getSubmodule("queue");
  const bool named = queue && queue->hasPar("linkName");
  return named ? queue->par("linkName").stdstringValue() : getInterfaceName();
}

}  // namespace ecnomy::omnet
