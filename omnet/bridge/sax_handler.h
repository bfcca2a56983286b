// SPDX-License-Identifier: Apache-2.0
// The SAX handler behind decode(): it reads one market message in a single pass and stores its keys flat.
//
// Structural errors (depth, duplicate keys, an early end) are thrown at once. An error that depends on the message's
// type is kept until the end, since `type` may come last. The frame's size limits the memory, and kMaxDepth limits
// nlohmann's recursion.
#ifndef ECNOMY_BRIDGE_SAX_HANDLER_H_
#define ECNOMY_BRIDGE_SAX_HANDLER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol_error.h"

namespace ecnomy::bridge {

// The top-level keys of all market messages. kUnknown stands for any other key.
enum Key : unsigned {
  kType,
  kProtocol,
  kReason,
  kEpoch,
  kFlows,
  kLinks,
  kId,
  kAccept,
  kJson,
  kUnknown
};
inline constexpr std::array<const char*, kUnknown> kKeyNames = {
    "type", "protocol", "reason", "epoch", "flows", "links", "id", "accept", "json"};

// Columns of decide.flows and decide.links, in one numbering.
enum DecideColumn : unsigned {
  kFlow,
  kMarkRate,
  kRateCapBps,
  kMarkCap,
  kActive,
  kWeight,
  kLink,
  kParam,
  kValue,
  kNoColumn
};
inline constexpr std::array<const char*, kNoColumn> kColumnNames = {
    "flow", "mark_rate", "rate_cap_bps", "mark_cap", "active", "weight", "link", "param", "value"};
inline constexpr unsigned kFirstLinkColumn = kLink;

// Puts a peer's text in quotes, for messages. A long text is cut between two characters.
std::string shown(const std::string& text);

class SaxHandler {
 public:
  using json = nlohmann::json;

  bool null();
  bool boolean(bool value);
  bool number_integer(std::int64_t value);
  bool number_unsigned(std::uint64_t value);
  bool number_float(double value, const std::string& text);
  bool string(std::string& value);
  bool binary(json::binary_t& value);
  bool start_object(std::size_t count);
  bool key(std::string& name);
  bool end_object();
  bool start_array(std::size_t count);
  bool end_array();
  [[noreturn]] bool parse_error(std::size_t position, const std::string& token,
                                const nlohmann::detail::exception& error);

  struct Fault {
    std::string name;
    std::string detail;
  };

  bool has(Key key) const noexcept { return (present_keys_ & (1u << key)) != 0; }
  bool has(DecideColumn column) const noexcept { return (present_columns_ & (1u << column)) != 0; }

  std::string type;
  std::string reason;
  std::string json_text;
  std::vector<std::int64_t> protocol;
  std::int64_t epoch = 0;
  std::int64_t id = 0;
  bool accept = false;
  std::array<std::vector<std::uint8_t>, kNoColumn> columns;
  std::optional<Fault> fault;
  std::optional<std::string> unknown_key;     // the first one
  std::optional<std::string> unknown_column;  // the first one

 private:
  void start(bool object);
  void end();
  bool take(Key key, const char* found);
  void set_integer(std::int64_t value);
  void blame(const std::string& name, const std::string& detail);
  void wrong_type(const char* found);
  std::string where() const;

  int depth_ = 0;
  int skip_depth_ = 0;  // containers from this depth on are skipped; 0 skips none
  bool complete_ = false;
  Key key_ = kUnknown;
  DecideColumn column_ = kNoColumn;
  unsigned present_keys_ = 0;
  unsigned present_columns_ = 0;
};

}  // namespace ecnomy::bridge

#endif  // ECNOMY_BRIDGE_SAX_HANDLER_H_
