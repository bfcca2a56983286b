// SPDX-License-Identifier: Apache-2.0
// What the event list holds. Events at one time act in the order in which they were scheduled.
#ifndef ECNOMY_ENGINE_EVENT_H_
#define ECNOMY_ENGINE_EVENT_H_

#include <cstdint>

#include "laws/parameter.h"

namespace ecnomy::engine {

enum class EventKind : std::uint32_t {
  deliver,        // a link's oldest packet reaches its far end
  class_deliver,  // the same, of a link with a class scheduler
  law_timer,      // a link's marking law has its turn
  depart,         // a host's oldest waiting packet enters its first link
  pace,           // a sender's pacing or cap gate opens
  timeout,        // a retransmission timer
  delayed_ack,    // an ACK has waited long enough
  application,    // a traffic law has its turn: start, next datagram, end of reading, cap lifted
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
