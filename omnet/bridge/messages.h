// SPDX-License-Identifier: Apache-2.0
// The messages of the bridge as values. PROTOCOL.md defines keys, columns and order.
//
// Outgoing columns are spans over the caller's arrays, which must outlive the call that sends them.
// Incoming columns are owned. Names end with their units.
#ifndef ECNOMY_BRIDGE_MESSAGES_H_
#define ECNOMY_BRIDGE_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace ecnomy::bridge {

inline constexpr int kMajor = 1;
inline constexpr int kMinor = 3;
inline constexpr std::size_t kMaxBodyBytes = std::size_t{64} << 20;
inline constexpr int kMaxDepth = 8;

// One outgoing column: `count` values of 8 bytes, float64 if `is_double`, else int64. The first value is at `data`, and
// each further value is `stride` bytes later. A field of structs can thus be sent without a copy.
struct Column {
  const char* name;
  const void* data;
  std::size_t count;
  bool is_double;
  std::size_t stride = 8;
};

inline Column column(const char* name, const std::vector<std::int64_t>& values) {
  return {name, values.data(), values.size(), false};
}
inline Column column(const char* name, const std::vector<double>& values) {
  return {name, values.data(), values.size(), true};
}
// A column over one field of all structs in `rows`.
template <typename Struct>
Column column(const char* name, const std::vector<Struct>& rows, std::int64_t Struct::* field) {
  return {name, rows.empty() ? nullptr : &(rows.front().*field), rows.size(), false,
          sizeof(Struct)};
}
template <typename Struct>
Column column(const char* name, const std::vector<Struct>& rows, double Struct::* field) {
  return {name, rows.empty() ? nullptr : &(rows.front().*field), rows.size(), true, sizeof(Struct)};
}

using Columns = std::vector<Column>;

// ---- engine to market

struct Hello {
  std::string engine;
  std::string version;
  std::string plan_digest;
  std::uint64_t seed = 0;
  std::string token;      // "" on an inherited socket
  bool show = false;      // with a graphical user interface: requests a Show before each decision
  std::string network{};  // the engine's plan as JSON; "" if the digest suffices
};

struct Report {
  std::int64_t t_ps = 0;
  std::int64_t epoch = 0;
  Columns flows;
  Columns links;
  Columns pairs;
};

struct Request {
  std::int64_t id = 0;
  std::int64_t t_ps = 0;
  std::int64_t flow = 0;
  std::string kind;
  std::int64_t duration_ps = 0;
};

struct Record {
  std::string table;
  Columns columns;
};

// The values that a user has set by hand, for the decision on the next report.
struct Hand {
  std::string json;
};

struct Alive {
  std::int64_t t_ps = 0;
  std::int64_t events = 0;
};

struct Finish {
  std::int64_t t_ps = 0;
  std::int64_t events = 0;
  std::int64_t data_packets = 0;
  std::int64_t packet_hops = 0;
  double cpu_s = 0.0;
};

// ---- market to engine

struct Welcome {
  int major = 0;
  int minor = 0;
};

struct Refuse {
  std::string reason;
};

// The columns have equal length. All are empty if the decision changes no flow.
struct FlowDecisions {
  std::vector<std::int64_t> flow;
  std::vector<double> mark_rate;       // target rate in marks/s; -1: unchanged
  std::vector<double> rate_cap_bps;    // cap in IP bits/s; -1: no cap
  std::vector<std::int64_t> mark_cap;  // cumulative marks; -1: no cap
  std::vector<std::int64_t> active;    // 0 or 1
  std::vector<double> weight;          // the law's weight; -1: unchanged; empty: all unchanged
};

struct LinkDecisions {
  std::vector<std::int64_t> link;
  std::vector<std::int64_t> param;  // index in the law's parameter list
  std::vector<double> value;
};

struct Decide {
  std::int64_t epoch = 0;
  FlowDecisions flows;
  LinkDecisions links;
};

// The market's data for a display, as a JSON object (PROTOCOL.md).
struct Show {
  std::string json;
};

struct Verdict {
  std::int64_t id = 0;
  bool accept = false;
};

struct Bye {};

// ---- in both directions

struct Error {
  std::string reason;
};

using Incoming = std::variant<Welcome, Refuse, Decide, Verdict, Bye, Error, Show>;

// The message's `type` on the wire.
const char* type_name(const Incoming& message) noexcept;

}  // namespace ecnomy::bridge

#endif  // ECNOMY_BRIDGE_MESSAGES_H_
