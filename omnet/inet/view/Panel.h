// SPDX-License-Identifier: LGPL-3.0-or-later
// The market's table: rates and payments of sources, income of links, balances of agents, and their last decisions.
#ifndef ECNOMY_INET_VIEW_PANEL_H_
#define ECNOMY_INET_VIEW_PANEL_H_

#include <omnetpp.h>

#include <string>
#include <vector>

#include "view/Placing.h"
#include "view/Readings.h"
#include "view/Shown.h"

namespace ecnomy::omnet {

class Panel {
 public:
  explicit Panel(omnetpp::cGroupFigure* parent);

  // `corner` is the upper left corner.
  void draw(const MarketBridge& market, const Readings& readings, const Shown& shown,
            const omnetpp::cFigure::Point& corner);
  const Box& box() const { return box_; }  // as last drawn

 private:
  struct Row {
    std::string text;
    bool heading = false;
  };

  void sources(const MarketBridge& market, const Readings& readings, const Shown& shown);
  void links(const MarketBridge& market, const Readings& readings, const Shown& shown);
  void agents(const Shown& shown);
  void payments(const Shown& shown);
  void news(const Shown& shown);
  std::size_t room(std::size_t least, std::size_t most, std::size_t after) const;
  void heading(const std::string& text) { rows_.push_back({text, true}); }
  void row(const std::string& text) { rows_.push_back({text, false}); }
  void put();

  omnetpp::cRectangleFigure* plate_;
  omnetpp::cGroupFigure* parent_;
  std::vector<omnetpp::cTextFigure*> lines_;
  std::vector<Row> rows_;
  omnetpp::cFigure::Point corner_;
  double widest_ = 0;
  Box box_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_PANEL_H_
