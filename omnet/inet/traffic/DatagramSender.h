// SPDX-License-Identifier: LGPL-3.0-or-later
// The common part of senders of datagrams: one UDP socket of the source, a timer per member, the send
// overhead, and the accounts of sent packets. Of a decision, they obey only `active`.
#ifndef ECNOMY_INET_TRAFFIC_DATAGRAMSENDER_H_
#define ECNOMY_INET_TRAFFIC_DATAGRAMSENDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "inet/common/packet/chunk/ByteCountChunk.h"
#include "inet/transportlayer/contract/udp/UdpSocket.h"
#include "traffic/SourceBase.h"

namespace ecnomy::omnet {

class DatagramSender : public SourceBase {
 public:
  ~DatagramSender() override;

  void takeOrder(int member, const FlowOrder& order) override;
  FlowState state(int member) override;

 protected:
  void openMembers() override;
  void startMember(int member) final;
  void handleOther(omnetpp::cMessage* message) override;
  void refreshDisplay() const override;

  virtual void begin(int member) = 0;  // called at the member's start
  virtual void due(int member) = 0;    // called at the time given to `wake`
  virtual std::string display() const;

  bool active(int member) const;
  Time drawOverhead(int member);
  void wake(int member, Time at);
  void sendDatagram(int member, std::uint16_t call, std::int32_t payload);

 private:
  struct Line {
    Stream overhead;
    omnetpp::cMessage* timer;
    bool started = false;
    bool ordered = true;  // `active` of the market's last decision
  };

  Line& line(int member) { return lines_[static_cast<std::size_t>(member)]; }
  const Line& line(int member) const { return lines_[static_cast<std::size_t>(member)]; }
  std::int32_t packetBytes() const {
    return plan().transport.payload_bytes + plan().transport.header_bytes;
  }

  std::vector<Line> lines_;  // by member
  inet::UdpSocket socket_;
  inet::Ptr<const inet::ByteCountChunk> payload_;  // payload of a full datagram
  std::int64_t sent_ = 0;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TRAFFIC_DATAGRAMSENDER_H_
