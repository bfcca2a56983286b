// SPDX-License-Identifier: Apache-2.0
// Traffic laws of a source made from its plan, with the parts that it has: sessions and pages of a web user,
// silence suppression of a telephone user.
#ifndef ECNOMY_HOST_TRAFFIC_PARTS_H_
#define ECNOMY_HOST_TRAFFIC_PARTS_H_

#include <optional>
#include <string>

#include "host/plan.h"
#include "host/traffic_laws.h"

namespace ecnomy {

// Whether a traffic law goes with udp, and not with tcp.
bool sends_datagrams(const std::string& law);

// Throws BadParameter: a part that its traffic does not have or has twice, sizes that are not asked for, or
// values that do not fit together.
void check_traffic(const SourcePlan& source);

// Of a source whose traffic is `web`.
WebTraffic make_web(const SourcePlan& source);
// Of one whose traffic is `voip`; nothing where packets are sent in silences too.
std::optional<Speech> make_speech(const SourcePlan& source);

// A source of datagrams other than calls.
class DatagramLaw {
 public:
  // Throws BadParameter: a law that does not time packets, or values that do not fit it.
  explicit DatagramLaw(const SourcePlan& source);

  template <class Uniform>
  Time first(Uniform& uniform) {
    return on_law(law_, [&](auto& law) { return law.first(uniform); });
  }
  template <class Uniform>
  Time gap(Uniform& uniform) {
    return on_law(law_, [&](auto& law) { return law.gap(uniform); });
  }
  // Of the packet that was timed last, where `full` is what a packet holds.
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
