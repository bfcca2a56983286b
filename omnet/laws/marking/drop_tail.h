// SPDX-License-Identifier: Apache-2.0
// Drop-tail: no marking law. The host drops packets that find the buffer full.
#ifndef ECNOMY_LAWS_MARKING_DROP_TAIL_H_
#define ECNOMY_LAWS_MARKING_DROP_TAIL_H_

#include "marking.h"

namespace ecnomy {

class DropTail : public MarkingLaw {
 public:
  static constexpr const char* kName = "drop-tail";
  static constexpr About kAbout{"No law: the link drops packets that find its buffer full.",
                                "no paper: the queue without a law"};
  static constexpr MarkingTraits kTraits{.ceiling = "0", .per_load = "0"};

  template <class Uniform>
  Decision on_arrival(const QueueView&, const PacketView&, Time, Uniform&&) noexcept {
    return {};
  }
  double probability() const noexcept { return 0.0; }
  void configure(const double*) noexcept {}
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_DROP_TAIL_H_
