// SPDX-License-Identifier: Apache-2.0
// How many basic blocks of a law's code a packet takes, by the number of flows and by the packets that wait.
//
// The laws are compiled with -fsanitize-coverage=trace-pc, by which the compiler calls
// __sanitizer_cov_trace_pc at the start of every basic block, those of the standard library's templates
// included; that function is compiled apart, with -DCOUNTER, and counts. Blocks are no instructions, but none has a
// loop: what a law does more of with more flows shows in them. Calls into compiled libraries are not seen.
//
// All flows take turns, a packet each; the queue is kept at `waiting` packets of as many flows. Prints lines of
//   law load flows waiting mean most
// over the arrivals (with the departures between them) of a second after three others, and `timer` lines of
// the law's clock, a call each.
#include <cstdint>

#ifdef COUNTER

static std::uint64_t blocks = 0;
extern "C" void __sanitizer_cov_trace_pc() { ++blocks; }
std::uint64_t blocks_so_far() { return blocks; }

#else

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>

#include "marking/flow_projection.h"
#include "marking/flow_projection_heuristic.h"
#include "marking/rem.h"

std::uint64_t blocks_so_far();

namespace {

using namespace ecnomy;

constexpr std::int64_t kRate =
    1'000'000;  // slow, so that what is projected is far beyond an empty buffer
constexpr int kBytes = 500;
constexpr int kPackets = 20'000;  // a second: every flow is heard in it
constexpr Time kSecond = 1'000'000'000'000;

struct Draws {
  std::uint64_t state = 1;
  double operator()() noexcept {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) / 9007199254740992.0;
  }
};

template <class Law>
void measure(const char* load, const double* values, int flows, int waiting) {
  Law law(values);
  Draws draws;
  std::deque<PacketView> queue;
  std::uint64_t sum = 0, most = 0, timer = 0, count = 0, timers = 0;
  Time due = law.first_timer();
  for (int index = 0; index < 4 * kPackets; ++index) {
    const Time now = index * (kSecond / kPackets);
    const bool counted = index >= 3 * kPackets;
    while (due != kNever && due <= now) {
      const QueueView view{static_cast<std::int64_t>(queue.size()),
                           static_cast<std::int64_t>(queue.size()) * kBytes, kRate, kNever};
      const std::uint64_t before = blocks_so_far();
      due = law.on_timer(view, due);
      timer += counted ? blocks_so_far() - before : 0;
      timers += counted ? 1 : 0;
    }
    const PacketView packet{index % flows, kBytes, true, false};
    const QueueView view{static_cast<std::int64_t>(queue.size()),
                         static_cast<std::int64_t>(queue.size()) * kBytes, kRate, kNever};
    std::uint64_t before = blocks_so_far();
    law.on_arrival(view, packet, now, draws);
    std::uint64_t taken = blocks_so_far() - before;
    queue.push_back(packet);
    if (static_cast<int>(queue.size()) > waiting) {
      const PacketView first = queue.front();
      queue.pop_front();
      before = blocks_so_far();
      law.on_departure(view, first, now, draws);
      taken += blocks_so_far() - before;
    }
    if (!counted) continue;
    sum += taken;
    most = std::max(most, taken);
    ++count;
  }
  std::printf("%s %s %d %d %.6f %llu\n", Law::kName, load, flows, waiting,
              static_cast<double>(sum) / static_cast<double>(count),
              static_cast<unsigned long long>(most));
  if (timers == 0) return;
  std::printf("%s timer %d %d %.6f %llu\n", Law::kName, flows, waiting,
              static_cast<double>(timer) / static_cast<double>(timers),
              static_cast<unsigned long long>(timers));
}

}  // namespace

int main() {
  // Room for everything: projections alone. No room at all: marks at every arrival.
  const double room[] = {1e9, kBytes, 10, 0.9, 1e9, 0, 1, 0, 0, 3, 8};
  const double full[] = {0, kBytes, 10, 0.9, 1e9, 0, 1, 0, 0, 3, 8};
  const double rem[] = {2, 1.001, 0.005, 0.1, 20, 1, 0.002, 0.1, 1, 0, 0, kBytes};
  for (const int flows : {10, 100, 1000, 10000}) {
    measure<FlowProjectionHeuristic>("projection", room, flows, 5);
    measure<Rem>("packet", rem, flows, 30);
    if (flows <= 1000) measure<FlowProjection>("projection", room, flows, 5);
    if (flows >= 1000) measure<FlowProjectionHeuristic>("marking", full, flows, 300);
  }
  for (const int waiting : {30, 100, 300, 1000, 3000})
    measure<FlowProjectionHeuristic>("marking", full, 10000, waiting);
}

#endif
