// SPDX-License-Identifier: Apache-2.0
// Messages with known contents for the tests: row i of column j holds 1000 (j + 1) + i, as a float
// (j + 1 + i / 4) / 64. test_bridge_golden.py computes the same.
#ifndef ECNOMY_TESTS_BRIDGE_PEER_DATA_H_
#define ECNOMY_TESTS_BRIDGE_PEER_DATA_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "messages.h"

namespace ecnomy::bridge::test {

// Owns the arrays that a message's columns span.
class Table {
 public:
  Columns make(const std::vector<std::string>& ints, const std::vector<std::string>& floats,
               std::size_t rows) {
    Columns columns;
    for (const std::string& name : ints) {
      auto& values = ints_.emplace_back(rows);
      for (std::size_t i = 0; i < rows; ++i) {
        values[i] = static_cast<std::int64_t>(1000 * (columns.size() + 1) + i);
      }
      columns.push_back(column(names_.emplace_back(name).c_str(), values));
    }
    for (const std::string& name : floats) {
      auto& values = floats_.emplace_back(rows);
      for (std::size_t i = 0; i < rows; ++i) {
        values[i] = (static_cast<double>(columns.size() + 1) + static_cast<double>(i) / 4) / 64;
      }
      columns.push_back(column(names_.emplace_back(name).c_str(), values));
    }
    return columns;
  }

  // The first column called `name` made so far, row by row, for columns that hold indices.
  void fill_index(const Columns& columns, const std::string& name, std::size_t modulus) {
    for (const Column& one : columns) {
      if (name != one.name) continue;
      for (auto& values : ints_) {
        if (values.data() != one.data) continue;
        for (std::size_t i = 0; i < values.size(); ++i) {
          values[i] = static_cast<std::int64_t>(i % modulus);
        }
      }
    }
  }

 private:
  std::deque<std::vector<std::int64_t>> ints_;
  std::deque<std::vector<double>> floats_;
  std::deque<std::string> names_;
};

struct Sizes {
  std::size_t flows;
  std::size_t links;
  std::size_t pairs;
};

inline Report report(Table& table, const Sizes& sizes) {
  Report message;
  message.flows = table.make({"sent",
                              "sent_bytes",
                              "retransmitted",
                              "acked",
                              "acked_bytes",
                              "delivered",
                              "delivered_bytes",
                              "ce",
                              "ce_bytes",
                              "ece",
                              "lost",
                              "delay_sum_ps",
                              "timeouts",
                              "saturated_ps",
                              "control_ce",
                              "in_flight",
                              "active",
                              "files",
                              "file_bytes",
                              "file_left",
                              "late_0",
                              "late_1"},
                             {"cwnd", "cwnd_integral", "srtt_s", "weight"}, sizes.flows);
  message.links =
      table.make({"arrivals", "arrived_bytes", "marks", "drops", "dropped_bytes", "law_drops",
                  "not_ect_drops", "ce_dropped", "departures", "departed_bytes", "busy_ps",
                  "queue_packets", "queue_bytes", "queue_max"},
                 {"queue_integral", "probability"}, sizes.links);
  message.pairs =
      table.make({"source", "link", "arrivals", "marks", "drops", "ce_dropped", "ce_in_flight"}, {},
                 sizes.pairs);
  if (sizes.pairs > 0) {
    table.fill_index(message.pairs, "source", sizes.pairs);
    table.fill_index(message.pairs, "link", sizes.links);
  }
  return message;
}

inline Record series(Table& table, std::size_t rows) {
  return {"series", table.make({"t_ps", "name", "subject"}, {"value"}, rows)};
}

}  // namespace ecnomy::bridge::test

#endif  // ECNOMY_TESTS_BRIDGE_PEER_DATA_H_
