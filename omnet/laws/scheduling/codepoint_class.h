// SPDX-License-Identifier: Apache-2.0
// One of the two classes of a link that classifies packets by their ECN field. The first class is L4S traffic, and the
// second is all other traffic (RFC 9331 section 5.1). The classes have no parameters.
#ifndef ECNOMY_LAWS_SCHEDULING_CODEPOINT_CLASS_H_
#define ECNOMY_LAWS_SCHEDULING_CODEPOINT_CLASS_H_

#include <array>
#include <cstddef>

#include "../marking/marking.h"

namespace ecnomy {

struct CodepointClass {
  static constexpr const char* kName = "codepoint-class";
  static constexpr About kAbout{
      "Classes by ECN field: first ECT(1) and CE, then ECT(0) and not-ECT.",
      "RFC 9331 section 5.1"};
  static constexpr std::array<Parameter, 0> kParameters{};
  static constexpr std::size_t kL4s = 0, kClassic = 1;

  static std::size_t of(const PacketView& packet) noexcept {
    return packet.l4s() ? kL4s : kClassic;
  }
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_CODEPOINT_CLASS_H_
