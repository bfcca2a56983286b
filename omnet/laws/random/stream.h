// SPDX-License-Identifier: Apache-2.0
// A component's own random stream: Philox4x32-10 with a key from (seed, component name). Adding a component thus does
// not change the draws of the others, in either engine.
//
//   key      = mix(seed ^ mix(FNV-1a 64 of the name)), with mix the finaliser of SplitMix64
//   u64 no.i = words 2(i mod 2) (low half) and 2(i mod 2)+1 (high half) of the block at counter
//              (floor(i / 2), 0)
//   uniform  = ((u64 >> 12) + 1/2) * 2^-52, exact, so it is never 0 or 1
#ifndef ECNOMY_LAWS_RANDOM_STREAM_H_
#define ECNOMY_LAWS_RANDOM_STREAM_H_

#include <cstdint>
#include <string_view>

#include "philox.h"

namespace ecnomy {

inline std::uint64_t mix64(std::uint64_t z) noexcept {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

inline std::uint64_t fnv1a64(std::string_view text) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  }
  return hash;
}

class Stream {
 public:
  Stream(std::uint64_t seed, std::string_view name) noexcept {
    const std::uint64_t key = mix64(seed ^ mix64(fnv1a64(name)));
    key_ = {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
  }

  std::uint64_t next() noexcept {
    if ((drawn_ & 1) == 0) {
      const std::uint64_t block = drawn_ >> 1;
      block_ = philox4x32(
          {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0, 0}, key_);
    }
    const unsigned half = static_cast<unsigned>(drawn_++ & 1) * 2;
    return block_[half] | std::uint64_t{block_[half + 1]} << 32;
  }

  // Uniform in (0, 1).
  double operator()() noexcept { return (static_cast<double>(next() >> 12) + 0.5) * 0x1.0p-52; }

 private:
  PhiloxKey key_;
  PhiloxBlock block_{};
  std::uint64_t drawn_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_RANDOM_STREAM_H_
