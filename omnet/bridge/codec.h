// SPDX-License-Identifier: Apache-2.0
// Converts between the frames of the bridge and values, without sockets. PROTOCOL.md defines the format.
//
// A frame is a u32 big-endian body length and a MessagePack map. Encoding does not copy columns: a frame
// is written in pieces, so that a report of many rows needs little memory. Decoding runs a SAX handler over the body.
// It does not build a document from a peer's data.
#ifndef ECNOMY_BRIDGE_CODEC_H_
#define ECNOMY_BRIDGE_CODEC_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages.h"
#include "protocol_error.h"

namespace ecnomy::bridge {

inline constexpr std::size_t kHeaderBytes = 4;

// The limits of the values in decisions.
struct Limits {
  std::int64_t flows = 0;
  std::int64_t links = 0;
  // Number of parameters of each link's law. If it is empty, the caller checks the upper bound.
  std::vector<std::int64_t> params;
  // If the peer's minor version is newer than this engine's, unknown keys and columns are skipped, not refused.
  bool newer_peer = false;
};

// A frame with its length, without the values of its columns. The values must outlive the frame.
struct Frame {
  std::string text;
  std::vector<std::pair<std::size_t, Column>> columns;  // position in `text`, column
};

// Appends the values [from, end) of a column.
void append(const Column& column, std::size_t from, std::size_t end, std::string& to);

// Hands the bytes of a frame to `sink` in pieces of about `most` bytes, gathered in `buffer`.
template <typename Sink>
void pour(const Frame& frame, std::string& buffer, std::size_t most, Sink&& sink) {
  buffer.clear();
  std::size_t appended = 0;
  for (const auto& [at, column] : frame.columns) {
    buffer.append(frame.text, appended, at - appended);
    appended = at;
    for (std::size_t from = 0; from < column.count;) {
      const std::size_t room = buffer.size() < most ? (most - buffer.size()) / 8 : 0;
      const std::size_t end = from + std::min(column.count - from, room + 1);
      append(column, from, end, buffer);
      from = end;
      if (buffer.size() < most) continue;
      sink(buffer);
      buffer.clear();
    }
  }
  buffer.append(frame.text, appended);
  sink(buffer);
}

// Each function replaces `frame` by a frame of the message and keeps its capacity. It throws ProtocolError with the
// name column-length, not-finite (a scalar) or frame-too-large.
void encode(const Hello& message, Frame& frame);
void encode(const Report& message, Frame& frame);
void encode(const Request& message, Frame& frame);
void encode(const Record& message, Frame& frame);
void encode(const Hand& message, Frame& frame);
void encode(const Alive& message, Frame& frame);
void encode(const Finish& message, Frame& frame);
void encode(const Error& message, Frame& frame);

// Returns the whole frame.
template <typename Message>
std::string encode(const Message& message) {
  Frame frame;
  encode(message, frame);
  std::string out, buffer;
  pour(frame, buffer, kMaxBodyBytes, [&](const std::string& piece) { out += piece; });
  return out;
}

// Returns the body length in the four bytes at `header`. Throws frame-empty or frame-too-large.
std::size_t body_bytes(const unsigned char* header);

// Returns the message in `body`. Decisions are checked against `limits`. Throws ProtocolError with the name of the
// fault.
Incoming decode(std::string_view body, const Limits& limits);

// Checks a decoded decision, on behalf of decode(). Throws unknown-flow, unknown-link, not-finite or out-of-range.
void check(const Decide& decide, const Limits& limits);

}  // namespace ecnomy::bridge

#endif  // ECNOMY_BRIDGE_CODEC_H_
