// SPDX-License-Identifier: LGPL-3.0-or-later
// A host's departure times for one flow. A packet leaves U * overhead after it is handed over, with U uniform on (0,
// 1). Packets keep their order. This random send overhead breaks the phase locks of a deterministic simulator.
#ifndef ECNOMY_INET_TCP_OUTBOX_H_
#define ECNOMY_INET_TCP_OUTBOX_H_

#include <algorithm>

#include "laws/parameter.h"
#include "laws/random/stream.h"

namespace ecnomy::omnet {

class Outbox {
 public:
  Outbox(Time overhead, Stream stream) noexcept : overhead_(overhead), stream_(stream) {}

  bool empty(Time now) const noexcept { return last_ <= now; }
  Time draw() noexcept {
    return overhead_ > 0 ? static_cast<Time>(stream_() * static_cast<double>(overhead_)) : 0;
  }
  // Returns the departure time of a packet that is handed over now.
  Time handOver(Time now) noexcept { return last_ = std::max(last_, now + draw()); }
  // As handOver, for a packet that has no overhead.
  Time follow(Time now) const noexcept { return std::max(last_, now); }

 private:
  Time overhead_;
  Stream stream_;
  Time last_ = 0;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_OUTBOX_H_
