// SPDX-License-Identifier: LGPL-3.0-or-later
// Labels of nodes and links. A label is next to its node or link, or connected to it by a dotted line. If there is
// enough room, labels do not cover each other, or nodes, links, the panel and plots.
#ifndef ECNOMY_INET_VIEW_CALLOUTS_H_
#define ECNOMY_INET_VIEW_CALLOUTS_H_

#include <omnetpp.h>

#include <string>
#include <vector>

#include "view/Placing.h"

namespace ecnomy::omnet {

struct Surroundings {
  std::vector<Box> boxes;
  std::vector<Stretch> lines;
  Box area;  // labels stay in it
};

class Callouts {
 public:
  Callouts(omnetpp::cGroupFigure* parent, std::size_t count) : parent_(parent), labels_(count) {}

  // Sets the text of a label; "" hides the label. `colour` is the colour of its frame; nullptr means blue text without
  // a frame.
  void say(std::size_t label, const std::string& text, const char* colour);
  // Places each label next to its node or link, beginning with the labels of nodes. If nothing has changed, labels keep
  // their places.
  void place(const std::vector<About>& abouts, const Surroundings& around);

 private:
  struct Label {
    omnetpp::cRectangleFigure* plate = nullptr;
    omnetpp::cTextFigure* text = nullptr;
    omnetpp::cLineFigure* leader = nullptr;
    double width = 0, height = 0;  // the largest size of its text so far; 0: it had no text
  };

  void make(Label& label, bool framed);
  bool changed(const std::vector<About>& abouts, const Surroundings& around);
  void put(Label& label, const Place& place);

  omnetpp::cGroupFigure* parent_;
  std::vector<Label> labels_;
  bool grown_ = false;
  std::vector<double> placedIn_;  // coordinates of all objects around which labels were placed
};

// Width and height of a text of several lines.
omnetpp::cFigure::Point extent(const omnetpp::cFigure::Font& font, const std::string& text);

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_CALLOUTS_H_
