// SPDX-License-Identifier: LGPL-3.0-or-later
#include "node/MarketInterface.h"

namespace ecnomy::omnet {

Define_Module(MarketInterface);

std::string MarketInterface::resolveDirective(char directive) const {
  if (directive != 'l') return inet::NetworkInterface::resolveDirective(directive);
  const omnetpp::cModule* queue = getSubmodule("queue");
  const bool named = queue && queue->hasPar("linkName");
  return named ? queue->par("linkName").stdstringValue() : getInterfaceName();
}

}  // namespace ecnomy::omnet
