// SPDX-License-Identifier: LGPL-3.0-or-later
// A sender that is notified of deliveries at its receiver.
#ifndef ECNOMY_INET_TRAFFIC_IDELIVERYLISTENER_H_
#define ECNOMY_INET_TRAFFIC_IDELIVERYLISTENER_H_

#include <cstdint>

#include "laws/parameter.h"

namespace ecnomy::omnet {

class IDeliveryListener {
 public:
  virtual ~IDeliveryListener() = default;
  // Called after the delivery has been counted. `call` is DatagramTag::call.
  virtual void delivered(int member, std::uint16_t call, Time delay, bool ce) = 0;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TRAFFIC_IDELIVERYLISTENER_H_
