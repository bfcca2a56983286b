// SPDX-License-Identifier: LGPL-3.0-or-later
// Loss recovery with selective ACKs (RFC 2018, RFC 6675 in segments): Update, SetPipe and NextSeg. The
// window of a loss is the law's own. A law that goes back n (Tahoe) resends from the loss on
// what is not reported, as everybody does after a timeout (RFC 6675 section 5.1).
#include <algorithm>

#include "tcp/FlowSender.h"

namespace ecnomy::omnet {

// The first segment that begins at or beyond seq.
std::int64_t FlowSender::numberOf(std::uint32_t seq) const noexcept {
  const auto at = std::lower_bound(segments_.begin(), segments_.end(), seq,
                                   [](const Segment& segment, std::uint32_t from) {
                                     return static_cast<std::int32_t>(segment.seq - from) < 0;
                                   });
  return una_ + (at - segments_.begin());
}

// Update(); true for a duplicate ACK in the sense of RFC 6675 section 2: one that reports news.
bool FlowSender::noteHeld(const TcpAck& ack) {
  bool news = false;
  for (const SeqRange& range : ack.held) {
    if (scoreboard_.add({numberOf(range.first), numberOf(range.end)}, una_, sent_)) news = true;
  }
  return news;
}

// RFC 6675 section 5, steps 1 to 4; the limited transmit of step 3 is what the window then lets out.
void FlowSender::suspectLoss(Time now) {
  if (inRecovery_ || una_ < recover_) return;
  ++duplicates_;
  again_ = una_;
  if (duplicates_ < Scoreboard::kDupThresh && una_ >= scoreboard_.lost_below()) return;
  recover(now);
}

// SetPipe(). Outside of recovery nothing counts as lost: what a timeout took for lost is sent again.
std::int64_t FlowSender::pipe() const noexcept {
  if (scoreboard_.empty() && !inRecovery_) return next_ - una_;
  if (inRecovery_) return scoreboard_.pipe(una_, next_, again_);
  return next_ - una_ - scoreboard_.below(next_);
}

// NextSeg(), its four rules in order.
std::int64_t FlowSender::repair() const {
  if (!inRecovery_) {
    const std::int64_t number = scoreboard_.hole_from(next_);
    return available(number) ? number : kNoSegment;
  }
  const std::int64_t hole = scoreboard_.hole_from(std::max(again_, una_));
  if (hole < scoreboard_.lost_below()) return hole;
  if (available(next_)) return next_;
  if (hole < scoreboard_.end()) return hole;
  return una_ > rescue_ ? scoreboard_.last_hole(next_) : kNoSegment;
}

// Segment `number`, below next_, is about to be sent again: HighRxt or RescueRxt moves.
void FlowSender::resent(std::int64_t number) noexcept {
  if (number >= again_ && number < scoreboard_.end()) {
    again_ = number + 1;
  } else {
    rescue_ = recover_;
  }
}

}  // namespace ecnomy::omnet
