// SPDX-License-Identifier: LGPL-3.0-or-later
// INET's network interface with a configurable name, which routes use. In Qtenv it shows the name of its
// queue's link (directive %l).
#ifndef ECNOMY_INET_NODE_MARKETINTERFACE_H_
#define ECNOMY_INET_NODE_MARKETINTERFACE_H_

#include <string>

#include "inet/networklayer/common/NetworkInterface.h"

namespace ecnomy::omnet {

class MarketInterface : public inet::NetworkInterface {
 public:
  std::string resolveDirective(char directive) const override;

 protected:
  void initialize(int stage) override;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_NODE_MARKETINTERFACE_H_
