// SPDX-License-Identifier: Apache-2.0
// The sender's side of AccECN's ACE field: ACKs carry the receiver's count of CE packets modulo 8 (RFC 9768 section
// 3.2.2). Without the AccECN option, which middleboxes may remove, this field is the only count.
//
// An ACK that answers more than 7 packets, because other ACKs were lost or delayed, may hide a cycle of
// the field. The sender then assumes the largest possible number of marks (appendix A.2.1):
//
//   d.cep = ACE - s.cep modulo 8,   dSafer.cep = newlyAckedPkt - (newlyAckedPkt - d.cep modulo 8)
//
// The sender's count may thus exceed the receiver's by multiples of 8.
#ifndef ECNOMY_HOST_TCP_ACE_COUNTER_H_
#define ECNOMY_HOST_TCP_ACE_COUNTER_H_

#include <cstdint>

namespace ecnomy {

inline constexpr std::int64_t kAceCycle = 8;

// Returns the marks that an ACK adds to `known`. `ace` is congruent to the receiver's count modulo 8. `answered` is the
// number of packets that the ACK newly answers.
constexpr std::int64_t ace_marks(std::int64_t ace, std::int64_t known,
                                 std::int64_t answered) noexcept {
  const std::int64_t least = (ace - known) & (kAceCycle - 1);
  if (answered < kAceCycle || answered < least) return least;
  return answered - ((answered - least) & (kAceCycle - 1));
}

}  // namespace ecnomy

#endif  // ECNOMY_HOST_TCP_ACE_COUNTER_H_
