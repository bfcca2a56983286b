// SPDX-License-Identifier: Apache-2.0
// Losses on a wire: each packet is lost with the same probability, independently of everything else. The loss is
// decided when the packet's last bit would reach the far end. There is one draw per packet, from the wire's own
// stream, in the order of delivery; there is no draw if the probability is 0.
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
