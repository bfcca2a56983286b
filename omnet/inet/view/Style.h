// SPDX-License-Identifier: LGPL-3.0-or-later
// Colours of the screen. Who is congested is told by colour and width of lines; colours can be told apart with
// red-green blindness (Okabe and Ito), and width and text say the same.
#ifndef ECNOMY_INET_VIEW_STYLE_H_
#define ECNOMY_INET_VIEW_STYLE_H_

#include <string>

#include "view/Readings.h"

namespace ecnomy::omnet {

inline constexpr const char* kCalm = "#7f9db9";
inline constexpr const char* kBusy = "#0072b2";
inline constexpr const char* kMarking = "#e69f00";
inline constexpr const char* kCongested = "#d55e00";

// More than this share of packets marked or dropped, and a link is congested, however much it carries.
inline constexpr double kMarkedShare = 0.005;

// Whether its law can mark, whatever it does now.
inline bool marksPackets(const LinkPlan& plan) {
  return (plan.marking.law != "drop-tail" && plan.marking.law != "none") ||
         !plan.scheduler.classes.empty();
}

inline bool congested(const LinkReading& link) {
  return link.load >= 0.9 || link.marked + link.dropped >= kMarkedShare;
}

inline const char* lineColour(const LinkReading& link) {
  if (link.load >= 0.9 || link.marked + link.dropped >= 0.05) return kCongested;
  if (congested(link)) return kMarking;
  return link.load >= 0.3 ? kBusy : kCalm;
}

inline int lineWidth(const LinkReading& link) { return 1 + static_cast<int>(5 * link.load + 0.5); }

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_STYLE_H_
