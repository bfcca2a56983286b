// SPDX-License-Identifier: Apache-2.0
// Linux's weighted round robin between the queues of L4S and classic traffic (sch_dualpi2.c). RFC 9332 leaves the
// choice of the scheduler open. The L4S queue sends while the credit of the classic queue is 0 or less, or if only it
// has packets. While both wait, a byte of L4S traffic adds `classic_share` to the credit and a classic byte subtracts 1
// - classic_share. After an idle time the credit is MTU (2 classic_share - 1).
#ifndef ECNOMY_LAWS_SCHEDULING_CODEPOINT_TURNS_H_
#define ECNOMY_LAWS_SCHEDULING_CODEPOINT_TURNS_H_

#include <cstddef>
#include <cstdint>

#include "class_queue.h"
#include "codepoint_class.h"

namespace ecnomy {

class CodepointTurns {
 public:
  CodepointTurns() = default;
  CodepointTurns(double classic_share, double mtu_bytes) noexcept
      : classic_share_(classic_share), mtu_bytes_(mtu_bytes) {}

  // Begins a busy period of the link.
  void begin() noexcept { credit_bytes_ = mtu_bytes_ * (2 * classic_share_ - 1); }
  // The queue that sends next. At least one queue must have packets.
  std::size_t next(const ClassQueue& l4s, const ClassQueue& classic) const noexcept {
    return !l4s.empty() && (classic.empty() || credit_bytes_ <= 0) ? CodepointClass::kL4s
                                                                   : CodepointClass::kClassic;
  }
  // Counts a packet that was sent while both queues had packets.
  void sent(std::size_t n, std::int32_t bytes) noexcept {
    credit_bytes_ += bytes * (n == CodepointClass::kL4s ? classic_share_ : classic_share_ - 1);
  }
  double credit_bytes() const noexcept { return credit_bytes_; }

 private:
  double classic_share_ = 0, mtu_bytes_ = 0;
  double credit_bytes_ = 0;  // credit of the classic queue
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_CODEPOINT_TURNS_H_
