// SPDX-License-Identifier: LGPL-3.0-or-later
// NED parameters as the structs of host/plan.h.
#ifndef ECNOMY_INET_PARAMETERS_PARAMETERS_H_
#define ECNOMY_INET_PARAMETERS_PARAMETERS_H_

#include <omnetpp.h>

#include <string>
#include <vector>

#include "host/plan.h"
#include "laws/traffic/profile.h"

namespace ecnomy::omnet {

// A quantity with @unit(s) in whole picoseconds; a negative one is kNever.
Time timeParameter(const omnetpp::cComponent* module, const char* name);
// The classes of a scheduler whose law is known, "name value=1 ...; name ...": values of `service-class` or
// `weighted-class`, apart by semicolons; what is not said has its default. After marking=LAW come those of
// a marking law.
void readClasses(const omnetpp::cComponent* module, const char* name, SchedulerPlan& scheduler);
// Whole numbers apart by spaces.
std::vector<std::int32_t> indexList(const omnetpp::cComponent* module, const char* name);
// The law that `module` stands for: its parameter `law` names it, its other parameters are the law's own,
// by the names of its table. Throws cRuntimeError naming module, parameter and range.
LawPlan lawParameters(const omnetpp::cComponent* module, const char* family);
// The source that `module` stands for, all but its laws' parameters from ITS OWN parameters; those of
// the laws from the submodules or siblings given (window may be null for datagrams). Its paths are the
// market's to find: they may be names.
SourcePlan sourceParameters(const omnetpp::cComponent* module, const omnetpp::cComponent* traffic,
                            const omnetpp::cComponent* window);

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_PARAMETERS_PARAMETERS_H_
