// SPDX-License-Identifier: LGPL-3.0-or-later
#include "node/MarketInterface.h"

#include <string>

#include "inet/common/InitStages.h"

namespace ecnomy::omnet {

Define_Module(MarketInterface);

void MarketInterface::initialize(int stage) {
  NetworkInterface::initialize(stage);
  if (stage != inet::INITSTAGE_LOCAL) return;
  const std::string name = par("interfaceName").stdstringValue();
  if (!name.empty()) setInterfaceName(name.c_str());
}

}  // namespace ecnomy::omnet
