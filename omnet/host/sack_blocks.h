// SPDX-License-Identifier: Apache-2.0
// Ranges of segments that a receiver holds beyond its cumulative ACK (RFC 2018). An ACK also carries the time of the
// data that it answers, as with timestamps (RFC 7323), so that only three ranges fit.
#ifndef ECNOMY_HOST_SACK_BLOCKS_H_
#define ECNOMY_HOST_SACK_BLOCKS_H_

#include <array>
#include <cstdint>

namespace ecnomy {

struct SegmentRange {
  std::int64_t first, end;  // [first, end)
};

struct SackBlocks {
  static constexpr std::int32_t kMost = 3;

  std::int32_t count = 0;
  std::array<SegmentRange, kMost> ranges{};  // the range of the last arrival is first

  // The size on the wire: kind, length and padding, and two 32-bit numbers per block.
  std::int32_t option_bytes() const noexcept { return count == 0 ? 0 : 4 + 8 * count; }
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_SACK_BLOCKS_H_
