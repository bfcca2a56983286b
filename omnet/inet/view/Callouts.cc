// SPDX-License-Identifier: LGPL-3.0-or-later
#include "view/Callouts.h"

#include <algorithm>
#include <sstream>

namespace ecnomy::omnet {

using omnetpp::cFigure;

namespace {

const cFigure::Font kFont("Sans", 8);
constexpr double kPad = 3;

void append(std::vector<double>& all, const Box& box) {
  all.insert(all.end(), {box.x, box.y, box.width, box.height});
}

void append(std::vector<double>& all, const Stretch& line) {
  all.insert(all.end(), {line.x1, line.y1, line.x2, line.y2});
}

}  // namespace

cFigure::Point extent(const cFigure::Font& font, const std::string& text) {
  double widest = 0, high = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    double width = 0, height = 0, ascent = 0;
    omnetpp::getEnvir()->getTextExtent(font, line.c_str(), width, height, ascent);
    widest = std::max(widest, width);
    high += height;
  }
  return {widest, high};
}

void Callouts::make(Label& label, bool framed) {
  label.leader = new omnetpp::cLineFigure();
  label.leader->setLineColor(cFigure::Color("#606060"));
  label.leader->setLineStyle(cFigure::LINE_DOTTED);
  label.plate = new omnetpp::cRectangleFigure();
  label.plate->setFilled(true);
  label.plate->setOutlined(framed);
  label.plate->setFillColor(cFigure::WHITE);
  label.plate->setFillOpacity(framed ? 0.85 : 0);
  label.plate->setCornerRadius(3);
  label.text = new omnetpp::cTextFigure();
  label.text->setFont(kFont);
  if (!framed) label.text->setColor(cFigure::BLUE);
  parent_->addFigure(label.leader);
  parent_->addFigure(label.plate);
  parent_->addFigure(label.text);
}

void Callouts::say(std::size_t number, const std::string& text, const char* colour) {
  Label& label = labels_[number];
  if (!label.text) {
    if (text.empty()) return;
    make(label, colour != nullptr);
  }
  label.plate->setVisible(!text.empty());
  label.text->setVisible(!text.empty());
  if (text.empty()) {
    label.leader->setVisible(false);
    label.width = label.height = 0;
    return;
  }
  if (colour) label.plate->setLineColor(cFigure::Color(colour));
  label.text->setText(text.c_str());
  const cFigure::Point size = extent(kFont, text);
  const bool lines = size.y + 2 * kPad != label.height;
  const double width = lines ? size.x + 2 * kPad : std::max(label.width, size.x + 2 * kPad);
  grown_ = grown_ || lines || width > label.width;
  label.width = width;
  label.height = size.y + 2 * kPad;
}

bool Callouts::changed(const std::vector<About>& abouts, const Surroundings& around) {
  std::vector<double> all;
  for (const About& about : abouts) {
    append(all, about.box);
    append(all, about.line);
  }
  for (const Box& box : around.boxes) append(all, box);
  for (const Stretch& line : around.lines) append(all, line);
  append(all, around.area);
  const bool anew = grown_ || all != placedIn_;
  grown_ = false;
  placedIn_ = std::move(all);
  return anew;
}

void Callouts::place(const std::vector<About>& abouts, const Surroundings& around) {
  if (!changed(abouts, around)) return;
  Placing placing(around.area);
  for (const Box& box : around.boxes) placing.keep(box);
  for (const Stretch& line : around.lines) placing.keep(line);
  std::vector<std::size_t> order;  // nodes first, then by size, the largest first
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const bool somewhere = abouts[i].node || abouts[i].line.length() > 0;
    if (labels_[i].height > 0 && somewhere) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (abouts[a].node != abouts[b].node) return abouts[a].node;
    return labels_[a].width * labels_[a].height > labels_[b].width * labels_[b].height;
  });
  for (const std::size_t i : order) placing.add(abouts[i], labels_[i].width, labels_[i].height);
  const std::vector<Place> places = placing.places();
  for (std::size_t n = 0; n < order.size(); ++n) put(labels_[order[n]], places[n]);
}

void Callouts::put(Label& label, const Place& place) {
  const auto& [box, line] = place;
  label.plate->setBounds({box.x, box.y, box.width, box.height});
  label.text->setPosition({box.x + kPad, box.y + kPad});
  label.leader->setStart({line.x1, line.y1});
  label.leader->setEnd({line.x2, line.y2});
  label.leader->setVisible(line.length() > Placing::kAway);
}

}  // namespace ecnomy::omnet
