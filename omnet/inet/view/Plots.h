// SPDX-License-Identifier: LGPL-3.0-or-later
// Small plots of the last minute of simulated time: rates of classes, prices of marks, queues.
#ifndef ECNOMY_INET_VIEW_PLOTS_H_
#define ECNOMY_INET_VIEW_PLOTS_H_

#include <omnetpp.h>

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "view/Placing.h"
#include "view/Readings.h"
#include "view/Shown.h"

namespace ecnomy::omnet {

class Plots {
 public:
  explicit Plots(omnetpp::cGroupFigure* parent);

  // Stores the present values for the plots.
  void note(const MarketBridge& market, const Readings& readings, const Shown& shown, double t_s);
  // Draws the frames side by side. Without a market there is no frame for prices.
  void draw(double left, double top);
  Box box(double left, double top) const;  // the area of the frames

 private:
  using Values = std::map<std::string, double>;  // by series
  enum Kind : std::size_t { kRate, kPrice, kQueue, kKinds };
  struct Note {
    double t_s;
    std::array<Values, kKinds> values;
  };
  struct Series {
    omnetpp::cPolylineFigure* line;
    omnetpp::cTextFigure* name;
  };
  struct Frame {
    omnetpp::cRectangleFigure* plate;
    omnetpp::cTextFigure *title, *begin, *end;
    std::vector<Series> series;
  };

  Frame make();
  void draw(Frame& frame, Kind kind, const Box& at);
  std::vector<std::string> chosen(Kind kind) const;
  double most(Kind kind, const std::vector<std::string>& names) const;
  std::vector<omnetpp::cFigure::Point> points(Kind kind, const std::string& name, double most,
                                              const Box& in) const;

  omnetpp::cGroupFigure* parent_;
  std::array<Frame, kKinds> frames_;
  std::deque<Note> notes_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_VIEW_PLOTS_H_
