// SPDX-License-Identifier: LGPL-3.0-or-later
#include "parameters/LawHolder.h"

namespace ecnomy::omnet {

Define_Module(LawHolder);

void LawHolder::handleMessage(omnetpp::cMessage* message) {
  throw omnetpp::cRuntimeError(this, "A law does not accept messages, got %s", message->getName());
}

void LawHolder::refreshDisplay() const {
  getDisplayString().setTagArg("t", 0, par("law").stringValue());
}

}  // namespace ecnomy::omnet
