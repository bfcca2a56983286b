// SPDX-License-Identifier: LGPL-3.0-or-later
// What travels with a TCP header at no cost on the wire: what the built-in engine's packets carry beside
// their sequence numbers. A region tag, for packet tags do not outlive an interface.
//
// An ACK's count of marks stands for an AccECN option, its time for a timestamp option (RFC 7323).
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

  int flow = -1;   // over all flows of the market; -1: of none
  int payer = -1;  // of an ordinary host's connection: the flow of the market that the host is
  bool fromSender = false;  // on the way from sender to receiver
  bool again = false;       // a retransmission
  // What it answers, where it carries an ACK.
  Time answered = kNever;     // when the packet answered left its host; kNever: nothing
  bool answersAgain = false;  // which was a retransmission: no RTT sample (Karn)
  std::uint32_t marks = 0;    // CE packets with data that its connection has received
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TCP_FLOWTAG_H_
