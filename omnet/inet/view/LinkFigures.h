// SPDX-License-Identifier: LGPL-3.0-or-later
// The lines between nodes: colour and width by load and marks, and a label for each link that carries data.
#ifndef ECNOMY_INET_VIEW_LINKFIGURES_H_
#define ECNOMY_INET_VIEW_LINKFIGURES_H_

#include <omnetpp.h>

#include <string>
#include <vector>

#include "view/Placing.h"
#include "view/Readings.h"
#include "view/Shown.h"

namespace ecnomy::omnet {

class LinkFigures {
 public:
  // Finds the line of each link: the gate of its node, and the node at its far end.
  explicit LinkFigures(const MarketBridge& market);

  void draw(const Readings& readings);
  // Returns the text of a link's label, or "" for no label.
  std::string label(const MarketBridge& market, std::size_t link, const LinkReading& reading,
                    const Shown& shown) const;
  // Returns the link's line on the canvas. All its coordinates are 0 if there is no line.
  Stretch stretch(std::size_t link) const;

  // The node that sends into a link, and the node at its far end. Both are nullptr if there is no line.
  omnetpp::cModule* sender(std::size_t link) const { return lines_[link].from; }
  omnetpp::cModule* receiver(std::size_t link) const { return lines_[link].to; }

 private:
  struct Line {
    omnetpp::cGate* gate = nullptr;
    omnetpp::cModule *from = nullptr, *to = nullptr;
    std::string style;
    bool data = false;  // whether a source's path includes it
  };

  void style(Line& line, const LinkReading& reading);

  // If more links than this mark, only congested links show all readings.
  static constexpr int kFew = 8;

  std::vector<Line> lines_;
  bool few_ = true;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_LINKFIGURES_H_
