// SPDX-License-Identifier: LGPL-3.0-or-later
// Labels of nodes and links: a text beside what it is about, with a thin line to that where it is away. They lie
// neither on one another nor on nodes, links, panel and plots, as far as there is room.
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

  // The text of a label, "" for none. colour: of its frame; nullptr: it has none and is blue.
  void say(std::size_t label, const std::string& text, const char* colour);
  // Each beside what it is about, those of nodes first; where nothing has changed labels stay where they are.
  void place(const std::vector<About>& abouts, const Surroundings& around);

 private:
  struct Label {
    omnetpp::cRectangleFigure* plate = nullptr;
    omnetpp::cTextFigure* text = nullptr;
    omnetpp::cLineFigure* leader = nullptr;
    double width = 0, height = 0;  // the most that its text has needed; 0: it has none
  };

  void make(Label& label, bool framed);
  bool changed(const std::vector<About>& abouts, const Surroundings& around);
  void put(Label& label, const Place& place);

  omnetpp::cGroupFigure* parent_;
  std::vector<Label> labels_;
  bool grown_ = false;
  std::vector<double> placedIn_;  // coordinates of all that labels were placed around
};

// Width and height of a text of several lines.
omnetpp::cFigure::Point extent(const omnetpp::cFigure::Font& font, const std::string& text);

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_CALLOUTS_H_
