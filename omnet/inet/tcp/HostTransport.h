// SPDX-License-Identifier: LGPL-3.0-or-later
// A host's own choice of transport, from a MarketTcp's parameters: for connections of applications that the
// market does not know.
#ifndef ECNOMY_INET_TCP_HOSTTRANSPORT_H_
#define ECNOMY_INET_TCP_HOSTTRANSPORT_H_

#include <omnetpp.h>

#include <string>

#include "host/plan.h"

namespace ecnomy::omnet {

// With this window law, or that of parameter `law` where it is empty. Throws cRuntimeError naming the
// module and the parameter.
TransportPlan hostTransport(const omnetpp::cComponent* tcp, const std::string& law);

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_HOSTTRANSPORT_H_
