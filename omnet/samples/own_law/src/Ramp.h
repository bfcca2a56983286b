// SPDX-License-Identifier: LGPL-3.0-or-later
// A custom marking law: with q packets waiting, the marking probability is slope q, at most 1.
#ifndef OWN_LAW_RAMP_H_
#define OWN_LAW_RAMP_H_

#include <algorithm>

#include "laws/marking/marking.h"

namespace own_law {

class Ramp : public ecnomy::MarkingLaw {  // has defaults for the optional hooks
 public:
  static constexpr const char* kName = "ramp";
  static constexpr ecnomy::About kAbout{"Marks with a probability that rises with the queue.", ""};
  static constexpr ecnomy::Parameter kParameters[] = {
      // name, unit, default, least, most, choices, meaning
      {"slope", "1/packets", 0.01, 0, 1, "", "Marking probability per waiting packet."},
  };

  // `values` has one number per parameter, checked against the table.
  explicit Ramp(const double* values) { configure(values); }
  // Sets the parameters, also during a run.
  void configure(const double* values) { slope_ = values[0]; }

  template <class Uniform>
  ecnomy::Decision on_arrival(const ecnomy::QueueView& queue, const ecnomy::PacketView&,
                              ecnomy::Time, Uniform&& uniform) noexcept {
    probability_ = std::min(slope_ * static_cast<double>(queue.packets), 1.0);
    if (uniform() >= probability_) return {};
    return {ecnomy::Action::mark};
  }

  double probability() const noexcept { return probability_; }

 private:
  double slope_ = 0;
  double probability_ = 0;
};

}  // namespace own_law

#endif  // OWN_LAW_RAMP_H_
