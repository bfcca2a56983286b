// SPDX-License-Identifier: Apache-2.0
// Loss recovery with selective ACKs (RFC 2018, RFC 6675 in segments): Update and SetPipe. NextSeg is in
// segment_sender_out.h. A law with go-back-n (Tahoe) resends all unreported segments from the loss on, as all laws do
// after a timeout (RFC 6675 section 5.1).
#include "host/tcp/segment_sender.h"

namespace ecnomy {

// Update() of RFC 6675 for one block. An ACK with a new block is a duplicate ACK in the sense of RFC 6675 section 2.
bool SegmentSender::note_block(const SegmentRange& block) {
  if (law_.tracks()) law_.on_delivered(std::max(block.first, una_), std::min(block.end, sent_));
  return scoreboard_.add(block, una_, sent_);
}

// Reports the known losses to a law that tracks packets. The oldest packet is lost in any case.
void SegmentSender::tell_lost() noexcept {
  const bool sack = transport().sack;
  law_.on_lost(sack ? std::max(scoreboard_.lost_below(), una_ + 1) : una_ + 1, sack);
}

// Steps 1 to 4 of RFC 6675 section 5. Returns true if recovery begins. The window then allows the limited transmit of
// step 3.
bool SegmentSender::suspect_loss() noexcept {
  if (in_recovery_ || una_ < recover_) return false;
  ++duplicates_;
  again_ = una_;
  return duplicates_ >= Scoreboard::kDupThresh || una_ < scoreboard_.lost_below();
}

// SetPipe() of RFC 6675. Outside of recovery no packet counts as lost, because packets lost at a timeout are sent
// again.
std::int64_t SegmentSender::pipe() const noexcept {
  if (scoreboard_.empty() && !in_recovery_) return next_ - una_;
  if (in_recovery_) return scoreboard_.pipe(una_, next_, again_);
  return next_ - una_ - scoreboard_.below(next_);
}

// Segment seq, below next_, is about to be sent again: updates HighRxt or RescueRxt.
void SegmentSender::resent(std::int64_t seq) noexcept {
  if (seq >= again_ && seq < scoreboard_.end()) {
    again_ = seq + 1;
  } else {
    rescue_ = recover_;
  }
}

}  // namespace ecnomy
