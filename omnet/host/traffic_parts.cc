// SPDX-License-Identifier: Apache-2.0
#include "host/traffic_parts.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ecnomy {
namespace {

// Returns nullptr if the source has no such part.
const LawPlan* part(const SourcePlan& source, const char* name) {
  const auto found = std::find_if(source.parts.begin(), source.parts.end(),
                                  [&](const LawPlan& one) { return one.law == name; });
  return found == source.parts.end() ? nullptr : &*found;
}

bool has_part(const std::string& traffic, const std::string& name) {
  if (traffic == Web::kName) return name == Sessions::kName || name == Page::kName;
  return traffic == Voip::kName && name == Speech::kName;
}

DatagramLaws::Variant made(const SourcePlan& source) {
  const double* values = source.traffic.values.data();
  std::optional<DatagramLaws::Variant> law;
  DatagramLaws::named("datagram", source.traffic.law, [&]<class Law>(std::type_identity<Law>) {
    if constexpr (Law::kTraits.own_sizes) {
      law.emplace(std::in_place_type<Law>, values, source.transport.payload_bytes);
    } else {
      law.emplace(std::in_place_type<Law>, values);
    }
  });
  return *std::move(law);
}

}  // namespace

bool sends_datagrams(const std::string& law) {
  bool found = false;
  TrafficLaws::each([&]<class Law>(std::type_identity<Law>) {
    if (law == Law::kName) found = Law::kTraits.datagrams;
  });
  return found;
}

void check_traffic(const SourcePlan& source) {
  const std::string& traffic = source.traffic.law;
  for (const LawPlan& one : source.parts) {
    if (!has_part(traffic, one.law)) {
      throw BadParameter("traffic " + in_quotes(traffic) + " has no part " + in_quotes(one.law));
    }
    if (part(source, one.law.c_str()) != &one) {
      throw BadParameter("part " + in_quotes(one.law) + " appears twice");
    }
  }
  if (traffic == Web::kName) make_web(source);
  if (traffic != Web::kName && !source.sizes.empty()) {
    throw BadParameter("traffic " + in_quotes(traffic) + " does not use a list of sizes");
  }
  if (traffic == Voip::kName) make_speech(source);
  DatagramLaws::each([&]<class Law>(std::type_identity<Law>) {
    if (traffic == Law::kName) DatagramLaw{source};
  });
}

WebTraffic make_web(const SourcePlan& source) {
  WebTraffic made{Web(source.traffic.values.data(), source.sizes), {}, {}};
  if (const LawPlan* plan = part(source, Sessions::kName)) {
    made.sessions.emplace(plan->values.data());
  }
  if (const LawPlan* plan = part(source, Page::kName)) made.page.emplace(plan->values.data());
  return made;
}

std::optional<Speech> make_speech(const SourcePlan& source) {
  const LawPlan* plan = part(source, Speech::kName);
  return plan ? std::optional<Speech>(plan->values.data()) : std::nullopt;
}

DatagramLaw::DatagramLaw(const SourcePlan& source) : law_(made(source)) {}

}  // namespace ecnomy
