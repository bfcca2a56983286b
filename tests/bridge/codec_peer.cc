// SPDX-License-Identifier: Apache-2.0
// The C++ end of the bridge tests: a small program over omnet/bridge.
//
//   decode FLOWS LINKS [newer]    frames from stdin: `ok TYPE` or the refusal's name, one line each
//   encode                        one frame of each message an engine sends, to stdout
//   refuse                        how it refuses messages that no market accepts, one line each
//   session PEER EPOCHS FLOWS [show]   a whole run; PEER is fd:N or an address; prints how it went
//   records PEER ROWS             a report, then a table of so many rows; prints `bye`
//   waiting PEER                  handshake and first report under a hook that stops after a second
//   computing PEER                handshake, then looks for a hang-up as a computing engine does
//   bench PEER ROUNDS FLOWS       `median_us N` of the exchange
//   fuzz N SEED [dump]            N random bodies through decode(); with dump, `HEX result` a line
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "client.h"
#include "codec.h"
#include "peer_data.h"
#include "peer_fuzz.h"

namespace {

using namespace ecnomy::bridge;
using namespace ecnomy::bridge::test;
using Arguments = std::vector<std::string>;

std::size_t number(const Arguments& arguments, std::size_t index) {
  return std::stoul(arguments.at(index));
}

std::string judge(std::string_view body, const Limits& limits) {
  try {
    return std::string("ok ") + type_name(decode(body, limits));
  } catch (const ProtocolError& e) {
    return e.name();
  }
}

int run_decode(const Arguments& arguments) {
  Limits limits{static_cast<std::int64_t>(number(arguments, 0)),
                static_cast<std::int64_t>(number(arguments, 1)),
                {},
                arguments.size() > 2};
  const std::string all{std::istreambuf_iterator<char>(std::cin), {}};
  for (std::size_t at = 0; at < all.size();) {
    if (all.size() - at < kHeaderBytes) return std::puts("truncated"), 0;
    try {
      const auto* header = reinterpret_cast<const unsigned char*>(all.data() + at);
      const std::size_t size = body_bytes(header);
      at += kHeaderBytes;
      if (size > all.size() - at) return std::puts("truncated"), 0;
      std::puts(judge(std::string_view(all).substr(at, size), limits).c_str());
      at += size;
    } catch (const ProtocolError& e) {
      return std::puts(e.name().c_str()), 0;
    }
  }
  return 0;
}

Hello sample_hello() { return {"peer", "0.1", "abc123", 18446744073709551615u, "secret"}; }

int run_encode() {
  Table table;
  Report sample = report(table, {3, 2, 2});
  sample.t_ps = 1000000000000;
  sample.epoch = 1;
  Hello looked_at = sample_hello();
  looked_at.show = true;
  std::cout << encode(sample_hello()) << encode(looked_at) << encode(sample)
            << encode(Request{-200, 70000, 2, "call", 300}) << encode(series(table, 5))
            << encode(Hand{"{\"willingness\": {\"\u00e9\": 1.5}}"})
            << encode(Alive{4294967296, 65535}) << encode(Finish{-1, 128, 255, 256, 2.5})
            << encode(Error{std::string(40, 'x') + " \xc3\xa9"});
  return 0;
}

template <typename Message>
void print_refusal(const Message& message) {
  try {
    encode(message);
    std::puts("sent");
  } catch (const ProtocolError& e) {
    std::printf("%s: %s\n", e.name().c_str(), e.detail().c_str());
  }
}

// No values are read here, so no memory is needed for the columns that are too large.
int run_refuse() {
  Table table;
  for (const std::size_t rows : {4u, 6u}) {
    Record uneven = series(table, 5);
    uneven.columns[2].count = rows;
    print_refusal(uneven);
  }
  Record large = series(table, 0);
  large.columns.resize(1);
  large.columns[0].count = kMaxBodyBytes / 8 + 1;
  print_refusal(large);
  large.columns[0].count = kMaxBodyBytes / 8;  // no room for the names
  print_refusal(large);
  print_refusal(Finish{0, 0, 0, 0, std::nan("")});
  print_refusal(Finish{0, 0, 0, 0, -HUGE_VAL});
  return 0;
}

Client open(const std::string& peer) {
  if (peer.rfind("fd:", 0) == 0) return Client(std::stoi(peer.substr(3)));
  return Client::connect(peer);
}

void meet(Client& client, std::size_t flows, bool show = false) {
  Hello hello = sample_hello();
  hello.show = show;
  client.handshake(hello);
  client.set_limits({static_cast<std::int64_t>(flows), 2, {}, false});
}

int run_session(const Arguments& arguments) {
  const std::size_t epochs = number(arguments, 1), flows = number(arguments, 2);
  Client client = open(arguments[0]);
  const bool show = arguments.size() > 3;
  meet(client, flows, show);
  Table table;
  Report now = report(table, {flows, 2, 2 * flows});
  for (std::size_t i = 0; i < epochs; ++i) {
    now.t_ps = static_cast<std::int64_t>(i) * 1000000000000;
    now.epoch = static_cast<std::int64_t>(i);
    if (i > 0) {
      const Record rows = series(table, 4);
      client.record(rows.table, rows.columns);
      client.alive(now.t_ps - 1, 17);
      const Request call{static_cast<std::int64_t>(i), now.t_ps - 1, 0, "call", 5};
      std::printf("accept %d\n", client.request(call));
    }
    const Decide decide = client.exchange(now);
    if (show) std::printf("show %s\n", client.shown().c_str());
    double sum = 0;
    for (const double rate : decide.flows.mark_rate) sum += rate;
    std::printf("decide %zu %.17g %zu\n", decide.flows.flow.size(), sum, decide.links.link.size());
  }
  client.finish({now.t_ps, 1000, 900, 1800, 0.25});
  std::puts("bye");
  return 0;
}

int run_records(const Arguments& arguments) {
  Client client = open(arguments.at(0));
  meet(client, 3);
  Table table;
  client.exchange(report(table, {3, 2, 6}));
  const Record rows = series(table, number(arguments, 1));
  client.record(rows.table, rows.columns);
  client.finish({0, 0, 0, 0, 0.0});
  std::puts("bye");
  return 0;
}

int run_waiting(const Arguments& arguments) {
  Client client = open(arguments.at(0));
  meet(client, 1);
  int calls = 0;
  client.set_wait_hook([&] { return ++calls < 20; });
  Table table;
  try {
    client.exchange(report(table, {1, 2, 2}));
  } catch (const Stopped& e) {
    std::printf("stopped after %d: %s\n", calls, e.what());
    return 0;
  }
  std::printf("answered after %d\n", calls);
  return 0;
}

int run_computing(const Arguments& arguments) {
  Client client = open(arguments.at(0));
  meet(client, 1);
  std::puts(client.hung_up() ? "gone" : "there");
  std::fflush(stdout);
  for (int i = 0; i < 200 && !client.hung_up(); ++i) ::usleep(50000);
  if (!client.hung_up()) return std::puts("still there"), 0;
  client.throw_gone();
}

int run_bench(const Arguments& arguments) {
  using Clock = std::chrono::steady_clock;
  const std::size_t rounds = number(arguments, 1), flows = number(arguments, 2);
  Client client = open(arguments[0]);
  const bool show = arguments.size() > 3;
  meet(client, flows, show);
  Table table;
  Report now = report(table, {flows, flows > 0 ? std::size_t{2} : 0, 2 * flows});
  std::vector<double> micros;
  for (std::size_t i = 0; i < rounds; ++i) {
    now.t_ps = now.epoch = static_cast<std::int64_t>(i);
    const auto start = Clock::now();
    client.exchange(now);
    micros.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  client.finish({now.t_ps, 0, 0, 0, 0.0});
  std::nth_element(micros.begin(), micros.begin() + static_cast<long>(rounds / 2), micros.end());
  std::printf("median_us %.1f\n", micros[rounds / 2]);
  return 0;
}

int run_fuzz(const Arguments& arguments) {
  const Limits limits{8, 2, {}, false};
  Fuzz fuzz(number(arguments, 1), limits.flows);
  std::map<std::string, std::size_t> tally;
  for (std::size_t i = number(arguments, 0); i > 0; --i) {
    const std::string body = fuzz.frame();
    const std::string result = judge(body, limits);
    ++tally[result];
    if (arguments.size() < 3) continue;
    for (const char byte : body) std::printf("%02x", static_cast<unsigned char>(byte));
    std::printf(" %s\n", result.c_str());
  }
  for (const auto& [result, count] : tally) {
    if (arguments.size() < 3) std::printf("%s: %zu\n", result.c_str(), count);
  }
  return 0;
}

int run(const std::string& mode, const Arguments& arguments) {
  if (mode == "decode") return run_decode(arguments);
  if (mode == "encode") return run_encode();
  if (mode == "refuse") return run_refuse();
  if (mode == "session") return run_session(arguments);
  if (mode == "records") return run_records(arguments);
  if (mode == "waiting") return run_waiting(arguments);
  if (mode == "computing") return run_computing(arguments);
  if (mode == "bench") return run_bench(arguments);
  if (mode == "fuzz") return run_fuzz(arguments);
  std::fprintf(stderr, "unknown mode %s\n", mode.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  try {
    return run(argv[1], Arguments(argv + 2, argv + argc));
  } catch (const PeerError& e) {
    std::printf("peer-error %s\n", e.what());
  } catch (const ProtocolError& e) {
    std::printf("refused %s\n", e.what());
  }
  return 1;
}
