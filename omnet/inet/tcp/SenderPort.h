// SPDX-License-Identifier: LGPL-3.0-or-later
// What a FlowSender is between: the connection below it and the application above it.
#ifndef ECNOMY_INET_TCP_SENDERPORT_H_
#define ECNOMY_INET_TCP_SENDERPORT_H_

#include <cstdint>
#include <vector>

#include "laws/parameter.h"

namespace ecnomy::omnet {

// A segment as it was cut when it was sent first.
struct Segment {
  std::uint32_t seq;    // of its first byte
  std::uint32_t bytes;  // of payload
  Time sent;            // when it left its host last
  bool again;           // it has been sent more than once
};

// How it is sent this time.
struct Departing {
  std::int64_t number;  // in the flow
  bool cwr;
  bool fin;  // nothing will follow it
};

// Sequence numbers [first, end).
struct SeqRange {
  std::uint32_t first, end;
};

// What an ACK says.
struct TcpAck {
  std::uint32_t number = 0;  // of the next byte expected
  bool duplicates = false;   // may count as a duplicate: neither data nor FIN
  bool ece = false;
  std::int64_t bytes = 0;  // of its IP packet
  bool ce = false;
  bool told = false;       // the next three are known
  Time answered = kNever;  // kNever: nothing that was timed
  bool answersAgain = false;
  std::uint32_t marks = 0;
  std::uint64_t room = 0;      // bytes beyond `number` that the receiver takes
  std::vector<SeqRange> held;  // selective ACK
};

// The connection that a flow has now.
class SenderPort {
 public:
  virtual ~SenderPort() = default;
  // Bytes handed over by the application from sequence number `from` on.
  virtual std::uint32_t waiting(std::uint32_t from) = 0;
  // Sends it, to leave the host at segment.sent.
  virtual void emit(const Segment& segment, const Departing& how) = 0;
  virtual void wakeAt(Time at) = 0;   // calls onPace then, and at no earlier time asked for
  virtual void alarmAt(Time at) = 0;  // calls onTimeout then
  virtual void windowChanged() = 0;   // for statistics
  virtual void sever() = 0;           // the flow has done with this connection
};

// The application of a flow.
class FlowOwner {
 public:
  virtual ~FlowOwner() = default;
  virtual void allAcked() = 0;             // everything there was to send has been acknowledged
  virtual void gaveUp() = 0;               // switched off while it had no connection yet
  virtual void wantsData() = 0;            // little is left of what is still to send
  virtual void lost(const char* how) = 0;  // the connection is gone, by no act of ours
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_SENDERPORT_H_
