// SPDX-License-Identifier: Apache-2.0
// The laws this engine hosts, by family and name, with their parameter tables.
#ifndef ECNOMY_HOST_REGISTRY_H_
#define ECNOMY_HOST_REGISTRY_H_

#include <string>
#include <vector>

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

// {"marking": {"red": {"about", "source", "traits": {}, "parameters": [{"name", "unit", "default", "min", "max",
// "choices", "about"}, ...], "at_least": [[more, less], ...]}}, ...}; default null: the user must give a value.
std::string describe_laws();

}  // namespace ecnomy

#endif  // ECNOMY_HOST_REGISTRY_H_
