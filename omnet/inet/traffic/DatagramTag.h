// SPDX-License-Identifier: LGPL-3.0-or-later
// Data that a datagram carries but that takes no bytes on the wire: its number in its flow, and the number of its call.
// It is a region tag, which persists through all layers and hops, unlike INET's packet tags.
#ifndef ECNOMY_INET_TRAFFIC_DATAGRAMTAG_H_
#define ECNOMY_INET_TRAFFIC_DATAGRAMTAG_H_

#include <cstdint>
#include <string>

#include "inet/common/TagBase.h"
#include "inet/common/packet/Packet.h"

namespace ecnomy::omnet {

class DatagramTag : public inet::TagBase {
 public:
  DatagramTag* dup() const override { return new DatagramTag(*this); }
  std::string str() const override {
    return "datagram " + std::to_string(seq) + ", call " + std::to_string(call);
  }

  std::int64_t seq = 0;
  std::uint16_t call = 0;  // low bits of the call's number in its flow

  // Returns the packet's tag, at any place on its path, or nullptr if it has none.
  static const DatagramTag* of(const inet::Packet* packet) {
    for (int i = 0; i < packet->getNumRegionTags(); ++i) {
      const auto* tag = dynamic_cast<const DatagramTag*>(packet->getRegionTag(i).get());
      if (tag) return tag;
    }
    return nullptr;
  }
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_TRAFFIC_DATAGRAMTAG_H_
