// SPDX-License-Identifier: LGPL-3.0-or-later
// Reads NED parameters into the structs of host/plan.h.
#ifndef ECNOMY_INET_PARAMETERS_PARAMETERS_H_
#define ECNOMY_INET_PARAMETERS_PARAMETERS_H_

#include <omnetpp.h>

#include <string>
#include <vector>

#include "host/plan.h"
#include "laws/traffic/profile.h"

namespace ecnomy::omnet {

// Reads a quantity with @unit(s) in whole picoseconds. Returns kNever if it is negative.
Time timeParameter(const omnetpp::cComponent* module, const char* name);
// Reads the classes of a scheduler whose law is known, "name value=1 ...; name ...": values of `service-class` or
// `weighted-class`, separated by semicolons. Values that are not given have their defaults. The values of a marking law
// follow marking=LAW.
void readClasses(const omnetpp::cComponent* module, const char* name, SchedulerPlan& scheduler);
// Reads `delayProfilePeriod` and `delayProfileSteps`. A negative period means that there is no profile.
DelayProfile delayProfile(const omnetpp::cComponent* module);
// Reads whole numbers separated by spaces.
std::vector<std::int32_t> indexList(const omnetpp::cComponent* module, const char* name);
// Reads the law of `module`. The parameter `law` is the law's name, and the other parameters have the names of the
// law's table. Throws cRuntimeError with the module, the parameter and its range.
LawPlan lawParameters(const omnetpp::cComponent* module, const char* family);
// Reads the source of `module`. The laws' parameters come from the given submodules or siblings (`window` may be null
// for datagrams), and all others from the module itself. The source's paths may
// contain names, which the market resolves.
SourcePlan sourceParameters(const omnetpp::cComponent* module, const omnetpp::cComponent* traffic,
                            const omnetpp::cComponent* window);

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_PARAMETERS_PARAMETERS_H_
