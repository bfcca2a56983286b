// SPDX-License-Identifier: Apache-2.0
// A Plan as JSON, the inverse of parse_plan, in the form of markets/ecnomy/markets/plan/structs.py. It omits digest,
// title, nodes and names of scheduler classes, because the modules of a network do not have them.
#ifndef ECNOMY_HOST_PLAN_TEXT_H_
#define ECNOMY_HOST_PLAN_TEXT_H_

#include <functional>
#include <string>

#include "host/plan.h"
#include "host/registry.h"

namespace ecnomy {

// `find` returns the parameter table of a law: find_law, or a function that also finds custom laws.
using FindLaw = std::function<const LawEntry&(const std::string& family, const std::string& name)>;

std::string plan_text(const Plan& plan, const FindLaw& find);

}  // namespace ecnomy

#endif  // ECNOMY_HOST_PLAN_TEXT_H_
