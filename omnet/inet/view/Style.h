// SPDX-License-Identifier: LGPL-3.0-or-later
// Colours of the display. Colour and width of lines show congestion. People with red-green blindness can distinguish
// the colours (Okabe and Ito), and width and text show the same information.
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

// A link is congested if at least this share of its packets is marked or dropped, or if on average at least this number
// of packets wait, regardless of its load.
inline constexpr double kMarkedShare = 0.005, kQueued = 3;

// True if the link's law can mark at all.
inline bool marksPackets(const LinkPlan& plan) {
  return (plan.marking.law != "drop-tail" && plan.marking.law != "none") ||
         !plan.scheduler.classes.empty();
}

// True if packets are marked, lost or waiting. A full link without marks, losses or a queue is only busy.
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
