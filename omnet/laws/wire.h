// SPDX-License-Identifier: Apache-2.0
// The fate of packets on a wire. Each packet is lost with the same probability, and each other packet is late with the
// same probability, independently of everything else. A late packet reaches the far end after an additional delay, so
// that later packets overtake it. The fate is decided when the packet's last bit would reach the far end.
//
// Losses and late packets draw from separate streams, in the order of delivery. There is one draw per packet for its
// loss, and one per packet that is not lost for its lateness. A probability of 0 draws nothing.
#ifndef ECNOMY_LAWS_WIRE_H_
#define ECNOMY_LAWS_WIRE_H_

#include <cstdint>

#include "random/stream.h"

namespace ecnomy {

class Wire {
 public:
  enum class Fate : std::uint8_t { arrives, lost, late };

  Wire(double loss, const Stream& losses, double reordering, const Stream& reorderings) noexcept
      : loss_(loss), reordering_(reordering), losses_(losses), reorderings_(reorderings) {}

  Fate fate() noexcept {
    if (loss_ > 0 && losses_() < loss_) return Fate::lost;
    if (reordering_ > 0 && reorderings_() < reordering_) return Fate::late;
    return Fate::arrives;
  }

 private:
  double loss_, reordering_;
  Stream losses_, reorderings_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WIRE_H_
