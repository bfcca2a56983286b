// SPDX-License-Identifier: Apache-2.0
// Encoding of the engine's messages, and the checks of a decoded decision.
// The decoder itself is in decoder.cc.
#include "codec.h"

#include <cmath>

#include "msgpack_writer.h"

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "columns travel as little-endian memory: this host would have to swap them"
#endif

namespace ecnomy::bridge {
namespace {

static_assert(sizeof(double) == 8 && sizeof(std::int64_t) == 8, "columns hold 8 bytes per value");

// Starts a frame, and completes it with its length.
class Writer {
 public:
  Writer(Frame& out, const char* type, std::size_t keys) : out_(out), writer_(out.text) {
    out_.text.assign(kHeaderBytes, '\0');
    out_.columns.clear();
    writer_.map(keys + 1);
    writer_.string("type");
    writer_.string(type);
  }

  void text(const char* key, std::string_view value) {
    writer_.string(key);
    writer_.string(value);
  }
  void integer(const char* key, std::int64_t value) {
    writer_.string(key);
    writer_.integer(value);
  }
  void real(const char* key, double value) {
    if (!std::isfinite(value)) throw ProtocolError("not-finite", key);
    writer_.string(key);
    writer_.real(value);
  }
  void columns(const char* key, const Columns& columns) {
    writer_.string(key);
    writer_.map(columns.size());
    for (const Column& column : columns) {
      if (column.count != columns.front().count) {
        throw ProtocolError("column-length", std::string(key) + "." + column.name);
      }
      if (column.count > kMaxBodyBytes / 8) throw ProtocolError("frame-too-large", column.name);
      writer_.string(column.name);
      writer_.binary_head(column.count * 8);
      out_.columns.emplace_back(out_.text.size(), column);
      apart_ += column.count * 8;
    }
  }
  MsgpackWriter& raw() noexcept { return writer_; }

  void close() {
    const std::size_t body = out_.text.size() - kHeaderBytes + apart_;
    if (body > kMaxBodyBytes) {
      throw ProtocolError("frame-too-large", std::to_string(body) + " bytes to send");
    }
    for (std::size_t i = 0; i < kHeaderBytes; ++i) {
      out_.text[i] = static_cast<char>((body >> (8 * (kHeaderBytes - 1 - i))) & 0xff);
    }
  }

 private:
  Frame& out_;
  MsgpackWriter writer_;
  std::size_t apart_ = 0;  // bytes of the columns, which are not in the text
};

std::string row(const char* column, std::size_t index, const std::string& value) {
  return std::string(column) + "[" + std::to_string(index) + "] = " + value;
}

void check_range(const char* column, const std::vector<std::int64_t>& values, std::int64_t low,
                 std::int64_t high) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < low || values[i] > high) {
      throw ProtocolError("out-of-range", row(column, i, std::to_string(values[i])));
    }
  }
}

void check_finite(const char* column, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw ProtocolError("not-finite", row(column, i, std::to_string(values[i])));
    }
  }
}

// A rate of -1 means "unchanged" or "no cap". Other negative values are invalid.
void check_rate(const char* column, const std::vector<double>& values) {
  check_finite(column, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0.0 && values[i] != -1.0) {
      throw ProtocolError("out-of-range", row(column, i, std::to_string(values[i])));
    }
  }
}

void check_known(const char* name, const char* column, const std::vector<std::int64_t>& values,
                 std::int64_t count) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0 || values[i] >= count) {
      throw ProtocolError(
          name, row(column, i, std::to_string(values[i])) + " of " + std::to_string(count));
    }
  }
}

void check_once(const std::vector<std::int64_t>& flows, std::int64_t count) {
  std::vector<bool> decided(static_cast<std::size_t>(count), false);
  for (const std::int64_t flow : flows) {
    const auto index = static_cast<std::size_t>(flow);
    if (decided[index]) {
      throw ProtocolError("out-of-range", "two decisions for flow " + std::to_string(flow));
    }
    decided[index] = true;
  }
}

void check_params(const LinkDecisions& links, const std::vector<std::int64_t>& params) {
  check_range("links.param", links.param, 0, INT64_MAX);
  if (params.empty()) return;
  for (std::size_t i = 0; i < links.param.size(); ++i) {
    if (links.param[i] >= params.at(static_cast<std::size_t>(links.link[i]))) {
      throw ProtocolError("out-of-range", row("links.param", i, std::to_string(links.param[i])));
    }
  }
}

}  // namespace

