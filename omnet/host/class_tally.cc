// SPDX-License-Identifier: Apache-2.0
#include "host/class_tally.h"

#include <algorithm>
#include <iterator>

#include "host/delay_sum.h"

namespace ecnomy {

const ClassTally::Column ClassTally::kColumns[] = {
    {"arrivals", &Cell::arrivals},
    {"arrived_bytes", &Cell::arrived_bytes},
    {"drops", &Cell::drops},
    {"dropped_bytes", &Cell::dropped_bytes},
    {"marks", &Cell::marks},
    {"departures", &Cell::departures},
    {"departed_bytes", &Cell::departed_bytes},
    {"late", &Cell::late},
    {"delay_sum_ps", &Cell::delay_sum_ps},
    {"delay_max_ps", &Cell::delay_max_ps},
    {"busy_arrived_bytes", &Cell::busy_arrived_bytes},
    {"busy_dropped_bytes", &Cell::busy_dropped_bytes},
};

ClassTally::ClassTally(const Plan& plan)
    : every_(std::max<Time>(1, plan.record.classes_every)), duration_(plan.duration) {
  last_bin_ = std::max<Time>(0, (duration_ - 1) / every_);
  for (std::size_t link = 0; link < plan.links.size(); ++link) {
    first_.push_back(subjects_.size());
    const std::vector<LawPlan>& classes = plan.links[link].scheduler.classes;
    for (std::size_t n = 0; n < classes.size(); ++n) {
      const bool promised = classes[n].law == ServiceClass::kName;
      const double delay_s = promised ? ServiceClass(classes[n].values.data()).delay_s : -1;
      subjects_.push_back({static_cast<std::int64_t>(link), static_cast<std::int64_t>(n),
                           delay_s < 0 ? kNever : picoseconds(delay_s)});
    }
  }
}

ClassTally::Cell& ClassTally::cell(std::int32_t link, std::size_t service, Time now) {
  const std::int64_t bin = std::min(now / every_, last_bin_) - first_kept_;
  const std::size_t first = static_cast<std::size_t>(bin) * subjects_.size();
  if (first + subjects_.size() > cells_.size()) cells_.resize(first + subjects_.size());
  return cells_[first + first_[static_cast<std::size_t>(link)] + service];
}

void ClassTally::note_busy(Cell& cell, const ClassQueue& queue) const noexcept {
  cell.busy_arrived_bytes = queue.arrived_bytes();
  cell.busy_dropped_bytes = queue.dropped_bytes();
}

void ClassTally::arrived(std::int32_t link, std::size_t service, std::int64_t bytes,
                         const ClassQueue& queue, Time now) {
  Cell& at = cell(link, service, now);
  ++at.arrivals;
  at.arrived_bytes += bytes;
  note_busy(at, queue);
}

void ClassTally::dropped(std::int32_t link, std::size_t service, std::int64_t bytes,
                         const ClassQueue& queue, Time now) {
  Cell& at = cell(link, service, now);
  ++at.drops;
  at.dropped_bytes += bytes;
  note_busy(at, queue);
}

void ClassTally::departed(std::int32_t link, std::size_t service, std::int64_t bytes, Time waited,
                          Time now) {
  Cell& at = cell(link, service, now);
  ++at.departures;
  at.departed_bytes += bytes;
  add_delay(at.delay_sum_ps, waited);
  at.delay_max_ps = std::max(at.delay_max_ps, waited);
  const Time bound = subjects_[first_[static_cast<std::size_t>(link)] + service].bound;
  if (bound != kNever && waited > bound) ++at.late;
}

void ClassTally::marked(std::int32_t link, std::size_t service, Time now) {
  ++cell(link, service, now).marks;
}

void ClassTally::tell(bridge::Client& client, Time now) {
  if (subjects_.empty()) return;
  const std::int64_t all = last_bin_ + 1;
  const std::int64_t end = now >= duration_ ? all : std::min(all, now / every_);
  const std::int64_t bins = end - first_kept_;
  if (bins <= 0) return;
  const std::size_t rows = static_cast<std::size_t>(bins) * subjects_.size();
  if (cells_.size() < rows) cells_.resize(rows);
  std::vector<std::vector<std::int64_t>> columns(3 + std::size(kColumns));
  for (std::size_t row = 0; row < rows; ++row) {
    const Subject& subject = subjects_[row % subjects_.size()];
    const std::int64_t bin = first_kept_ + static_cast<std::int64_t>(row / subjects_.size());
    columns[0].push_back(bin * every_);
    columns[1].push_back(subject.link);
    columns[2].push_back(subject.service);
    check_delay_sum(cells_[row].delay_sum_ps, client, "classes.delay_sum_ps",
                    static_cast<std::int64_t>(row), "make their bins shorter");
    std::size_t at = 3;
    for (const Column& column : kColumns) columns[at++].push_back(cells_[row].*column.field);
  }
  bridge::Columns out{bridge::column("t_ps", columns[0]), bridge::column("link", columns[1]),
                      bridge::column("class", columns[2])};
  std::size_t at = 3;
  for (const Column& column : kColumns) out.push_back(bridge::column(column.name, columns[at++]));
  client.record("classes", out);
  cells_.erase(cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(rows));
  first_kept_ = end;
}

}  // namespace ecnomy
