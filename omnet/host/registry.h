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

// Makes the law of a marking or window plan once. Throws BadParameter if its values contradict each other.
void check_law(const std::string& family, const LawPlan& plan);

// Makes the scheduler of a link with classes once, with their marking laws. Throws BadParameter likewise.
void check_scheduler(const LinkPlan& link);

// {"marking": {"red": {"about", "source", "traits": {}, "parameters": [{"name", "unit", "default", "min", "max",
// "choices", "about"}, ...], "at_least": [[more, less], ...]}}, ...}; default null: the user must give a value.
std::string describe_laws();

}  // namespace ecnomy

#endif  // ECNOMY_HOST_REGISTRY_H_
