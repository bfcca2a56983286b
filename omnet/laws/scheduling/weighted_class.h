// SPDX-License-Identifier: Apache-2.0
// A class's share and buffer on a link whose scheduler works by weights (deficit_round_robin.h):
//   share           share of the link's rate, the minimum rate of the class while it is backlogged
//   buffer_packets, buffer_bytes   maximum of waiting packets and bytes (as on the wire); -1: only the link's limit
// andreassen2002 section 3.1 has two classes: VoIP with 7 % and 17,500 bytes, best effort with 90 % and 225,000.
#ifndef ECNOMY_LAWS_SCHEDULING_WEIGHTED_CLASS_H_
#define ECNOMY_LAWS_SCHEDULING_WEIGHTED_CLASS_H_

#include <cmath>
#include <cstdint>

#include "../parameter.h"

namespace ecnomy {

struct WeightedClass {
  static constexpr const char* kName = "weighted-class";
  static constexpr About kAbout{"Share and buffer of a class under deficit-round-robin.",
                                "andreassen2002 section 3.1"};
  static constexpr Parameter kParameters[] = {
      {"share", "", NAN, 1e-6, 1, "",
       "Share of the link. Each class is served in proportion to its share."},
      {"buffer_packets", "packets", -1, -1, 1e12, "",
       "Maximum number of the class's waiting packets; -1: no limit."},
      {"buffer_bytes", "bytes", -1, -1, 1e15, "",
       "Maximum number of the class's waiting bytes; -1: no limit."},
  };

  explicit WeightedClass(const double* values)
      : share(values[0]), buffer_packets(values[1]), buffer_bytes(values[2]) {
    check_parameters(this, values);
  }

  double share, buffer_packets, buffer_bytes;

  bool holds(std::int64_t packets, std::int64_t bytes) const noexcept {
    return (buffer_packets < 0 || static_cast<double>(packets) <= buffer_packets) &&
           (buffer_bytes < 0 || static_cast<double>(bytes) <= buffer_bytes);
  }
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_WEIGHTED_CLASS_H_
