// SPDX-License-Identifier: LGPL-3.0-or-later
// Data that travels with a TCP header but takes no bytes on the wire: the fields that the built-in engine's packets
// have in addition to their sequence numbers. It is a region tag, since an interface removes packet tags.
//
// An ACK's count of marks represents an AccECN option, and its time a timestamp option (RFC 7323).
#ifndef ECNOMY_INET_TCP_FLOWTAG_H_
#define ECNOMY_INET_TCP_FLOWTAG_H_

#include <cstdint>
#include <string>

#include "inet/common/TagBase.h"
#include "laws/parameter.h"

namespace ecnomy::omnet {

class FlowTag : public inet::TagBase {
 public:
  FlowTag* dup() const override { return new FlowTag(*this); }
  std::string str() const override {
    return "flow " + std::to_string(flow) + (again ? ", again" : "") + ", marks " +
           std::to_string(marks);
  }

  int flow = -1;   // index over all flows of the market; -1: none
  int payer = -1;  // for an ordinary host's connection: the flow of the market that pays for it
  bool fromSender = false;  // on the way from sender to receiver
  bool again = false;       // a retransmission
  // The acknowledged packet, if it carries an ACK.
  Time answered = kNever;     // when the acknowledged packet left its host; kNever: none
  bool answersAgain = false;  // this packet was a retransmission: no RTT sample (Karn)
  std::uint32_t marks = 0;    // CE packets with data that its connection has received
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_FLOWTAG_H_
