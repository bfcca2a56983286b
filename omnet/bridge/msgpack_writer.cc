// SPDX-License-Identifier: Apache-2.0
#include "msgpack_writer.h"

#include <cstring>

namespace ecnomy::bridge {

void MsgpackWriter::put(unsigned code, std::uint64_t value, int bytes) {
  char buffer[9];
  buffer[0] = static_cast<char>(code);
  for (int i = 0; i < bytes; ++i) {
    buffer[1 + i] = static_cast<char>((value >> (8 * (bytes - 1 - i))) & 0xff);
  }
  out_.append(buffer, static_cast<std::size_t>(bytes) + 1);
}

void MsgpackWriter::head(std::size_t count, std::size_t fix_limit, unsigned fix, unsigned code16) {
  if (count < fix_limit) {
    put(fix | static_cast<unsigned>(count), 0, 0);
  } else if (count <= 0xffff) {
    put(code16, count, 2);
  } else {
    put(code16 + 1, count, 4);
  }
}

void MsgpackWriter::string(std::string_view text) {
  if (text.size() >= 32 && text.size() <= 0xff) {
    put(0xd9, text.size(), 1);
  } else {
    head(text.size(), 32, 0xa0, 0xda);
  }
  out_.append(text);
}

void MsgpackWriter::unsigned_integer(std::uint64_t value) {
  if (value < 0x80) {
    put(static_cast<unsigned>(value), 0, 0);
  } else if (value <= 0xff) {
    put(0xcc, value, 1);
  } else if (value <= 0xffff) {
    put(0xcd, value, 2);
  } else if (value <= 0xffffffff) {
    put(0xce, value, 4);
  } else {
    put(0xcf, value, 8);
  }
}

void MsgpackWriter::integer(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  if (value >= 0) {
    unsigned_integer(bits);
  } else if (value >= -32) {
    put(static_cast<unsigned>(bits & 0xff), 0, 0);
  } else if (value >= INT8_MIN) {
    put(0xd0, bits, 1);
  } else if (value >= INT16_MIN) {
    put(0xd1, bits, 2);
  } else if (value >= INT32_MIN) {
    put(0xd2, bits, 4);
  } else {
    put(0xd3, bits, 8);
  }
}

void MsgpackWriter::real(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  put(0xcb, bits, 8);
}

void MsgpackWriter::binary_head(std::size_t bytes) {
  if (bytes <= 0xff) {
    put(0xc4, bytes, 1);
  } else if (bytes <= 0xffff) {
    put(0xc5, bytes, 2);
  } else {
    put(0xc6, bytes, 4);
  }
}

void MsgpackWriter::binary(const void* data, std::size_t bytes) {
  binary_head(bytes);
  if (bytes > 0) out_.append(static_cast<const char*>(data), bytes);
}

}  // namespace ecnomy::bridge
