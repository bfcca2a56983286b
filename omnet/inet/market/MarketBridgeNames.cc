// SPDX-License-Identifier: LGPL-3.0-or-later
// Links and sources by name: their places in the plan's order, and paths.
#include <algorithm>
#include <cctype>
#include <sstream>

#include "market/MarketBridge.h"

namespace ecnomy::omnet {

using omnetpp::cRuntimeError;

// Returns the place of `name` in the parameter `list`, or -1 if the list is empty.
int MarketBridge::placeOf(const char* list, const std::string& name) {
  auto& places = places_[list];
  if (places.empty()) {
    std::istringstream text(par(list).stdstringValue());
    int count = 0;
    for (std::string word; text >> word; ++count) {
      if (!places.emplace(word, count).second) {
        throw cRuntimeError("market: parameter '%s' has '%s' twice", list, word.c_str());
      }
    }
    if (places.empty()) return -1;
  }
  const auto found = places.find(name);
  if (found == places.end()) {
    throw cRuntimeError("market: parameter '%s' does not have '%s'", list, name.c_str());
  }
  return found->second;
}

// Words that are numbers are indices, and all other words are names.
std::vector<std::int32_t> MarketBridge::linksOf(const SourcePlan& source,
                                                const std::string& path) const {
  std::vector<std::int32_t> out;
  std::istringstream text(path);
  for (std::string word; text >> word;) {
    const bool number =
        word.size() < 10 &&
        std::all_of(
            word.begin(), word.end(),
            [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
    std::size_t link = 0;
    if (number) {
      link = std::stoul(word);
    } else {
      const auto named = [&](const LinkPlan& plan) { return plan.name == word; };
      link = static_cast<std::size_t>(std::find_if(plan_.links.begin(), plan_.links.end(), named) -
                                      plan_.links.begin());
    }
    if (link >= links_.size()) {
      throw cRuntimeError("the path of source '%s' has link %s, which does not exist",
                          source.name.c_str(), word.c_str());
    }
    out.push_back(static_cast<std::int32_t>(link));
  }
  return out;
}

}  // namespace ecnomy::omnet