void append(const Column& column, std::size_t from, std::size_t end, std::string& to) {
  if (from == end) return;
  const char* at = static_cast<const char*>(column.data) + from * column.stride;
  if (column.stride == 8) {
    to.append(at, (end - from) * 8);
    return;
  }
  for (; from < end; ++from, at += column.stride) to.append(at, 8);
}

void encode(const Hello& message, Frame& frame) {
  Writer out(frame, "hello", 8);
  out.raw().string("protocol");
  out.raw().array(2);
  out.raw().integer(kMajor);
  out.raw().integer(kMinor);
  out.text("engine", message.engine);
  out.text("version", message.version);
  out.text("plan_digest", message.plan_digest);
  out.raw().string("seed");
  out.raw().unsigned_integer(message.seed);
  out.text("token", message.token);
  out.raw().string("show");
  out.raw().boolean(message.show);
  out.text("network", message.network);
  out.close();
}

void encode(const Report& message, Frame& frame) {
  Writer out(frame, "report", 5);
  out.integer("t_ps", message.t_ps);
  out.integer("epoch", message.epoch);
  out.columns("flows", message.flows);
  out.columns("links", message.links);
  out.columns("pairs", message.pairs);
  out.close();
}

void encode(const Request& message, Frame& frame) {
  Writer out(frame, "request", 5);
  out.integer("id", message.id);
  out.integer("t_ps", message.t_ps);
  out.integer("flow", message.flow);
  out.text("kind", message.kind);
  out.integer("duration_ps", message.duration_ps);
  out.close();
}

void encode(const Record& message, Frame& frame) {
  Writer out(frame, "record", 2);
  out.text("table", message.table);
  out.columns("columns", message.columns);
  out.close();
}

void encode(const Hand& message, Frame& frame) {
  Writer out(frame, "hand", 1);
  out.text("json", message.json);
  out.close();
}

void encode(const Alive& message, Frame& frame) {
  Writer out(frame, "alive", 2);
  out.integer("t_ps", message.t_ps);
  out.integer("events", message.events);
  out.close();
}

void encode(const Finish& message, Frame& frame) {
  Writer out(frame, "finish", 5);
  out.integer("t_ps", message.t_ps);
  out.integer("events", message.events);
  out.integer("data_packets", message.data_packets);
  out.integer("packet_hops", message.packet_hops);
  out.real("cpu_s", message.cpu_s);
  out.close();
}

void encode(const Error& message, Frame& frame) {
  Writer out(frame, "error", 1);
  out.text("reason", message.reason);
  out.close();
}

std::size_t body_bytes(const unsigned char* header) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < kHeaderBytes; ++i) bytes = (bytes << 8) | header[i];
  if (bytes == 0) throw ProtocolError("frame-empty", "a frame of no bytes");
  if (bytes > kMaxBodyBytes) {
    throw ProtocolError("frame-too-large", std::to_string(bytes) + " bytes announced");
  }
  return bytes;
}

void check(const Decide& decide, const Limits& limits) {
  check_known("unknown-flow", "flows.flow", decide.flows.flow, limits.flows);
  check_once(decide.flows.flow, limits.flows);
  check_rate("flows.mark_rate", decide.flows.mark_rate);
  check_rate("flows.rate_cap_bps", decide.flows.rate_cap_bps);
  check_range("flows.mark_cap", decide.flows.mark_cap, -1, INT64_MAX);
  check_range("flows.active", decide.flows.active, 0, 1);
  check_rate("flows.weight", decide.flows.weight);
  check_known("unknown-link", "links.link", decide.links.link, limits.links);
  check_params(decide.links, limits.params);
  check_finite("links.value", decide.links.value);
}

const char* type_name(const Incoming& message) noexcept {
  static constexpr const char* kNames[] = {"welcome", "refuse", "decide", "verdict",
                                           "bye",     "error",  "show"};
  static_assert(std::variant_size_v<Incoming> == sizeof kNames / sizeof kNames[0]);
  return kNames[message.index()];
}

}  // namespace ecnomy::bridge
