// SPDX-License-Identifier: Apache-2.0
// Threshold marking. While more than `threshold_packets` wait,
//   arriving   the arriving packet is marked (Laevens, Key and McAuley 2000: siris2002 ref. 18)
//   queue      the arriving packet and all waiting packets are marked (Wischik 1999: siris2002 ref. 19,
//              with an adaptive threshold)
//   departing  a packet is marked at the start of its transmission, if more packets than the threshold wait behind it
#ifndef ECNOMY_LAWS_MARKING_THRESHOLD_H_
#define ECNOMY_LAWS_MARKING_THRESHOLD_H_

#include "marking.h"

namespace ecnomy {

class Threshold : public MarkingLaw {
 public:
  static constexpr const char* kName = "threshold";
  static constexpr About kAbout{"Marks packets while more packets wait than a threshold.",
                                "siris2002 section 1, references 18 and 19"};
  static constexpr MarkingTraits kTraits{.departures = true, .late = "scope == departing"};
  static constexpr Parameter kParameters[] = {
      {"threshold_packets", "packets", NAN, 0, 1e12, "",
       "Number of waiting packets above which packets are marked."},
      {"scope", "choice", 0, 0, 2, "arriving,queue,departing",
       "Packets marked above the threshold: the arriving one, also all waiting ones, or departing "
       "ones."},
  };

  explicit Threshold(const double* values) { configure(values); }

  // May be called between packets; the state is kept.
  void configure(const double* values) {
    check_parameters(this, values);
    threshold_packets_ = values[0];
    scope_ = static_cast<Scope>(static_cast<int>(values[1]));
  }

  template <class Uniform>
  Decision on_arrival(const QueueView& queue, const PacketView&, Time, Uniform&&) noexcept {
    above_ = static_cast<double>(queue.packets) > threshold_packets_;
    if (!above_ || scope_ == Scope::departing) return {};
    return {Action::mark, scope_ == Scope::queue ? kAllFlows : kNoFlow};
  }

  template <class Uniform>
  Decision on_departure(const QueueView& queue, const PacketView&, Time, Uniform&&) noexcept {
    if (scope_ != Scope::departing) return {};
    above_ = static_cast<double>(queue.packets) > threshold_packets_;
    return {above_ ? Action::mark : Action::pass, kNoFlow};
  }

  bool watches_departures() const noexcept { return scope_ == Scope::departing; }

  double probability() const noexcept { return above_ ? 1.0 : 0.0; }

 private:
  enum class Scope { arriving, queue, departing };
  double threshold_packets_;
  Scope scope_;
  bool above_ = false;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_THRESHOLD_H_
