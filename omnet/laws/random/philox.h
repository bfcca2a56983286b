// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011. A block is a pure function of (key, counter).
#ifndef ECNOMY_LAWS_RANDOM_PHILOX_H_
#define ECNOMY_LAWS_RANDOM_PHILOX_H_

#include <array>
#include <cstdint>

namespace ecnomy {

using PhiloxBlock = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

inline PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_RANDOM_PHILOX_H_
