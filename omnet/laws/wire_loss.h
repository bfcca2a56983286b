// SPDX-License-Identifier: Apache-2.0
// What a wire loses: each packet with the same probability, independently of all else, decided as its last
// bit would reach the far end. One draw a packet from a stream of its own, in the order of delivery; none
// where the probability is 0.
#ifndef ECNOMY_LAWS_WIRE_LOSS_H_
#define ECNOMY_LAWS_WIRE_LOSS_H_

#include "random/stream.h"

namespace ecnomy {

class WireLoss {
 public:
  WireLoss(double probability, const Stream& stream) noexcept
      : probability_(probability), stream_(stream) {}

  bool loses() noexcept { return probability_ > 0 && stream_() < probability_; }

 private:
  double probability_;
  Stream stream_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WIRE_LOSS_H_
