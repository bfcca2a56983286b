// SPDX-License-Identifier: Apache-2.0
// Rows of reports, decisions and tables: one per flow, or one for all flows of a source that is
// reported together (`rows: together`). The grouping into rows does not affect the flows.
#ifndef ECNOMY_HOST_ROWS_H_
#define ECNOMY_HOST_ROWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/plan.h"

namespace ecnomy {

class Rows {
 public:
  struct Row {
    std::size_t first, end;  // the flows [first, end)

    bool one() const noexcept { return end - first == 1; }
    double flows() const noexcept { return static_cast<double>(end - first); }
  };

  explicit Rows(const std::vector<SourcePlan>& sources) {
    for (const SourcePlan& source : sources) {
      const std::size_t count = static_cast<std::size_t>(source.count);
      spans_.push_back({rows_, flows_, count, source.together});
      flows_ += count;
      rows_ += source.together ? 1 : count;
      single_ = single_ && (count == 1 || !source.together);
    }
  }

  std::size_t size() const noexcept { return rows_; }
  // True if every row is one flow.
  bool single() const noexcept { return single_; }
  Row operator[](std::size_t row) const noexcept {
    const Span& span = *(after(row, &Span::row) - 1);
    return span.at(row - span.row);
  }

  // The row of a flow.
  std::int64_t of(std::int64_t flow) const noexcept {
    const std::size_t at = static_cast<std::size_t>(flow);
    const Span& span = *(after(at, &Span::flow) - 1);
    return static_cast<std::int64_t>(span.row + (span.together ? 0 : at - span.flow));
  }

  // Calls see(row) for each row in order.
  void each(auto&& see) const {
    for (const Span& span : spans_) {
      const std::size_t rows = span.together ? 1 : span.count;
      for (std::size_t row = 0; row < rows; ++row) see(span.at(row));
    }
  }

  // For each row, the sum of get(flow) over its flows.
  template <class Value>
  void sum(std::vector<Value>& column, auto&& get) const {
    column.clear();
    each([&](const Row& row) {
      Value total{};
      for (std::size_t flow = row.first; flow < row.end; ++flow) total += get(flow);
      column.push_back(total);
    });
  }

 private:
  // A source. If it has no flows, it has no rows, or one row if it is reported together.
  struct Span {
    std::size_t row, flow, count;  // its first row, its first flow, and its number of flows
    bool together;

    Row at(std::size_t place) const noexcept {
      if (together) return {flow, flow + count};
      return {flow + place, flow + place + 1};
    }
  };

  std::vector<Span>::const_iterator after(std::size_t value,
                                          std::size_t Span::* first) const noexcept {
    return std::upper_bound(
        spans_.begin(), spans_.end(), value,
        [first](std::size_t wanted, const Span& span) { return wanted < span.*first; });
  }

  std::vector<Span> spans_;
  std::size_t rows_ = 0, flows_ = 0;
  bool single_ = true;
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_ROWS_H_
