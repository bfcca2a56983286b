// SPDX-License-Identifier: Apache-2.0
// The interface between a SegmentSender and its engine: it cuts and sends segments, requests later calls, and counts.
// Each engine has one such class. Calls are resolved at compile time.
#ifndef ECNOMY_HOST_TCP_SEGMENT_PORT_H_
#define ECNOMY_HOST_TCP_SEGMENT_PORT_H_

#include <concepts>
#include <cstdint>

#include "host/accounts.h"
#include "host/window_host.h"
#include "laws/parameter.h"

namespace ecnomy {

// One transmission of a segment.
struct Emission {
  std::int64_t seq;
  std::int32_t bytes;  // bytes of its IP packet
  bool again;          // the segment was sent before
  bool cwr;            // the window was reduced (RFC 3168)
  bool last;           // no further segment is to be sent
  bool gated;          // pacing or a cap determined its time, which includes its send overhead
};

// The contents of an ACK of data.
struct AckNews {
  std::int64_t next;   // the next segment the receiver expects
  std::int64_t bytes;  // bytes of the IP packets that are newly acknowledged
  std::int64_t marks;  // CE packets received on this connection so far, with an accurate echo
  Time sent;           // departure of the packet that it answers; kNever: unknown (Karn)
  bool ece;
  bool duplicate;  // may count as a duplicate: neither data nor FIN
  bool news;       // its blocks report new segments (RFC 6675 section 2)
};

template <class P>
concept SegmentPort =
    requires(P port, std::int64_t seq, const Emission& emission, Time t, WindowHost& law) {
      { port.stats() } -> std::same_as<FlowStats&>;
      // True if segment `seq`, never sent before, can be cut from the application's data.
      { port.available(seq) } -> std::same_as<bool>;
      // Cuts segment `seq`, or finds it again. Returns the bytes of its IP packet.
      { port.cut(seq, bool{}) } -> std::same_as<std::int32_t>;
      port.emit(emission, t);                     // sends it into the network at t
      port.wake_at(t);                            // calls on_pace at t
      port.alarm_at(t);                           // calls on_timeout at t
      port.syn_timed_out(t);                      // a new connection has received no answer
      port.all_acked(t);                          // all data to send is acknowledged
      { port.overhead() } -> std::same_as<Time>;  // the next draw of the send overhead
      port.disturb(law);                          // gives a noisy law its next draw
      port.note_sent(t);                          // a data packet leaves
    };

}  // namespace ecnomy

#endif  // ECNOMY_HOST_TCP_SEGMENT_PORT_H_
