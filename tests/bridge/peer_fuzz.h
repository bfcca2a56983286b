// SPDX-License-Identifier: Apache-2.0
// Frames for the decoder: noise, mutated valid ones, and random MessagePack made of the protocol's
// own words. Everything follows from one seed (splitmix64), so that a frame that crashes can be had
// again.
#ifndef ECNOMY_TESTS_BRIDGE_PEER_FUZZ_H_
#define ECNOMY_TESTS_BRIDGE_PEER_FUZZ_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "msgpack_writer.h"

namespace ecnomy::bridge::test {

class Fuzz {
 public:
  Fuzz(std::uint64_t seed, std::int64_t flows) : state_(seed), flows_(flows) {}

  std::string frame() {
    switch (below(4)) {
      case 0:
        return noise();
      case 1:
        return valid();
      case 2:
        return mutated();
      default:
        return structured();
    }
  }

 private:
  std::uint64_t draw() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t n) { return draw() % n; }

  std::string noise() {
    std::string body(1 + below(200), '\0');
    for (char& byte : body) byte = static_cast<char>(draw() & 0xff);
    if (below(2) == 0) body[0] = static_cast<char>(0x80 | below(16));
    return body;
  }

  template <typename Value>
  void bin(MsgpackWriter& out, const char* name, const std::vector<Value>& values) {
    out.string(name);
    out.binary(values.data(), values.size() * 8);
  }

  std::string valid() {
    std::string body;
    MsgpackWriter out(body);
    const std::size_t rows = below(static_cast<std::uint64_t>(flows_) + 1);
    std::vector<std::int64_t> index(rows), cap(rows, -1), active(rows, 1), zero(rows, 0);
    std::vector<double> rate(rows, 3.5), none(rows, -1.0);
    for (std::size_t i = 0; i < rows; ++i) index[i] = static_cast<std::int64_t>(i);
    out.map(4);
    out.string("type");
    out.string("decide");
    out.string("epoch");
    out.integer(static_cast<std::int64_t>(below(100000)));
    out.string("flows");
    out.map(6);
    bin(out, "flow", index);
    bin(out, "mark_rate", rate);
    bin(out, "rate_cap_bps", none);
    bin(out, "mark_cap", cap);
    bin(out, "active", active);
    bin(out, "weight", none);
    out.string("links");
    out.map(3);
    bin(out, "link", zero);
    bin(out, "param", zero);
    bin(out, "value", rate);
    return body;
  }

  std::string mutated() {
    std::string body = valid();
    for (std::uint64_t n = 1 + below(4); n > 0; --n) {
      const std::size_t at = below(body.size());
      switch (below(4)) {
        case 0:
          body[at] = static_cast<char>(draw() & 0xff);
          break;
        case 1:
          body.resize(at + 1);
          break;
        case 2:
          body.insert(at, 1 + below(9), static_cast<char>(draw() & 0xff));
          break;
        default:
          body.erase(at, 1 + below(9));
          if (body.empty()) body.assign(1, '\x80');
      }
    }
    return body;
  }

  const char* word() {
    static constexpr const char* kWords[] = {
        "type",   "protocol", "reason",    "epoch",        "flows",    "links",  "id",
        "accept", "flow",     "mark_rate", "rate_cap_bps", "mark_cap", "active", "weight",
        "link",   "param",    "value",     "welcome",      "refuse",   "decide", "verdict",
        "bye",    "error",    "hello",     "later",        "",         "\xff"};
    return kWords[below(sizeof kWords / sizeof kWords[0])];
  }

  void value(MsgpackWriter& out, int depth) {
    const std::vector<double> numbers(
        below(4), below(2) == 0 ? 1.0 : std::numeric_limits<double>::quiet_NaN());
    switch (below(depth < 11 ? 8 : 5)) {
      case 0:
        return out.integer(static_cast<std::int64_t>(draw()));
      case 1:
        return out.integer(static_cast<std::int64_t>(below(3)));
      case 2:
        return out.string(word());
      case 3:
        return out.real(0.5);
      case 4:
        return out.binary(numbers.data(), numbers.size() * 8 - (numbers.empty() ? 0 : below(2)));
      case 5:
        return map(out, depth + 1);
      default: {
        const std::size_t items = below(3);
        out.array(items);
        for (std::size_t i = 0; i < items; ++i) value(out, depth + 1);
      }
    }
  }

  void map(MsgpackWriter& out, int depth) {
    const std::size_t pairs = below(6);
    out.map(pairs);
    for (std::size_t i = 0; i < pairs; ++i) {
      out.string(word());
      value(out, depth);
    }
  }

  std::string structured() {
    static constexpr const char* kTypes[] = {"welcome", "refuse", "decide", "verdict", "bye"};
    std::string body;
    MsgpackWriter out(body);
    const std::size_t pairs = below(5);
    out.map(pairs + 1);
    out.string("type");
    out.string(kTypes[below(5)]);
    for (std::size_t i = 0; i < pairs; ++i) {
      out.string(word());
      value(out, 1);
    }
    return body;
  }

  std::uint64_t state_;
  std::int64_t flows_;
};

}  // namespace ecnomy::bridge::test

#endif  // ECNOMY_TESTS_BRIDGE_PEER_FUZZ_H_
