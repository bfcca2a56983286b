// SPDX-License-Identifier: LGPL-3.0-or-later
// A marking law's state as text for Qtenv: averages, prices, virtual queues.
#ifndef ECNOMY_INET_QUEUE_LAWVIEW_H_
#define ECNOMY_INET_QUEUE_LAWVIEW_H_

#include <string>

#include "host/marking_host.h"

namespace ecnomy::omnet {

// Returns a text such as "probability 0.0312, average queue 9.87".
std::string describeLaw(const MarkingHost& host);

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_QUEUE_LAWVIEW_H_
