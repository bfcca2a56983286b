// SPDX-License-Identifier: Apache-2.0
// A sender's record of the segments beyond the cumulative ACK: the scoreboard of RFC 6675, counted in
// segments. A DupThresh of 3 thus means that three segments beyond a given one were reported.
//
//   IsLost(s)   s is not reported, but at least three segments beyond it are:  s < third highest reported
//   pipe        segments in the network: neither reported nor lost, plus segments sent again
#ifndef ECNOMY_HOST_SCOREBOARD_H_
#define ECNOMY_HOST_SCOREBOARD_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "host/sack_blocks.h"

namespace ecnomy {

class Scoreboard {
 public:
  static constexpr std::int64_t kDupThresh = 3;

  void clear() noexcept {
    held_.clear();
    count_ = 0;
  }
  bool empty() const noexcept { return held_.empty(); }
  // One past the highest reported segment; 0 if no segment is reported.
  std::int64_t end() const noexcept { return held_.empty() ? 0 : held_.back().end; }

  // Adds the part of a block that lies in [una, sent). Returns true if any segment of it was not reported before.
  bool add(SegmentRange block, std::int64_t una, std::int64_t sent) {
    block.first = std::max(block.first, una);
    block.end = std::min(block.end, sent);
    if (block.first >= block.end) return false;
    if (held_.capacity() == 0) held_.reserve(8);  // as at the receiver
    const auto from = std::lower_bound(
        held_.begin(), held_.end(), block.first,
        [](const SegmentRange& range, std::int64_t first) { return range.end < first; });
    if (from == held_.end() || from->first > block.end) {
      held_.insert(from, block);
      count_ += block.end - block.first;
      return true;
    }
    return merge(from, block);
  }

  // Removes the segments below una, which are all acknowledged.
  void advance(std::int64_t una) noexcept {
    auto at = held_.begin();
    for (; at != held_.end() && at->end <= una; ++at) count_ -= at->end - at->first;
    held_.erase(held_.begin(), at);
    if (held_.empty() || held_.front().first >= una) return;
    count_ -= una - held_.front().first;
    held_.front().first = una;
  }

  // Number of reported segments below seq.
  std::int64_t below(std::int64_t seq) const noexcept {
    std::int64_t n = 0;
    for (const SegmentRange& range : held_) {
      if (range.first >= seq) break;
      n += std::min(range.end, seq) - range.first;
    }
    return n;
  }

  // The lowest segment from seq on that is not reported.
  std::int64_t hole_from(std::int64_t seq) const noexcept {
    for (const SegmentRange& range : held_) {
      if (seq < range.first) break;
      seq = std::max(seq, range.end);
    }
    return seq;
  }

  // The highest segment below next that is not reported.
  std::int64_t last_hole(std::int64_t next) const noexcept {
    return end() == next ? held_.back().first - 1 : next - 1;
  }

  // Segments below this one are lost if they are not reported. A value of 0 means that no segment is lost.
  std::int64_t lost_below() const noexcept {
    std::int64_t beyond = kDupThresh;
    for (auto range = held_.rbegin(); range != held_.rend(); ++range) {
      if (range->end - range->first >= beyond) return range->end - beyond;
      beyond -= range->end - range->first;
    }
    return 0;
  }

  // SetPipe(): una is HighACK + 1, next HighData + 1, again HighRxt + 1.
  std::int64_t pipe(std::int64_t una, std::int64_t next, std::int64_t again) const noexcept {
    const std::int64_t from = std::max(una, lost_below());
    const std::int64_t until = std::max(una, again);
    return (next - from) - (count_ - below(from)) + (until - una) - below(until);
  }

 private:
  using Place = std::vector<SegmentRange>::iterator;

  // Merges a block that overlaps or touches *from and possibly further ranges.
  bool merge(Place from, const SegmentRange& block) noexcept {
    if (from->first <= block.first && block.end <= from->end) return false;
    SegmentRange whole{std::min(from->first, block.first), block.end};
    auto after = from;
    for (; after != held_.end() && after->first <= block.end; ++after) {
      whole.end = std::max(whole.end, after->end);
      count_ -= after->end - after->first;
    }
    count_ += whole.end - whole.first;
    *from = whole;
    held_.erase(from + 1, after);
    return true;
  }

  std::vector<SegmentRange> held_;  // in order, with gaps between them
  std::int64_t count_ = 0;          // segments in held_
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_SCOREBOARD_H_
