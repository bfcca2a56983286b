// SPDX-License-Identifier: Apache-2.0
// Appends MessagePack values to a string, each in its shortest form (github.com/msgpack/msgpack/spec.md). It supports
// only the types that the bridge sends: maps, arrays of two, strings, integers, float64 and columns as bin. It is
// hand-written so that a column goes to the socket without being copied first.
#ifndef ECNOMY_BRIDGE_MSGPACK_WRITER_H_
#define ECNOMY_BRIDGE_MSGPACK_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ecnomy::bridge {

class MsgpackWriter {
 public:
  explicit MsgpackWriter(std::string& out) noexcept : out_(out) {}

  void map(std::size_t pairs) { head(pairs, 16, 0x80, 0xde); }
  void array(std::size_t items) { head(items, 16, 0x90, 0xdc); }
  void string(std::string_view text);
  void integer(std::int64_t value);
  void unsigned_integer(std::uint64_t value);
  void real(double value);
  void boolean(bool value) { put(value ? 0xc3 : 0xc2, 0, 0); }
  void binary(const void* data, std::size_t bytes);
  // Writes only the head. The caller sends the `bytes` bytes that follow.
  void binary_head(std::size_t bytes);

 private:
  // A count below `fix_limit` goes into the first byte. A larger count follows `code16` (16 bits) or
  // `code16 + 1` (32 bits).
  void head(std::size_t count, std::size_t fix_limit, unsigned fix, unsigned code16);
  // Writes `code`, then the low `bytes` bytes of `value`, big-endian.
  void put(unsigned code, std::uint64_t value, int bytes);

  std::string& out_;
};

}  // namespace ecnomy::bridge

#endif  // ECNOMY_BRIDGE_MSGPACK_WRITER_H_
