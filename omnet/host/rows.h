// SPDX-License-Identifier: Apache-2.0
// Rows of reports, decisions and tables: one per flow, or one for all flows of a source that is
// reported together (`rows: together`). The flows themselves know nothing of it.
#ifndef ECNOMY_HOST_ROWS_H_
#define ECNOMY_HOST_ROWS_H_

#include <cstdint>
#include <vector>

#include "host/plan.h"

namespace ecnomy {

class Rows {
 public:
  struct Row {
    std::size_t first, end;  // its flows: [first, end)
    bool together;

    double flows() const noexcept { return static_cast<double>(end - first); }
  };

  explicit Rows(const std::vector<SourcePlan>& sources) {
    std::size_t flows = 0, rows = 0;
    for (const SourcePlan& source : sources) {
      flows += static_cast<std::size_t>(source.count);
      rows += source.together ? 1 : static_cast<std::size_t>(source.count);
    }
    of_.reserve(flows);
    rows_.reserve(rows);
    for (const SourcePlan& source : sources) {
      const std::size_t each = source.together ? static_cast<std::size_t>(source.count) : 1;
      for (std::int32_t left = source.count; left > 0; left -= static_cast<std::int32_t>(each)) {
        const std::size_t first = of_.size();
        of_.insert(of_.end(), each, static_cast<std::int64_t>(rows_.size()));
        rows_.push_back({first, of_.size(), source.together});
      }
    }
  }

  std::size_t size() const noexcept { return rows_.size(); }
  const Row& operator[](std::size_t row) const noexcept { return rows_[row]; }
  auto begin() const noexcept { return rows_.begin(); }
  auto end() const noexcept { return rows_.end(); }

  // The row that a flow is in.
  std::int64_t of(std::int64_t flow) const noexcept { return of_[static_cast<std::size_t>(flow)]; }

  // Per row the sum of get(flow) over its flows.
  template <class Value>
  void sum(std::vector<Value>& column, auto&& get) const {
    column.clear();
    for (const Row& row : rows_) {
      Value total{};
      for (std::size_t flow = row.first; flow < row.end; ++flow) total += get(flow);
      column.push_back(total);
    }
  }

 private:
  std::vector<Row> rows_;
  std::vector<std::int64_t> of_;
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_ROWS_H_
