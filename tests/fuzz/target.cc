// SPDX-License-Identifier: Apache-2.0
// What reads bytes of others in the engine, for libFuzzer or for main.cc. The first byte chooses:
//
//   P   the rest is a plan; one that is taken is written as text and read again
//   D   the rest is the body of a frame from a market
//   H   the rest is all that a market says to an engine that says hello, then reports
//
// Refusals by name are what is wanted; any other exception, a sanitizer's finding or a hang is not.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bridge/client.h"
#include "host/plan.h"
#include "host/plan_text.h"
#include "host/registry.h"

namespace {

using namespace ecnomy::bridge;

constexpr std::size_t kMost = 64 << 10;  // that a socket takes without anybody who reads

void read_plan(std::string_view text) {
  try {
    ecnomy::plan_text(ecnomy::parse_plan(std::string(text)), ecnomy::find_law);
  } catch (const ecnomy::BadPlan&) {
  }
}

Limits limits() { return {8, 2, {1, 1}, false}; }

void read_frame(std::string_view body) {
  try {
    decode(body, limits());
  } catch (const ProtocolError&) {
  }
}

void talk(std::string_view said) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
  const std::string_view sent = said.substr(0, kMost);
  const bool whole = ::write(ends[0], sent.data(), sent.size()) == ssize_t(sent.size());
  ::shutdown(ends[0], SHUT_WR);
  try {
    Client client(ends[1]);
    client.set_limits(limits());
    if (whole) client.handshake({"fuzz", "1", "digest", 1, "", true});
    for (std::int64_t epoch = 0; whole && epoch < 3; ++epoch) {
      Report report;
      report.epoch = epoch;
      client.exchange(report);
      client.request({0, epoch, 0, "call", 0});
    }
  } catch (const ProtocolError&) {
  } catch (const PeerError&) {
  }
  ::close(ends[0]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'P') read_plan(rest);
  if (data[0] == 'D') read_frame(rest);
  if (data[0] == 'H') talk(rest);
  return 0;
}
