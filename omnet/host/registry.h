// SPDX-License-Identifier: Apache-2.0
// The laws this engine hosts, by family and name, with their parameter tables.
#ifndef ECNOMY_HOST_REGISTRY_H_
#define ECNOMY_HOST_REGISTRY_H_

#include <string>
#include <vector>

#include "host/plan.h"
#include "laws/parameter.h"

namespace ecnomy {

struct LawEntry {
  const char* family;  // "marking", "window", "traffic", "part", "scheduling" or "service"
  const char* name;
  std::vector<Parameter> parameters;
};

const std::vector<LawEntry>& law_registry();

// Throws BadParameter, which names the family and its laws.
const LawEntry& find_law(const std::string& family, const std::string& name);

// Checks the law of a marking or window plan by constructing it. Throws BadParameter if its values contradict each
// other.
void check_law(const std::string& family, const LawPlan& plan);

// Checks the scheduler of a link with classes in the same way, with the classes' marking laws.
void check_scheduler(const LinkPlan& link);

// {"marking": {"red": {"about", "source", "traits": {}, "parameters": [{"name", "key", "unit", "default", "min",
// "max", "choices", "about"}, ...], "at_least": [[more, less], ...]}}, ...}; a default of null means that the user
// must give a value. The key is the name without its unit, as scenarios write it.
std::string describe_laws();

}  // namespace ecnomy

#endif  // ECNOMY_HOST_REGISTRY_H_
