// SPDX-License-Identifier: Apache-2.0
// Fixed random marking: each arriving packet is marked with the same probability, independently of other
// packets. This is not a router's law but a textbook model, against which window laws are checked
// (x = w / (pT); W sqrt(p) = 1.31).
#ifndef ECNOMY_LAWS_MARKING_FIXED_H_
#define ECNOMY_LAWS_MARKING_FIXED_H_

#include "marking.h"

namespace ecnomy {

class FixedMarking : public MarkingLaw {
 public:
  static constexpr const char* kName = "fixed";
  static constexpr About kAbout{
      "Marks each packet with the same probability, independently of the queue.",
      "no paper: the model against which window laws are checked"};
  static constexpr MarkingTraits kTraits{.ceiling = "probability", .per_load = "0"};
  static constexpr Parameter kParameters[] = {
      {"probability", "", NAN, 0.0, 1.0, "", "Marking probability of each packet that arrives."},
  };

  explicit FixedMarking(const double* values) { configure(values); }

  // May be called between packets; the state is kept.
  void configure(const double* values) {
    check_parameters(this, values);
    probability_ = values[0];
  }

  template <class Uniform>
  Decision on_arrival(const QueueView&, const PacketView&, Time, Uniform&& uniform) noexcept {
    return {uniform() < probability_ ? Action::mark : Action::pass, kNoFlow};
  }
  double probability() const noexcept { return probability_; }

 private:
  double probability_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_FIXED_H_
