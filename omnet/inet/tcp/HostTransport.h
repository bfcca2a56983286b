// SPDX-License-Identifier: LGPL-3.0-or-later
// The transport of a host, from a MarketTcp's parameters, for connections of applications outside the market.
#ifndef ECNOMY_INET_TCP_HOSTTRANSPORT_H_
#define ECNOMY_INET_TCP_HOSTTRANSPORT_H_

#include <omnetpp.h>

#include <string>

#include "host/plan.h"

namespace ecnomy::omnet {

// Returns the transport with the window law `law`, or with the law of the parameter `law` if the argument is empty.
// Throws cRuntimeError with the module and the parameter.
TransportPlan hostTransport(const omnetpp::cComponent* tcp, const std::string& law);

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_HOSTTRANSPORT_H_
