// SPDX-License-Identifier: Apache-2.0
// What a SegmentSender asks of the engine that hosts it: to cut and send segments, to call it back, and
// where it counts. Each engine has one such class; calls are resolved when it is compiled.
#ifndef ECNOMY_HOST_TCP_SEGMENT_PORT_H_
#define ECNOMY_HOST_TCP_SEGMENT_PORT_H_

#include <concepts>
#include <cstdint>

#include "host/accounts.h"
#include "host/window_host.h"
#include "laws/parameter.h"

namespace ecnomy {

// How a segment leaves this time.
struct Emission {
  std::int64_t seq;
  std::int32_t bytes;  // of its IP packet
  bool again;          // it was sent before
  bool cwr;            // the window was reduced (RFC 3168)
  bool last;           // nothing follows it
  bool gated;          // its time was chosen by pacing or a cap, which hold its send overhead
};

// What an ACK of data says.
struct AckNews {
  std::int64_t next;   // the next segment the receiver expects
  std::int64_t bytes;  // of the IP packets that are newly acknowledged
  std::int64_t marks;  // CE packets the connection's receiver has had, with accurate echo
  Time sent;           // when the packet that it answers left; kNever: that is not known (Karn)
  bool ece;
  bool duplicate;  // may count as a duplicate: neither data nor FIN
  bool news;       // its blocks report what was not known (RFC 6675 section 2)
};

template <class P>
concept SegmentPort =
    requires(P port, std::int64_t seq, const Emission& emission, Time t, WindowHost& law) {
      { port.stats() } -> std::same_as<FlowStats&>;
      // Whether segment `seq`, never sent before, can be cut from what the application handed over.
      { port.available(seq) } -> std::same_as<bool>;
      // Cuts segment `seq`, or finds it again; the bytes of its IP packet.
      { port.cut(seq, bool{}) } -> std::same_as<std::int32_t>;
      port.emit(emission, t);  // hands it to the network at t
      port.wake_at(t);         // calls on_pace then
      port.alarm_at(t);        // calls on_timeout then
      port.syn_timed_out(t);   // a connection that is being made has heard nothing
      port.all_acked(t);       // everything there was to send is acknowledged
      { port.overhead() } -> std::same_as<Time>;  // the next draw of the send overhead
      port.disturb(law);                          // gives a law that wants draws its next one
      port.note_sent(t);                          // a data packet leaves
    };

}  // namespace ecnomy

#endif  // ECNOMY_HOST_TCP_SEGMENT_PORT_H_
