// SPDX-License-Identifier: LGPL-3.0-or-later
#include "parameters/OwnLaws.h"

#include <algorithm>
#include <list>
#include <utility>

namespace ecnomy::omnet {
namespace {

struct OwnLaw {
  LawEntry entry;
  MakeMarking marking;
  MakeWindow window;
};

// The custom laws. They are added when libraries are loaded. The container is a list, so that pointers into it stay
// valid.
std::list<OwnLaw>& ownLaws() {
  static std::list<OwnLaw> laws;
  return laws;
}

bool builtIn(const std::string& family, const std::string& name) {
  const std::vector<LawEntry>& laws = law_registry();
  return std::any_of(laws.begin(), laws.end(),
                     [&](const LawEntry& law) { return law.family == family && law.name == name; });
}

const OwnLaw* find(const std::string& family, const std::string& name) {
  const OwnLaw* found = nullptr;
  for (const OwnLaw& law : ownLaws()) {
    if (law.entry.family != family || law.entry.name != name) continue;
    if (found || builtIn(family, name)) {
      throw BadParameter("two " + family + " laws are called '" + name + "': rename your own");
    }
    found = &law;
  }
  return found;
}

}  // namespace

bool addOwnLaw(LawEntry entry, MakeMarking make) {
  ownLaws().push_back({std::move(entry), make, nullptr});
  return true;
}

bool addOwnLaw(LawEntry entry, MakeWindow make) {
  ownLaws().push_back({std::move(entry), nullptr, make});
  return true;
}

const LawEntry& findLaw(const std::string& family, const std::string& name) {
  if (const OwnLaw* own = find(family, name)) return own->entry;
  try {
    return find_law(family, name);
  } catch (const BadParameter& error) {
    if (family != "marking" && family != "window") throw;
    throw BadParameter(std::string(error.what()) + ", or a custom law in a library given by -l");
  }
}

std::unique_ptr<OwnMarking> makeOwnMarking(const std::string& law,
                                           const std::vector<double>& values) {
  const OwnLaw* own = find("marking", law);
  return own ? own->marking(values) : nullptr;
}

std::unique_ptr<OwnWindow> makeOwnWindow(const std::string& law,
                                         const std::vector<double>& values) {
  const OwnLaw* own = find("window", law);
  return own ? own->window(values) : nullptr;
}

}  // namespace ecnomy::omnet
