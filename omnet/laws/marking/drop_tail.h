// SPDX-License-Identifier: Apache-2.0
// Drop-tail: no law at all; the host drops what finds the buffer full.
#ifndef ECNOMY_LAWS_MARKING_DROP_TAIL_H_
#define ECNOMY_LAWS_MARKING_DROP_TAIL_H_

#include "marking.h"

namespace ecnomy {

class DropTail : public MarkingLaw {
 public:
  static constexpr const char* kName = "drop-tail";

  template <class Uniform>
  Decision on_arrival(const QueueView&, const PacketView&, Time, Uniform&&) noexcept {
    return {};
  }
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_DROP_TAIL_H_
