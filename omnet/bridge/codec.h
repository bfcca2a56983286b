// SPDX-License-Identifier: Apache-2.0
// Frames of the bridge <-> values, without sockets. Format: PROTOCOL.md.
//
// A frame is a u32 big-endian body length and a MessagePack map. Encoding copies each column once,
// into the frame; decoding runs a SAX handler over the body and builds no document of a peer's
// data.
#ifndef ECNOMY_BRIDGE_CODEC_H_
#define ECNOMY_BRIDGE_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "messages.h"
#include "protocol_error.h"

namespace ecnomy::bridge {

inline constexpr std::size_t kHeaderBytes = 4;

// What decisions are checked against.
struct Limits {
  std::int64_t flows = 0;
  std::int64_t links = 0;
  // Number of parameters of each link's law; empty leaves the upper bound to the caller.
  std::vector<std::int64_t> params;
  // The peer's minor is newer than ours: keys and columns we do not know are skipped, not refused.
  bool newer_peer = false;
};

// Each replaces `frame` by a whole frame, length included, and keeps its capacity.
// Throws ProtocolError: column-length, not-finite (a scalar), frame-too-large.
void encode(const Hello& message, std::string& frame);
void encode(const Report& message, std::string& frame);
void encode(const Request& message, std::string& frame);
void encode(const Record& message, std::string& frame);
void encode(const Alive& message, std::string& frame);
void encode(const Finish& message, std::string& frame);
void encode(const Error& message, std::string& frame);

template <typename Message>
std::string encode(const Message& message) {
  std::string frame;
  encode(message, frame);
  return frame;
}

// Body length that the four bytes at `header` announce. Throws frame-empty, frame-too-large.
std::size_t body_bytes(const unsigned char* header);

// The message in `body`; decisions are checked against `limits`. Throws ProtocolError by name.
Incoming decode(std::string_view body, const Limits& limits);

// Checks a decoded decision: unknown-flow, unknown-link, not-finite, out-of-range. decode() calls
// it.
void check(const Decide& decide, const Limits& limits);

}  // namespace ecnomy::bridge

#endif  // ECNOMY_BRIDGE_CODEC_H_
