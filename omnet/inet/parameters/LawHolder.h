// SPDX-License-Identifier: LGPL-3.0-or-later
// A module that holds a law's parameters. The source that owns it reads them; the module itself does nothing.
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
