// SPDX-License-Identifier: LGPL-3.0-or-later
// Draws the market on the canvas of its network in Qtenv: the load, marks and income of each link, the payments and
// rates of sources, a panel with agents and their last decisions, and plots of the last minute. It does not affect
// the run, and costs nothing without a graphical user interface.
#ifndef ECNOMY_INET_VIEW_MARKETVIEW_H_
#define ECNOMY_INET_VIEW_MARKETVIEW_H_

#include <omnetpp.h>

#include <memory>
#include <string>
#include <vector>

#include "view/Callouts.h"
#include "view/LinkFigures.h"
#include "view/Panel.h"
#include "view/Plots.h"
#include "view/Readings.h"
#include "view/Shown.h"

namespace ecnomy::omnet {

class MarketView : public omnetpp::cSimpleModule {
 protected:
  void initialize() override;
  void refreshDisplay() const override;

 private:
  // The drawn objects. They are mutable, since refreshDisplay is const.
  struct Screen {
    Screen(Time window, const MarketBridge& market, omnetpp::cGroupFigure* group);
    Readings readings;
    LinkFigures links;
    Panel panel;
    Plots plots;
    std::vector<omnetpp::cModule*> nodes;  // other submodules of the network
    std::unique_ptr<Callouts> callouts;    // labels of nodes, then of links
    double right = 0, bottom = 0;          // the nodes' largest coordinates so far
  };

  void open(const MarketBridge& market) const;
  void look(const MarketBridge& market) const;
  void say(const MarketBridge& market) const;
  void warn(const MarketBridge& market) const;
  void place(const MarketBridge& market) const;
  Surroundings around() const;
  omnetpp::cFigure::Point corner() const;

  Shown shown_;
  mutable std::unique_ptr<Screen> screen_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_MARKETVIEW_H_
