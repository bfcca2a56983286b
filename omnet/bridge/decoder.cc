// SPDX-License-Identifier: Apache-2.0
// decode(): turns the values collected by the SAX handler into one checked message of the market.
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "codec.h"
#include "sax_handler.h"

namespace ecnomy::bridge {
namespace {

constexpr unsigned bit(Key key) { return 1u << key; }

// A message's type and its keys other than `type`, in the order of Incoming.
struct Shape {
  const char* type;
  unsigned keys;
};
constexpr Shape kShapes[] = {{"welcome", bit(kProtocol)},
                             {"refuse", bit(kReason)},
                             {"decide", bit(kEpoch) | bit(kFlows) | bit(kLinks)},
                             {"verdict", bit(kId) | bit(kAccept)},
                             {"bye", 0},
                             {"error", bit(kReason)},
                             {"show", bit(kJson)}};
// Messages that only an engine sends.
constexpr const char* kOthers[] = {"hello", "report", "request", "record",
                                   "hand",  "alive",  "finish"};

const Shape& shape_of(const SaxHandler& read) {
  if (!read.has(kType)) throw ProtocolError("missing-key", "type");
  if (read.type.empty() && read.fault) throw ProtocolError(read.fault->name, read.fault->detail);
  for (const Shape& shape : kShapes) {
    if (read.type == shape.type) return shape;
  }
  for (const char* other : kOthers) {
    if (read.type == other) throw ProtocolError("wrong-order", read.type + " from a market");
  }
  throw ProtocolError("unknown-type", shown(read.type));
}

void check_keys(const SaxHandler& read, const Shape& shape, bool newer_peer) {
  const std::string of = std::string(" in ") + shape.type;
  for (unsigned key = kProtocol; key < kUnknown; ++key) {
    const bool wanted = (shape.keys & bit(static_cast<Key>(key))) != 0;
    const bool found = read.has(static_cast<Key>(key));
    if (wanted && !found) throw ProtocolError("missing-key", kKeyNames[key] + of);
    if (found && !wanted && !newer_peer) throw ProtocolError("unknown-key", kKeyNames[key] + of);
  }
  if (newer_peer) return;
  if (read.unknown_key) throw ProtocolError("unknown-key", *read.unknown_key + of);
  if (read.unknown_column) throw ProtocolError("column-name", *read.unknown_column);
}

Welcome welcome(const SaxHandler& read) {
  if (read.protocol.size() != 2) {
    throw ProtocolError("wrong-type", "protocol is not [major, minor]");
  }
  if (read.protocol[0] != kMajor) {
    throw ProtocolError("wrong-major", "the market speaks protocol " +
                                           std::to_string(read.protocol[0]) + ", this engine " +
                                           std::to_string(kMajor));
  }
  if (read.protocol[1] < 0 || read.protocol[1] > 0x7fffffff) {
    throw ProtocolError("out-of-range", "minor " + std::to_string(read.protocol[1]));
  }
  return {kMajor, static_cast<int>(read.protocol[1])};
}

// Checks that a table has all of its columns, of equal length, or no columns.
void check_table(const SaxHandler& read, const char* table, unsigned from, unsigned to) {
  const auto column = [](unsigned i) { return static_cast<DecideColumn>(i); };
  bool any = false;
  for (unsigned i = from; i < to; ++i) any = any || read.has(column(i));
  if (!any) return;
  for (unsigned i = from; i < to; ++i) {
    const std::string name = std::string(table) + "." + kColumnNames[i];
    if (!read.has(column(i))) throw ProtocolError("column-name", name + " is missing");
    if (read.columns[i].size() != read.columns[from].size()) {
      throw ProtocolError("column-length", name + " has " + std::to_string(read.columns[i].size()) +
                                               " bytes, " + kColumnNames[from] + " " +
                                               std::to_string(read.columns[from].size()));
    }
  }
}

template <typename Value>
void take(std::vector<Value>& out, std::vector<std::uint8_t>& bytes) {
  out.resize(bytes.size() / sizeof(Value));
  if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  std::vector<std::uint8_t>().swap(bytes);  // frees the second copy
}

Decide decide(SaxHandler& read, const Limits& limits) {
  if (read.epoch < 0) throw ProtocolError("out-of-range", "epoch " + std::to_string(read.epoch));
  check_table(read, "flows", 0, read.has(kWeight) ? kFirstLinkColumn : unsigned{kWeight});
  check_table(read, "links", kFirstLinkColumn, kNoColumn);
  Decide message;
  message.epoch = read.epoch;
  take(message.flows.flow, read.columns[kFlow]);
  take(message.flows.mark_rate, read.columns[kMarkRate]);
  take(message.flows.rate_cap_bps, read.columns[kRateCapBps]);
  take(message.flows.mark_cap, read.columns[kMarkCap]);
  take(message.flows.active, read.columns[kActive]);
  take(message.flows.weight, read.columns[kWeight]);
  take(message.links.link, read.columns[kLink]);
  take(message.links.param, read.columns[kParam]);
  take(message.links.value, read.columns[kValue]);
  check(message, limits);
  return message;
}

}  // namespace

Incoming decode(std::string_view body, const Limits& limits) {
  if (body.empty()) throw ProtocolError("frame-empty", "a frame of no bytes");
  if (body.size() > kMaxBodyBytes) {
    throw ProtocolError("frame-too-large", std::to_string(body.size()) + " bytes");
  }
  SaxHandler read;
  const char* const first = body.data();
  SaxHandler::json::sax_parse(first, first + body.size(), &read,
                              SaxHandler::json::input_format_t::msgpack);
  const Shape& shape = shape_of(read);
  bool newer_peer = limits.newer_peer;
  const bool is_welcome = shape.keys == bit(kProtocol);
  if (is_welcome && !read.fault && read.has(kProtocol)) newer_peer = welcome(read).minor > kMinor;
  check_keys(read, shape, newer_peer);
  if (read.fault) throw ProtocolError(read.fault->name, read.fault->detail);
  switch (&shape - kShapes) {
    case 0:
      return welcome(read);
    case 1:
      return Refuse{read.reason};
    case 2:
      return decide(read, limits);
    case 3:
      return Verdict{read.id, read.accept};
    case 4:
      return Bye{};
    case 5:
      return Error{read.reason};
    default:
      return Show{std::move(read.json_text)};
  }
}

}  // namespace ecnomy::bridge
