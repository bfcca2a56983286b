// SPDX-License-Identifier: Apache-2.0
// Traffic laws of a source made from its plan, with the parts that it has: sessions and pages of a web user,
// silence suppression of a telephone user.
#ifndef ECNOMY_HOST_TRAFFIC_PARTS_H_
#define ECNOMY_HOST_TRAFFIC_PARTS_H_

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "host/plan.h"
#include "laws/traffic/speech.h"
#include "laws/traffic/traffic.h"
#include "laws/traffic/video.h"
#include "laws/traffic/web_user.h"

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

// A source of datagrams other than calls. Video is apart, so that the others do not carry its state.
class DatagramLaw {
 public:
  // Throws BadParameter: not cbr, poisson or video.
  explicit DatagramLaw(const SourcePlan& source);

  template <class Uniform>
  Time first(Uniform& uniform) {
    return visit([&](auto& law) { return law.first(uniform); });
  }
  template <class Uniform>
  Time gap(Uniform& uniform) {
    return visit([&](auto& law) { return law.gap(uniform); });
  }
  // Of the packet that was timed last, where `full` is what a packet holds.
  std::int32_t payload_bytes(std::int32_t full) const noexcept {
    const auto* video = std::get_if<std::unique_ptr<Video>>(&law_);
    return video ? (*video)->payload_bytes() : full;
  }

 private:
  using Law = std::variant<Cbr, Poisson, std::unique_ptr<Video>>;
  static Law make(const SourcePlan& source);

  template <class F>
  Time visit(F&& ask) {
    if (Cbr* cbr = std::get_if<Cbr>(&law_)) return ask(*cbr);
    if (Poisson* poisson = std::get_if<Poisson>(&law_)) return ask(*poisson);
    return ask(*std::get<std::unique_ptr<Video>>(law_));
  }

  Law law_;
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_TRAFFIC_PARTS_H_
