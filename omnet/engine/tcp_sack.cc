// SPDX-License-Identifier: Apache-2.0
// Loss recovery with selective ACKs (RFC 2018, RFC 6675 in segments): Update, SetPipe and NextSeg. The
// window of a loss is the law's own. A law that goes back n (Tahoe) resends from the loss on
// what is not reported, as everybody does after a timeout (RFC 6675 section 5.1).
#include <algorithm>

#include "engine/tcp_flow.h"

namespace ecnomy::engine {

// Update(); true for a duplicate ACK in the sense of RFC 6675 section 2: one that reports news.
bool TcpFlow::note_blocks(Core& core, PacketId id) {
  if (state_ != State::open) return false;
  const SackBlocks& blocks = core.packets.blocks(id);
  bool news = false;
  for (std::int32_t i = 0; i < blocks.count; ++i) {
    if (scoreboard_.add(blocks.ranges[static_cast<std::size_t>(i)], una_, sent_)) news = true;
  }
  return news;
}

// RFC 6675 section 5, steps 1 to 4; the limited transmit of step 3 is what the window then lets out.
void TcpFlow::suspect_loss(Core& core, Time now) {
  if (in_recovery_ || una_ < recover_) return;
  ++duplicates_;
  again_ = una_;
  if (duplicates_ < Scoreboard::kDupThresh && una_ >= scoreboard_.lost_below()) return;
  recover(core, now);
}

// SetPipe(). Outside of recovery nothing counts as lost: what a timeout took for lost is sent again.
std::int64_t TcpFlow::pipe() const noexcept {
  if (scoreboard_.empty() && !in_recovery_) return next_ - una_;
  if (in_recovery_) return scoreboard_.pipe(una_, next_, again_);
  return next_ - una_ - scoreboard_.below(next_);
}

// NextSeg(), its four rules in order.
std::int64_t TcpFlow::repair() const noexcept {
  if (!in_recovery_) {
    const std::int64_t seq = scoreboard_.hole_from(next_);
    return available(seq) ? seq : kNoSegment;
  }
  const std::int64_t hole = scoreboard_.hole_from(std::max(again_, una_));
  if (hole < scoreboard_.lost_below()) return hole;
  if (available(next_)) return next_;
  if (hole < scoreboard_.end()) return hole;
  return una_ > rescue_ ? scoreboard_.last_hole(next_) : kNoSegment;
}

// Segment seq, below next_, is about to be sent again: HighRxt or RescueRxt moves.
void TcpFlow::resent(std::int64_t seq) noexcept {
  if (seq >= again_ && seq < scoreboard_.end()) {
    again_ = seq + 1;
  } else {
    rescue_ = recover_;
  }
}

}  // namespace ecnomy::engine
