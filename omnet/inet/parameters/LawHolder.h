// SPDX-License-Identifier: LGPL-3.0-or-later
// A law's parameters as a module: the source that owns it reads them, it does nothing itself.
#ifndef ECNOMY_INET_PARAMETERS_LAWHOLDER_H_
#define ECNOMY_INET_PARAMETERS_LAWHOLDER_H_

#include <omnetpp.h>

namespace ecnomy::omnet {

class LawHolder : public omnetpp::cSimpleModule {
 protected:
  void handleMessage(omnetpp::cMessage* message) override;
  void refreshDisplay() const override;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_PARAMETERS_LAWHOLDER_H_
