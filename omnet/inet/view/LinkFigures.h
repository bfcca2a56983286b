// SPDX-License-Identifier: LGPL-3.0-or-later
// The lines between nodes: colour and width by load and marks, and a label beside each that carries something.
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
  // Finds the line of each link: the gate of its node, beside the node of its far end.
  LinkFigures(const MarketBridge& market, omnetpp::cGroupFigure* parent);

  void draw(const MarketBridge& market, const Readings& readings, const Shown& shown,
            const std::vector<Box>& obstacles);

  // The node that sends into a link, and the one at its far end; nullptr where there is no line.
  omnetpp::cModule* sender(std::size_t link) const { return lines_[link].from; }
  omnetpp::cModule* receiver(std::size_t link) const { return lines_[link].to; }

 private:
  struct Line {
    omnetpp::cGate* gate = nullptr;
    omnetpp::cModule *from = nullptr, *to = nullptr;
    omnetpp::cRectangleFigure* plate = nullptr;
    omnetpp::cTextFigure* text = nullptr;
    double width = 0, height = 0;  // the most that its label has needed
    std::string style;
    bool data = false;  // some source's path is over it
  };
  struct Label {
    std::size_t link;
    std::string text;
  };

  void style(Line& line, const LinkReading& reading);
  std::string label(const LinkPlan& plan, const Line& line, const LinkReading& reading,
                    const LinkShown* shown) const;
  void put(Line& line, const std::string& text, const LinkReading& reading);
  void place(const std::vector<Box>& obstacles);

  static constexpr int kFew = 8;  // links that mark: more of them say all only in congestion

  omnetpp::cGroupFigure* parent_;
  std::vector<Line> lines_;
  bool few_ = true;
  std::vector<Box> placedAround_;
  std::vector<omnetpp::cFigure::Point> placedAlong_;
  bool grown_ = false;
};

// Width and height of a text of several lines.
omnetpp::cFigure::Point extent(const omnetpp::cFigure::Font& font, const std::string& text);

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_LINKFIGURES_H_
