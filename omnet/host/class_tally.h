// SPDX-License-Identifier: Apache-2.0
// Arrivals, departures and delays of each class of each link with a scheduler, in bins of time from the beginning
// to the end of the run (PROTOCOL.md, record table classes). The bins are sent with the reports.
#ifndef ECNOMY_HOST_CLASS_TALLY_H_
#define ECNOMY_HOST_CLASS_TALLY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bridge/client.h"
#include "host/plan.h"
#include "laws/scheduling/class_queue.h"
#include "laws/scheduling/service_class.h"

namespace ecnomy {

class ClassTally {
 public:
  // The plan must outlive it.
  explicit ClassTally(const Plan& plan);

  void arrived(std::int32_t link, std::size_t service, std::int64_t bytes, const ClassQueue& queue,
               Time now);
  void dropped(std::int32_t link, std::size_t service, std::int64_t bytes, const ClassQueue& queue,
               Time now);
  void departed(std::int32_t link, std::size_t service, std::int64_t bytes, Time waited, Time now);
  void marked(std::int32_t link, std::size_t service, Time now);

  // Sends the bins that have ended by `now`, and all bins at the end of the run.
  void tell(bridge::Client& client, Time now);

 private:
  struct Cell {
    std::int64_t arrivals = 0, arrived_bytes = 0, drops = 0, dropped_bytes = 0, marks = 0;
    std::int64_t departures = 0, departed_bytes = 0, late = 0;
    std::int64_t delay_sum_ps = 0, delay_max_ps = 0;
    std::int64_t busy_arrived_bytes = 0, busy_dropped_bytes = 0;
  };
  struct Column {
    const char* name;
    std::int64_t Cell::* field;
  };
  static const Column kColumns[];
  struct Subject {
    std::int64_t link, service;
    Time bound;  // -1: no bound
  };

  Cell& cell(std::int32_t link, std::size_t service, Time now);
  void note_busy(Cell& cell, const ClassQueue& queue) const noexcept;

  Time every_, duration_;
  std::int64_t last_bin_;
  std::vector<Subject> subjects_;
  std::vector<std::size_t> first_;  // index of each link's first subject
  std::vector<Cell> cells_;         // starts with the bin first_kept_
  std::int64_t first_kept_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_CLASS_TALLY_H_
