// SPDX-License-Identifier: LGPL-3.0-or-later
#include "view/Plots.h"

#include <algorithm>
#include <cmath>

#include "view/Callouts.h"
#include "view/Style.h"
#include "view/Words.h"

namespace ecnomy::omnet {

using omnetpp::cFigure;

namespace {

const cFigure::Font kPlain("Sans", 7);
const cFigure::Font kBold("Sans", 8, cFigure::FONT_BOLD);
constexpr double kWidth = 276, kHeight = 116, kGap = 10, kPad = 5;
constexpr double kHead = 31, kFoot = 13;  // above a curve: title and names; below it: times
constexpr double kNames = 17, kRow = 11, kBetween = 8;  // names: top, height of a row, gap
constexpr int kRows = 2;                                // maximum number of rows of names
constexpr double kSpan_s = 60, kEvery_s = 0.5;
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"};
constexpr std::size_t kMost = std::size(kColours);  // maximum number of curves per frame

// Returns the places of names in rows of this width, or {} if they need too many rows.
std::vector<cFigure::Point> rows(const std::vector<std::string>& names, double width) {
  std::vector<cFigure::Point> places;
  double x = 0;
  int row = 0;
  for (const std::string& name : names) {
    const double wide = extent(kPlain, name).x;
    if (x > 0 && x + wide > width) {
      x = 0;
      ++row;
    }
    if (row >= kRows) return {};
    places.emplace_back(x, row * kRow);
    x += wide + kBetween;
  }
  return places;
}

}  // namespace

Plots::Plots(omnetpp::cGroupFigure* parent) : parent_(parent) {
  for (Frame& frame : frames_) frame = make();
}

Plots::Frame Plots::make() {
  Frame frame{};
  frame.plate = new omnetpp::cRectangleFigure();
  frame.plate->setFilled(true);
  frame.plate->setFillColor(cFigure::WHITE);
  frame.plate->setLineColor(cFigure::Color("#9aa5b1"));
  frame.plate->setCornerRadius(4);
  frame.plate->setVisible(false);
  parent_->addFigure(frame.plate);
  for (omnetpp::cTextFigure** text : {&frame.title, &frame.begin, &frame.end}) {
    *text = new omnetpp::cTextFigure();
    (*text)->setFont(text == &frame.title ? kBold : kPlain);
    parent_->addFigure(*text);
  }
  for (const char* colour : kColours) {
    Series series{new omnetpp::cPolylineFigure(), new omnetpp::cTextFigure()};
    series.line->setLineColor(cFigure::Color(colour));
    series.line->setLineWidth(2);
    series.name->setFont(kPlain);
    series.name->setColor(cFigure::Color(colour));
    parent_->addFigure(series.line);
    parent_->addFigure(series.name);
    frame.series.push_back(series);
  }
  return frame;
}

void Plots::note(const MarketBridge& market, const Readings& readings, const Shown& shown,
                 double t_s) {
  if (!notes_.empty() && t_s < notes_.back().t_s) notes_.clear();
  if (!notes_.empty() && t_s < notes_.back().t_s + kEvery_s) return;
  if (readings.span_s() <= 0) return;
  Note note{t_s, {}};
  const Plan& plan = market.plan();
  for (std::size_t i = 0; i < plan.sources.size(); ++i) {
    const bool offer = i < shown.sources().size() && !shown.sources()[i].offer.empty();
    const std::string& name = offer ? shown.sources()[i].offer : plan.sources[i].name;
    note.values[kRate][name] += readings.sources()[i].goodput_bps;
  }
  for (std::size_t i = 0; i < plan.links.size(); ++i) {
    if (!marksPackets(plan.links[i])) continue;
    note.values[kQueue][plan.links[i].name] = readings.links()[i].waiting;
    if (i >= shown.links().size() || !shown.links()[i].price) continue;
    double& price = note.values[kPrice][shown.links()[i].owner];
    price = std::max(price, *shown.links()[i].price);
  }
  notes_.push_back(std::move(note));
  while (notes_.front().t_s < t_s - kSpan_s) notes_.pop_front();
}

// Returns the names of the series with the largest values, as many as fit into the legend. They are in alphabetical
// order, so that a name keeps its colour.
std::vector<std::string> Plots::chosen(Kind kind) const {
  Values largest;
  for (const Note& note : notes_) {
    for (const auto& [name, value] : note.values[kind]) {
      largest[name] = std::max(largest[name], value);
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : largest) names.push_back(name);
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return largest[a] > largest[b];
  });
  if (names.size() > kMost) names.resize(kMost);
  const auto sorted = [&] {
    std::vector<std::string> some = names;
    std::sort(some.begin(), some.end());
    return some;
  };
  while (names.size() > 1 && rows(sorted(), kWidth - 2 * kPad).empty()) names.pop_back();
  return sorted();
}

