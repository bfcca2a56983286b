// SPDX-License-Identifier: Apache-2.0
// Makes a source's traffic law from its plan, with its parts: sessions and pages of a web user, or silence suppression
// of a telephone user.
#ifndef ECNOMY_HOST_TRAFFIC_PARTS_H_
#define ECNOMY_HOST_TRAFFIC_PARTS_H_

#include <optional>
#include <string>

#include "host/plan.h"
#include "host/traffic_laws.h"

namespace ecnomy {

// True if a traffic law uses udp, not tcp.
bool sends_datagrams(const std::string& law);

// Throws BadParameter if a part does not belong to the traffic or is given twice, if sizes are given but not used, or
// if values contradict each other.
void check_traffic(const SourcePlan& source);

// For a source whose traffic is `web`.
WebTraffic make_web(const SourcePlan& source);
// For a source whose traffic is `voip`. There is no value without silence suppression.
std::optional<Speech> make_speech(const SourcePlan& source);

// A source of datagrams other than calls.
class DatagramLaw {
 public:
  // Throws BadParameter if the law does not time packets, or if values do not fit the law.
  explicit DatagramLaw(const SourcePlan& source);

  template <class Uniform>
  Time first(Uniform& uniform) {
    return on_law(law_, [&](auto& law) { return law.first(uniform); });
  }
  template <class Uniform>
  Time gap(Uniform& uniform) {
    return on_law(law_, [&](auto& law) { return law.gap(uniform); });
  }
  // Payload of the last timed packet; `full` is the payload of a full packet.
  std::int32_t payload_bytes(std::int32_t full) const noexcept {
    return on_law(law_, [&](const auto& law) {
      if constexpr (kTraitsOf<decltype(law)>.own_sizes) return law.payload_bytes();
      return full;
    });
  }

 private:
  DatagramLaws::Variant law_;
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_TRAFFIC_PARTS_H_
