// SPDX-License-Identifier: LGPL-3.0-or-later
#include "queue/QueueEntrance.h"

#include "queue/CountedQueue.h"

namespace ecnomy::omnet {

Define_Module(QueueEntrance);

void QueueEntrance::handleMessage(omnetpp::cMessage* message) {
  pushPacket(omnetpp::check_and_cast<inet::Packet*>(message), message->getArrivalGate());
}

void QueueEntrance::pushPacket(inet::Packet* packet, QueueGate* gate) {
  Enter_Method("pushPacket");
  take(packet);
  omnetpp::check_and_cast<CountedQueue*>(getParentModule())->pushPacket(packet, gate);
}

}  // namespace ecnomy::omnet
