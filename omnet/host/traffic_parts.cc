// SPDX-License-Identifier: Apache-2.0
#include "host/traffic_parts.h"

#include <algorithm>

#include "laws/traffic/voip.h"

namespace ecnomy {
namespace {

// nullptr where the source has no such part.
const LawPlan* part(const SourcePlan& source, const char* name) {
  const auto found = std::find_if(source.parts.begin(), source.parts.end(),
                                  [&](const LawPlan& one) { return one.law == name; });
  return found == source.parts.end() ? nullptr : &*found;
}

bool has_part(const std::string& traffic, const std::string& name) {
  if (traffic == Web::kName) return name == Sessions::kName || name == Page::kName;
  return traffic == Voip::kName && name == Speech::kName;
}

}  // namespace

bool sends_datagrams(const std::string& law) {
  return law == Cbr::kName || law == Poisson::kName || law == Voip::kName || law == Video::kName;
}

void check_traffic(const SourcePlan& source) {
  const std::string& traffic = source.traffic.law;
  for (const LawPlan& one : source.parts) {
    if (!has_part(traffic, one.law)) {
      throw BadParameter("traffic '" + traffic + "' has no part '" + one.law + "'");
    }
    if (part(source, one.law.c_str()) != &one) {
      throw BadParameter("part '" + one.law + "' stands twice");
    }
  }
  if (traffic == Web::kName) make_web(source);
  if (traffic != Web::kName && !source.sizes.empty()) {
    throw BadParameter("traffic '" + traffic + "' draws no sizes from a list");
  }
  if (traffic == Voip::kName) make_speech(source);
  if (traffic == Video::kName) DatagramLaw{source};
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

DatagramLaw::DatagramLaw(const SourcePlan& source) : law_(make(source)) {}

DatagramLaw::Law DatagramLaw::make(const SourcePlan& source) {
  const double* values = source.traffic.values.data();
  if (source.traffic.law == Cbr::kName) return Cbr(values);
  if (source.traffic.law == Poisson::kName) return Poisson(values);
  if (source.traffic.law == Video::kName) {
    return std::make_unique<Video>(values, source.transport.payload_bytes);
  }
  throw BadParameter("source '" + source.name + "': its traffic is '" + source.traffic.law +
                     "', expected cbr, poisson or video");
}

}  // namespace ecnomy