double Plots::most(Kind kind, const std::vector<std::string>& names) const {
  double most = 0;
  for (const Note& note : notes_) {
    for (const std::string& name : names) {
      const auto found = note.values[kind].find(name);
      if (found != note.values[kind].end()) most = std::max(most, found->second);
    }
  }
  return most;
}

std::vector<cFigure::Point> Plots::points(Kind kind, const std::string& name, double most,
                                          const Box& in) const {
  std::vector<cFigure::Point> points;
  const double begin_s = std::max(notes_.back().t_s - kSpan_s, 0.0);
  for (const Note& note : notes_) {
    const auto found = note.values[kind].find(name);
    if (found == note.values[kind].end()) continue;
    const double share = most > 0 ? found->second / most : 0;
    points.emplace_back(in.x + in.width * (note.t_s - begin_s) / kSpan_s,
                        in.bottom() - in.height * share);
  }
  return points;
}

void Plots::draw(Frame& frame, Kind kind, const Box& at) {
  const auto names = chosen(kind);
  const double most = this->most(kind, names);
  const auto places = rows(names, at.width - 2 * kPad);
  const double head = kHead + (places.empty() ? 0 : places.back().y);
  const Box in{at.x + kPad, at.y + head, at.width - 2 * kPad, at.height - head - kFoot - kPad};
  frame.plate->setVisible(true);
  frame.plate->setBounds({at.x, at.y, at.width, at.height});
  const std::string top = kind == kRate ? bits_per_second(most) : number(most);
  const char* titles[] = {"rate, up to ", "price of a mark in money, up to ",
                          "packets waiting, up to "};
  frame.title->setText((titles[kind] + top).c_str());
  frame.title->setPosition({at.x + kPad, at.y + 3});
  const double end_s = notes_.back().t_s, begin_s = std::max(end_s - kSpan_s, 0.0);
  const double from_s = std::round(begin_s * 10) / 10;
  frame.begin->setText((number(from_s) + " s").c_str());
  frame.begin->setPosition({in.x, in.bottom() + 3});
  const std::string last = number(from_s + kSpan_s) + " s";
  frame.end->setText(last.c_str());
  frame.end->setPosition({in.right() - extent(kPlain, last).x, in.bottom() + 3});
  for (std::size_t i = 0; i < frame.series.size(); ++i) {
    const Series& series = frame.series[i];
    const bool used = i < names.size();
    series.line->setVisible(used);
    series.name->setVisible(used);
    if (!used) continue;
    series.line->setPoints(points(kind, names[i], most, in));
    series.name->setText(names[i].c_str());
    if (i < places.size())
      series.name->setPosition({in.x + places[i].x, at.y + kNames + places[i].y});
  }
}

Box Plots::box(double left, double top) const {
  return {left, top, 3 * kWidth + 2 * kGap, kHeight};
}

void Plots::draw(double left, double top) {
  if (notes_.empty()) return;
  double x = left;
  for (const Kind kind : {kRate, kQueue, kPrice}) {
    if (notes_.back().values[kind].empty()) continue;
    draw(frames_[kind], kind, {x, top, kWidth, kHeight});
    x += kWidth + kGap;
  }
}

}  // namespace ecnomy::omnet
