// SPDX-License-Identifier: Apache-2.0
// The only class of a link that has a queue for each flow. A hash of the packet's flow selects the queue, so that
// flows share a queue by chance, as under a hash of addresses and ports. The class has no parameters.
#ifndef ECNOMY_LAWS_SCHEDULING_FLOW_CLASS_H_
#define ECNOMY_LAWS_SCHEDULING_FLOW_CLASS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "../marking/marking.h"
#include "../random/stream.h"

namespace ecnomy {

struct FlowClass {
  static constexpr const char* kName = "flow-class";
  static constexpr About kAbout{"All packets; each flow has a queue by its hash.",
                                "RFC 8290 section 4.1.1"};
  static constexpr std::array<Parameter, 0> kParameters{};

  // A hash of a packet's flow.
  static std::uint64_t hash(const PacketView& packet, std::uint64_t salt) noexcept {
    return mix64(salt ^ mix64(static_cast<std::uint64_t>(packet.flow)));
  }
  // The queue of a packet among `queues`.
  static std::size_t of(const PacketView& packet, std::uint64_t salt, std::size_t queues) noexcept {
    return hash(packet, salt) % queues;
  }
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_FLOW_CLASS_H_
