// SPDX-License-Identifier: Apache-2.0
#include "linux/abilities.h"

#include <cmath>

#include "host/registry.h"
#include "laws/window/cubic.h"
#include "laws/window/reno.h"
#include "laws/window/wtp.h"
#include "linux/kernel_laws.h"
#include "linux/own_space.h"
#include "linux/packet_header.h"

namespace ecnomy::kernel {
namespace {

constexpr std::int32_t kLeastPayload = 88;  // the kernel's smallest segment
constexpr std::int32_t kMostPayload = 60'000;
constexpr double kMostWindow = 1e9;  // the plan's value for no limit
// The plan's defaults mean the kernel's own limits, which a socket cannot always change.
constexpr Time kMostRto = 60 * static_cast<Time>(kPsPerSecond);
constexpr double kLeastWindow = 1;
constexpr Time kAckDelay = 40 * static_cast<Time>(kPsPerSecond) / 1000;
constexpr Time kFirstRto = static_cast<Time>(kPsPerSecond);

[[noreturn]] void refuse(const SourcePlan& source, const std::string& what,
                         const std::string& possible) {
  throw BadPlan("source " + in_quotes(source.name) + ": " + what +
                " is not possible with engine linux, which has " + possible);
}

void expect(bool holds, const SourcePlan& source, const std::string& what,
            const std::string& possible) {
  if (!holds) refuse(source, what, possible);
}

std::string in_bytes(std::int32_t bytes) { return std::to_string(bytes) + " bytes"; }

std::string words_of(Echo echo) {
  const char* names[] = {"off", "accurate", "accecn", "rfc3168"};
  return std::string("ecn: ") + names[static_cast<int>(echo)];
}

std::string words_of(ReduceFrom from) {
  const char* names[] = {"window", "flight", "pipe"};
  return std::string("reduce_from: ") + names[static_cast<int>(from)];
}

// The kernel's laws have no parameters, so a law must have its defaults.
void check_parameters_of(const SourcePlan& source) {
  const LawPlan& window = source.transport.window;
  const std::vector<Parameter>& table = find_law("window", window.law).parameters;
  for (std::size_t i = 0; i < table.size(); ++i) {
    expect(window.values[i] == table[i].fallback, source,
           std::string(table[i].name) + " of " + window.law,
           "the kernel's own " + window.law + " with default parameters only");
  }
}

void check_count(const SourcePlan& source) {
  expect(source.count <= kMostFlows, source, "a count of " + std::to_string(source.count),
         "at most " + std::to_string(kMostFlows) + " flows in a source");
}

void check_control(const SourcePlan& source) {
  const TransportPlan& tcp = source.transport;
  const std::string& law = tcp.window.law;
  if (is_own_law(law)) {
    if (!has_own_laws()) {
      throw BadPlan("source " + in_quotes(source.name) + ": window law " + law +
                    ": engine linux was built without BPF; install clang and libbpf-dev, and "
                    "build it again");
    }
    const bool wtp = law == Wtp::kName;
    expect(wtp ? tcp.echo == Echo::accurate : !counts_marks(tcp.echo), source, words_of(tcp.echo),
           wtp ? "ecn: accurate for wtp" : "ecn: off and rfc3168 for multcp");
    expect(!wtp || tcp.delayed_acks == 1, source, "delayed_acks above 1",
           "an ACK per packet for wtp, which needs each mark");
    expect(wtp || tcp.slow_start, source, "slow_start: false", "slow start in multcp");
    return;
  }
  expect(law == Reno::kName || law == NewReno::kName || law == Cubic::kName || is_bbr(law), source,
         "window law " + law, "reno, newreno, cubic, bbr, bbr1, wtp and multcp");
  expect(tcp.echo == Echo::off || tcp.echo == Echo::rfc3168, source, words_of(tcp.echo),
         "ecn: off and rfc3168 for " + tcp.window.law);
  check_parameters_of(source);
  expect(tcp.slow_start, source, "slow_start: false", "slow start in every kernel law");
}

void check_datagrams(const SourcePlan& source) {
  const TransportPlan& udp = source.transport;
  expect(udp.header_bytes == kDatagramHeaders, source, "header: " + in_bytes(udp.header_bytes),
         "headers of 28 bytes");
  expect(udp.payload_bytes <= kMostPayload, source,
         "a payload of " + std::to_string(udp.payload_bytes), "a payload of at most 60000 bytes");
}

void check_stream(const SourcePlan& source) {
  const TransportPlan& tcp = source.transport;
  check_control(source);
  expect(tcp.header_bytes == kHeaders && tcp.ack_bytes == kHeaders, source,
         "header: " + in_bytes(tcp.header_bytes) + " with ack: " + in_bytes(tcp.ack_bytes),
         "headers and ACKs of 40 bytes");
  expect(tcp.payload_bytes >= kLeastPayload && tcp.payload_bytes <= kMostPayload, source,
         "an mss of " + std::to_string(tcp.payload_bytes), "an mss of 88 to 60000 bytes");
  expect(!tcp.ect_all && !tcp.ect_1, source, "ECN in other packets than data, or ECT(1)",
         "ECT(0) in data packets");
  expect(tcp.delayed_acks <= 2, source, "delayed_acks above 2", "delayed_acks of 1 and 2");
  expect(tcp.receiver_window < 0, source, "a receiver window", "no limit of the receiver");
  expect(tcp.max_window >= kMostWindow, source, "a maximum window", "no limit of the window");
  expect(tcp.initial_window >= 1 && tcp.initial_window <= 1000, source,
         "an initial_window of " + in_short(tcp.initial_window) + " packets",
         "initial windows of 1 to 1000 packets");
  expect(tcp.repair, source, "repair: false", "repair of losses");
  expect(tcp.window.law == Wtp::kName || tcp.min_window <= kLeastWindow, source, "a cwnd_min",
         "the kernel's least window");
  expect(tcp.delayed_ack == kAckDelay || tcp.delayed_acks == 1, source, "a delayed_ack_time",
         "the kernel's delay of ACKs");
  expect(tcp.max_rto == kMostRto, source, "a max_rto", "the kernel's largest timeout");
  expect(tcp.initial_rto == kFirstRto, source, "an initial_rto", "the kernel's first timeout");
  expect(tcp.reference_rtt <= 0 && !tcp.rtt_mean, source, "a reference or mean RTT",
         "the kernel's smoothed RTT");
  expect(tcp.reduce_from == ReduceFrom::window, source, words_of(tcp.reduce_from),
         "reduce_from: window");
}

}  // namespace

void check_abilities(const Plan& plan) {
  if (plan.sources.size() > kMostSources)
    throw BadPlan("engine linux supports at most 65520 sources");
  for (const SourcePlan& source : plan.sources) {
    const bool tcp = source.transport.tcp;
    tcp ? check_stream(source) : check_datagrams(source);
    check_count(source);
    expect(!source.path.empty() && (!tcp || !source.ack_path.empty()), source,
           "a path without links", "paths of at least one link");
  }
}

}  // namespace ecnomy::kernel
