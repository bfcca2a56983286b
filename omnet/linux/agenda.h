// SPDX-License-Identifier: Apache-2.0
// The times at which flows act next: starts, files, the end of patience and steps of a profile. Entries are never
// withdrawn. A flow ignores a time that it no longer needs.
#ifndef ECNOMY_LINUX_AGENDA_H_
#define ECNOMY_LINUX_AGENDA_H_

#include <cstddef>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "laws/simulated_time.h"

namespace ecnomy::kernel {

class Agenda {
 public:
  void wake(std::size_t flow, Time at) { times_.emplace(at, flow); }
  // The earliest time, or kFarthest if nothing is planned.
  Time next() const noexcept { return times_.empty() ? kFarthest : times_.top().first; }
  // Removes the earliest entry and returns its flow.
  std::size_t take() {
    const std::size_t flow = times_.top().second;
    times_.pop();
    return flow;
  }

 private:
  using Entry = std::pair<Time, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> times_;
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_AGENDA_H_
