// SPDX-License-Identifier: LGPL-3.0-or-later
// INET's network interface with a name of one's own, by which routes choose it. In Qtenv it says the name of the
// link that its queue stands for: directive %l.
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
