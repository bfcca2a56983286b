// SPDX-License-Identifier: LGPL-3.0-or-later
// Sends datagrams at a constant or random rate (cbr, poisson, video), with the same draws as in the built-in engine.
#ifndef ECNOMY_INET_TRAFFIC_UDPSENDER_H_
#define ECNOMY_INET_TRAFFIC_UDPSENDER_H_

#include <vector>

#include "host/traffic_parts.h"
#include "traffic/DatagramSender.h"

namespace ecnomy::omnet {

class UdpSender : public DatagramSender {
 protected:
  void openMembers() override;
  void begin(int member) override;
  void due(int member) override;

 private:
  struct Member {
    Stream traffic;
    DatagramLaw law;
    Time due = 0;   // time of the next datagram, without overhead
    Time last = 0;  // time of the last datagram, with overhead
  };

  void schedule(int member, Time gap);

  std::vector<Member> members_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TRAFFIC_UDPSENDER_H_
