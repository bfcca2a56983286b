// SPDX-License-Identifier: Apache-2.0
// Reads lines and prints the answers of omnet/linux's pure parts, for test_packet_header.py.
//   packet HEX             header fields, and the packet with CE; "none" for another packet
//   wtp GAIN W_INC W_DEC PACED SEED   a window after random ACKs: in fixed point and by wtp.h
//   open SEQ | send SEQ BYTES | ack SEQ    a ByteCount of 1000-byte segments
#include <cstdio>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "laws/window/wtp.h"
#include "linux/byte_count.h"
#include "linux/control/wtp_steps.h"
#include "linux/law_settings.h"
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
  std::printf("%u %u %u %u %u %u %u %d %d %d %d ", header->source_address, header->target_address,
              header->source_port, header->target_port, header->seq, header->ack, header->flags,
              static_cast<int>(header->codepoint), header->ip_bytes, header->payload_bytes,
              header->datagram ? 1 : 0);
  set_ce(bytes.data());
  for (const std::uint8_t byte : bytes) std::printf("%02x", byte);
  std::puts("");
}

// 2000 ACKs, a tenth of them with a mark: one window per step, in both computations.
void wtp(double gain, double w_inc, double w_dec, bool paced, unsigned seed) {
  const double values[] = {2, gain, w_inc, w_dec};
  ecnomy::TransportPlan tcp{};
  tcp.window = {"wtp", {values, values + 4}};
  tcp.paced = paced;
  tcp.min_window = 1.0 / 64;
  tcp.initial_window = 3;
  const ecnomy_settings settings = wtp_settings(tcp, w_inc * w_dec);
  wtp_window fixed_law{settings.first_window, 0, 0};
  ecnomy::Wtp law(values);
  ecnomy::Window window{3, 0, real(settings.least_window), 1e9};
  std::minstd_rand random(seed);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t packets = 1 + static_cast<std::int64_t>(random() % 3);
    const std::int64_t marks = random() % 10 == 0 ? 1 : 0;
    const double trips = static_cast<double>(random() % 1000) / 4000;
    wtp_ack(&fixed_law, &settings, static_cast<whole>(packets), static_cast<whole>(marks),
            paced ? fixed(trips) : NO_TRIPS);
    law.on_ack(window, {packets, marks, paced ? trips : -1.0});
    std::printf("%.9g %.9g\n", real(fixed_law.window), window.cwnd);
  }
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
    double gain = 0, w_inc = 0, w_dec = 0;
    int paced = 0;
    unsigned seed = 0;
    if (verb == "wtp" && words >> gain >> w_inc >> w_dec >> paced >> seed) {
      wtp(gain, w_inc, w_dec, paced != 0, seed);
    }
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
