// SPDX-License-Identifier: LGPL-3.0-or-later
// The interfaces of a FlowSender to the connection below it and the application above it.
#ifndef ECNOMY_INET_TCP_SENDERPORT_H_
#define ECNOMY_INET_TCP_SENDERPORT_H_

#include <cstdint>
#include <vector>

#include "laws/parameter.h"

namespace ecnomy::omnet {

// A segment as it was cut when it was first sent.
struct Segment {
  std::uint32_t seq;    // sequence number of its first byte
  std::uint32_t bytes;  // payload
  Time sent;            // when it last left its host
  bool again;           // it has been sent more than once
};

// The present transmission of a segment.
struct Departing {
  std::int64_t number;  // segment number in the flow
  bool cwr;
  bool fin;  // it is the last segment
};

// Sequence numbers [first, end).
struct SeqRange {
  std::uint32_t first, end;
};

// The content of an ACK.
struct TcpAck {
  std::uint32_t number = 0;  // sequence number of the next byte expected
  bool duplicates = false;   // may count as a duplicate: neither data nor FIN
  bool ece = false;
  std::int64_t bytes = 0;  // size of its IP packet
  bool ce = false;
  bool counts = false;     // whether the next three fields are known
  Time answered = kNever;  // when the acknowledged packet left its host; kNever: none
  bool answersAgain = false;
  std::uint32_t marks = 0;
  std::uint64_t room = 0;      // bytes beyond `number` that the receiver accepts
  std::vector<SeqRange> held;  // selective ACK
};

// A flow's present connection.
class SenderPort {
 public:
  virtual ~SenderPort() = default;
  // The number of bytes handed over by the application from sequence number `from` on.
  virtual std::uint32_t waiting(std::uint32_t from) = 0;
  // Sends a segment; it leaves the host at segment.sent.
  virtual void emit(const Segment& segment, const Departing& how) = 0;
  virtual void wakeAt(Time at) = 0;   // calls onPace at this time; replaces an earlier request
  virtual void alarmAt(Time at) = 0;  // calls onTimeout at this time; replaces an earlier request
  virtual void windowChanged() = 0;   // for statistics
  virtual void sever() = 0;           // the flow no longer uses this connection
};

// The application of a flow.
class FlowOwner {
 public:
  virtual ~FlowOwner() = default;
  virtual void allAcked() = 0;             // all data has been acknowledged
  virtual void gaveUp() = 0;               // the flow gave up before it was connected
  virtual void wantsData() = 0;            // little unsent data is left
  virtual void lost(const char* how) = 0;  // the connection was lost, not closed by this host
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_SENDERPORT_H_
