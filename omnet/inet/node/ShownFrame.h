// SPDX-License-Identifier: LGPL-3.0-or-later
// A frame on the wire as Qtenv shows it: coloured by what ECN says of it, and named where it is marked. Qtenv writes
// a message's class before its name, on every message of a line at once, so an unmarked one has neither.
#ifndef ECNOMY_INET_NODE_SHOWNFRAME_H_
#define ECNOMY_INET_NODE_SHOWNFRAME_H_

#include "inet/common/packet/Packet.h"

namespace ecnomy::omnet {

class ShownFrame : public inet::Packet {
 public:
  enum Colour : short { kMarked = 0, kData = 1, kOther = 2 };  // Qtenv's red, green, blue

  // whose: the name of its source, "" for none.
  ShownFrame(const inet::Packet& frame, Colour colour, const char* whose)
      : inet::Packet(frame), marked_(colour == kMarked) {
    setKind(colour);
    setName(marked_ ? whose : "");
  }
  ShownFrame(const ShownFrame& other) = default;

  const char* getClassName() const override { return marked_ ? "CE" : ""; }
  inet::Packet* dup() const override { return new ShownFrame(*this); }

 private:
  bool marked_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_NODE_SHOWNFRAME_H_
