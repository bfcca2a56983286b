// SPDX-License-Identifier: Apache-2.0
// A network namespace of this process. It has no name, so the kernel removes it with the process. It holds all hosts of
// one side, and a TUN device that leads to the router.
//
//   senders 10.1.0.0/16 ── TUN ── router ── TUN ── receivers 10.2.0.0/16
//
// Each source has one address on each side, and each flow has its own port.
#ifndef ECNOMY_LINUX_OWN_SPACE_H_
#define ECNOMY_LINUX_OWN_SPACE_H_

#include <cstdint>
#include <string>

#include "linux/descriptor.h"

namespace ecnomy::kernel {

// Addresses in host byte order. `source` is the source's index in the plan.
inline constexpr std::uint32_t kSenders = 0x0A01'0000, kReceivers = 0x0A02'0000;
inline constexpr std::uint32_t kMostSources = 0xFFF0;
inline constexpr std::uint16_t kReceiverPort = 5000;
inline constexpr std::uint16_t kFirstPort = 6000;  // port of a source's first flow
inline constexpr std::int32_t kMostFlows = 0xFFFF - kFirstPort;
constexpr std::uint32_t address_of(std::uint32_t side, std::size_t source) noexcept {
  return side + 1 + static_cast<std::uint32_t>(source);
}
constexpr std::size_t source_at(std::uint32_t address) noexcept { return (address & 0xFFFFU) - 1; }

// Settings of the route from one host to another.
struct RoutePlan {
  std::uint32_t from, to;
  bool ecn;                    // requests and accepts ECN
  bool quick_acks;             // no delayed ACKs
  std::uint32_t first_window;  // packets; 0: the kernel's default
  std::uint32_t least_rto_ms;
};

class OwnSpace {
 public:
  // Makes a namespace in which the loopback device and a TUN device are up. `own` and `other` are the prefixes of both
  // sides.
  OwnSpace(std::uint32_t own, std::uint32_t other, std::int32_t mtu);

  // Sockets that this thread opens from now on belong to the namespace.
  void enter() const;
  int tunnel() const noexcept { return tunnel_.get(); }  // nonblocking
  // Call these after enter().
  void set(const std::string& name, const std::string& value) const;  // below /proc/sys/net
  void add_route(const RoutePlan& route) const;

 private:
  void open_tunnel(std::int32_t mtu);

  Descriptor space_, tunnel_, netlink_;
  int device_ = 0;  // index of the TUN device
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_OWN_SPACE_H_
