// SPDX-License-Identifier: Apache-2.0
// Reads lines and prints the answers of omnet/linux's pure parts, for test_packet_header.py.
//   packet HEX             header fields, and the packet with CE; "none" for another packet
//   open SEQ | send SEQ BYTES | ack SEQ    a ByteCount of 1000-byte segments
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "linux/byte_count.h"
#include "linux/packet_header.h"

namespace {

using namespace ecnomy::kernel;

void packet(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  const auto header = read_header(bytes.data(), bytes.size());
  if (!header) return void(std::puts("none"));
  std::printf("%u %u %u %u %u %u %u %d %d %d ", header->source_address, header->target_address,
              header->source_port, header->target_port, header->seq, header->ack, header->flags,
              static_cast<int>(header->codepoint), header->ip_bytes, header->payload_bytes);
  set_ce(bytes.data());
  for (const std::uint8_t byte : bytes) std::printf("%02x", byte);
  std::puts("");
}

}  // namespace

int main() {
  ByteCount count(1000);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb, hex;
    std::uint32_t seq = 0;
    std::int32_t bytes = 0;
    words >> verb;
    if (verb == "packet" && words >> hex) packet(hex);
    if (verb == "open" && words >> seq) count.open(seq);
    if (verb == "send" && words >> seq >> bytes) {
      const auto sent = count.send(seq, bytes);
      std::printf("%lld %d\n", static_cast<long long>(sent.segment), sent.again ? 1 : 0);
    }
    if (verb == "ack" && words >> seq) {
      const auto acked = count.acknowledge(seq);
      std::printf("%lld %lld %lld\n", static_cast<long long>(acked.next_segment),
                  static_cast<long long>(acked.packets), static_cast<long long>(acked.bytes));
    }
  }
}
