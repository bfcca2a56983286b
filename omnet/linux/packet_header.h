// SPDX-License-Identifier: Apache-2.0
// The fields of a real packet that the router reads and changes: IPv4 headers (RFC 791) with TCP (RFC 9293) or UDP (RFC
// 768). With the CE mark it also updates the header checksum incrementally (RFC 1624 Eq. 3: HC' = ~(~HC + ~m + m')).
#ifndef ECNOMY_LINUX_PACKET_HEADER_H_
#define ECNOMY_LINUX_PACKET_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "laws/marking/marking.h"

namespace ecnomy::kernel {

inline constexpr std::int32_t kHeaders = 40;          // bytes of IPv4 and TCP without options
inline constexpr std::int32_t kDatagramHeaders = 28;  // bytes of IPv4 and UDP

enum TcpFlag : std::uint8_t {
  kFinFlag = 1 << 0,
  kSynFlag = 1 << 1,
  kRstFlag = 1 << 2,
  kAckFlag = 1 << 4,
  kEceFlag = 1 << 6,
  kCwrFlag = 1 << 7,
};

// Numbers in host byte order. A datagram has neither sequence numbers nor flags.
struct PacketHeader {
  std::uint32_t source_address, target_address;
  std::uint16_t source_port, target_port;
  std::uint32_t seq, ack;
  std::uint8_t flags;
  Codepoint codepoint;
  std::int32_t ip_bytes, payload_bytes;
  bool datagram;  // UDP, not TCP

  bool has(TcpFlag flag) const noexcept { return (flags & flag) != 0; }
};

inline std::uint16_t read_16(const std::uint8_t* at) noexcept {
  return static_cast<std::uint16_t>(at[0] << 8 | at[1]);
}
inline std::uint32_t read_32(const std::uint8_t* at) noexcept {
  return std::uint32_t{read_16(at)} << 16 | read_16(at + 2);
}

// Returns the size of the TCP or UDP header in bytes, or 0 if a transport part of this size has no such header.
inline std::size_t transport_header(std::uint8_t protocol, const std::uint8_t* at,
                                    std::size_t size) noexcept {
  constexpr std::uint8_t kTcp = 6, kUdp = 17;
  constexpr std::size_t kLeastTcp = 20, kUdpHeader = 8;
  if (protocol == kUdp) {
    return size >= kUdpHeader && read_16(at + 4) == size ? kUdpHeader : 0;
  }
  if (protocol != kTcp || size < kLeastTcp) return 0;
  const std::size_t header = (std::size_t{at[12]} >> 4) * 4;
  return header >= kLeastTcp && header <= size ? header : 0;
}

// Returns a value only for a whole TCP segment or UDP datagram in IPv4.
inline std::optional<PacketHeader> read_header(const std::uint8_t* packet,
                                               std::size_t size) noexcept {
  constexpr std::size_t kLeastHeader = 20;
  if (size < kLeastHeader || packet[0] >> 4 != 4) return std::nullopt;
  const std::size_t ip = std::size_t{packet[0] & 0x0FU} * 4;
  const std::size_t total = read_16(packet + 2);
  if (ip < kLeastHeader || total > size || total < ip) return std::nullopt;
  const std::uint8_t* const transport = packet + ip;
  const std::size_t header = transport_header(packet[9], transport, total - ip);
  if (header == 0) return std::nullopt;
  const bool tcp = header >= kLeastHeader;
  return PacketHeader{read_32(packet + 12),
                      read_32(packet + 16),
                      read_16(transport),
                      read_16(transport + 2),
                      tcp ? read_32(transport + 4) : 0,
                      tcp ? read_32(transport + 8) : 0,
                      tcp ? transport[13] : std::uint8_t{0},
                      static_cast<Codepoint>(packet[1] & 3U),
                      static_cast<std::int32_t>(total),
                      static_cast<std::int32_t>(total - ip - header),
                      !tcp};
}

// Sets CE in an IPv4 packet.
inline void set_ce(std::uint8_t* packet) noexcept {
  const std::uint32_t before = read_16(packet);
  packet[1] = static_cast<std::uint8_t>(packet[1] | static_cast<std::uint8_t>(Codepoint::ce));
  const std::uint32_t after = read_16(packet);
  std::uint32_t sum =
      (~std::uint32_t{read_16(packet + 10)} & 0xFFFFU) + (~before & 0xFFFFU) + after;
  sum = (sum & 0xFFFFU) + (sum >> 16);
  sum = (sum & 0xFFFFU) + (sum >> 16);
  const std::uint32_t mended = ~sum & 0xFFFFU;
  packet[10] = static_cast<std::uint8_t>(mended >> 8);
  packet[11] = static_cast<std::uint8_t>(mended & 0xFFU);
}

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_PACKET_HEADER_H_
