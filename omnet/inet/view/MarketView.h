// SPDX-License-Identifier: LGPL-3.0-or-later
// Draws the market on the canvas of its network, in Qtenv: what each link carries, marks and earns, what sources
// pay and get, and a panel with agents and their last decisions. It computes nothing that a run depends on, and
// costs nothing where nobody looks on.
#ifndef ECNOMY_INET_VIEW_MARKETVIEW_H_
#define ECNOMY_INET_VIEW_MARKETVIEW_H_

#include <omnetpp.h>

#include <memory>
#include <string>
#include <vector>

#include "view/LinkFigures.h"
#include "view/Panel.h"
#include "view/Readings.h"
#include "view/Shown.h"

namespace ecnomy::omnet {

class MarketView : public omnetpp::cSimpleModule {
 protected:
  void initialize() override;
  void refreshDisplay() const override;

 private:
  // What is drawn; refreshing a display is const.
  struct Screen {
    explicit Screen(Time window) : readings(window) {}
    Readings readings;
    std::unique_ptr<LinkFigures> links;
    std::unique_ptr<Panel> panel;
    std::vector<omnetpp::cModule*> nodes;  // beside this module
    std::vector<std::string> titles;       // what the network itself says over each
  };

  struct Sum {                       // of sources that begin, or end, at a node
    std::vector<std::string> lines;  // of one each
    double goodput_bps = 0, marks_per_s = 0;
  };

  void open(const MarketBridge& market) const;
  void nodes(const MarketBridge& market) const;
  void warn(const MarketBridge& market) const;
  void sayOfNode(std::size_t node, const Sum& sum) const;
  std::vector<Box> obstacles() const;

  Shown shown_;
  mutable std::unique_ptr<Screen> screen_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_MARKETVIEW_H_
