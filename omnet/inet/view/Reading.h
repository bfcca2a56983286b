// SPDX-License-Identifier: LGPL-3.0-or-later
// The displayed values of a source and of a link. These are rates and shares over a window of simulated time.
#ifndef ECNOMY_INET_VIEW_READING_H_
#define ECNOMY_INET_VIEW_READING_H_

namespace ecnomy::omnet {

struct SourceReading {
  double goodput_bps = 0, marks_per_s = 0, lost_per_s = 0;
  double marked = 0;   // share of arrived packets
  double delay_s = 0;  // mean delay of arrived packets
  double weight = -1;  // mean of its flows, in the law's own unit; -1: it has no weight
  int active = 0;      // flows that may send
};

struct LinkReading {
  double rate_bps = 0, load = 0, marks_per_s = 0;
  double marked = 0, dropped = 0;  // shares of arrived packets
  double probability = 0;
  double waiting = 0;  // packets, mean
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_READING_H_
