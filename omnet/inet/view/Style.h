// SPDX-License-Identifier: LGPL-3.0-or-later
// Colours of the screen. Who is congested is told by colour and width of lines; colours can be told apart with
// red-green blindness (Okabe and Ito), and width and text say the same.
#ifndef ECNOMY_INET_VIEW_STYLE_H_
#define ECNOMY_INET_VIEW_STYLE_H_

#include <string>

#include "host/plan.h"
#include "view/Reading.h"

namespace ecnomy::omnet {

inline constexpr const char* kCalm = "#7f9db9";
inline constexpr const char* kBusy = "#0072b2";
inline constexpr const char* kMarking = "#e69f00";
inline constexpr const char* kCongested = "#d55e00";

// From this share of packets marked or dropped on, or this many that wait (mean), a link is congested, however
// much it carries.
inline constexpr double kMarkedShare = 0.005, kQueued = 3;

// Whether its law can mark, whatever it does now.
inline bool marksPackets(const LinkPlan& plan) {
  return (plan.marking.law != "drop-tail" && plan.marking.law != "none") ||
         !plan.scheduler.classes.empty();
}

// Packets are marked or lost, or wait. A full link without any of it is only busy.
inline bool congested(const LinkReading& link) {
  return link.marked + link.dropped >= kMarkedShare || link.waiting >= kQueued;
}

inline const char* lineColour(const LinkReading& link) {
  if (link.marked + link.dropped >= 0.05 || link.waiting >= kQueued) return kCongested;
  if (congested(link)) return kMarking;
  return link.load >= 0.3 ? kBusy : kCalm;
}

inline int lineWidth(const LinkReading& link) { return 1 + static_cast<int>(5 * link.load + 0.5); }

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_STYLE_H_
