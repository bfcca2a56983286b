// SPDX-License-Identifier: LGPL-3.0-or-later
// The labels of nodes: the rates of sources that are received there, and the payments of sources that send there.
#ifndef ECNOMY_INET_VIEW_NODEWORDS_H_
#define ECNOMY_INET_VIEW_NODEWORDS_H_

#include <map>
#include <string>

#include "view/LinkFigures.h"
#include "view/Readings.h"
#include "view/Shown.h"

namespace ecnomy::omnet {

// Returns a text of several lines per node.
std::map<omnetpp::cModule*, std::string> nodeWords(const MarketBridge& market,
                                                   const Readings& readings, const Shown& shown,
                                                   const LinkFigures& links);

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_NODEWORDS_H_
