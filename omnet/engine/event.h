// SPDX-License-Identifier: Apache-2.0
// An event of the event list. Events at the same time are processed in the order in which they were scheduled.
#ifndef ECNOMY_ENGINE_EVENT_H_
#define ECNOMY_ENGINE_EVENT_H_

#include <cstdint>

#include "laws/parameter.h"

namespace ecnomy::engine {

enum class EventKind : std::uint32_t {
  deliver,        // a link's oldest packet reaches its far end
  class_deliver,  // the same, for a link with a class scheduler
  late,           // a link's oldest late packet reaches its far end
  law_timer,      // the timer of a link's marking law expires
  depart,         // a host's oldest waiting packet enters its first link
  pace,           // a sender's pacing or rate cap allows the next packet
  timeout,        // a retransmission timer expires
  delayed_ack,    // a delayed ACK is due
  application,    // a traffic law acts: start, next datagram, end of reading, cap lifted
  sample,         // the recorder takes a sample of the series
};

struct Event {
  Time time;
  std::uint64_t serial;
  EventKind kind;
  std::uint32_t subject;

  bool before(const Event& other) const noexcept {
    return time != other.time ? time < other.time : serial < other.serial;
  }
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_EVENT_H_
