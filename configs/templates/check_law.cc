// SPDX-License-Identifier: Apache-2.0
// Both laws beside their formulas.
#include <algorithm>
#include <cstdio>

#include "Gentle.h"
#include "Ramp.h"

namespace {

// With q packets waiting, the probability of a mark is slope q, at most 1.
bool marks() {
  const double slope = 0.01;
  own_law::Ramp law(&slope);
  for (int waiting = 0; waiting <= 200; waiting += 10) {
    const ecnomy::QueueView queue{waiting, 1500 * waiting, 10'000'000, ecnomy::kNever};
    const double expected = std::min(slope * waiting, 1.0);
    const auto decision = law.on_arrival(queue, {0, 1500}, 0, [] { return 0.5; });
    const bool marked = decision.action == ecnomy::Action::mark;
    if (law.probability() != expected || marked != (expected > 0.5)) {
      std::printf("%d packets: probability %g, expected %g\n", waiting, law.probability(),
                  expected);
      return false;
    }
  }
  return true;
}

// The window stays where 2 of its 10 packets are marked in a round trip, for w = 2.
bool sends() {
  const double w_and_gain[] = {2, 0.5};
  own_law::Gentle law(w_and_gain);
  ecnomy::Window window{10, 0, 1, 1000};
  law.on_ack(window, {10, 2});
  if (window.cwnd == 10) return true;
  std::printf("window: %g packets, expected 10\n", window.cwnd);
  return false;
}

}  // namespace

int main() { return marks() && sends() ? 0 : 1; }
