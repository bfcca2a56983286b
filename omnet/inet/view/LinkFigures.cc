// SPDX-License-Identifier: LGPL-3.0-or-later
#include "view/LinkFigures.h"

#include <algorithm>
#include <sstream>

#include "view/Style.h"
#include "view/Words.h"

namespace ecnomy::omnet {

using omnetpp::cFigure;
using omnetpp::cGate;
using omnetpp::cModule;

namespace {

const cFigure::Font kFont("Sans", 8);
constexpr double kPad = 3;

// The interface that a queue is in: it has the wire's gate.
cModule* interfaceOf(cModule* queue) {
  while (queue && !queue->hasGate("phys$o")) queue = queue->getParentModule();
  return queue;
}

// The gate whose connection is drawn between two nodes beside one another.
cGate* drawn(cModule* interface) {
  cGate* gate = interface->gateHalf("phys", cGate::OUTPUT);
  while (gate && gate->getNextGate()) {
    cModule* here = gate->getOwnerModule();
    cModule* there = gate->getNextGate()->getOwnerModule();
    if (here->getParentModule() == there->getParentModule()) return gate;
    gate = gate->getNextGate();
  }
  return nullptr;
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

LinkFigures::LinkFigures(const MarketBridge& market, omnetpp::cGroupFigure* parent)
    : parent_(parent) {
  const Plan& plan = market.plan();
  lines_.resize(plan.links.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    auto* queue = dynamic_cast<cModule*>(market.linkHost(static_cast<int>(i)));
    cModule* interface = interfaceOf(queue);
    if (!interface) continue;
    lines_[i].gate = drawn(interface);
    if (!lines_[i].gate) continue;
    lines_[i].from = lines_[i].gate->getOwnerModule();
    lines_[i].to = lines_[i].gate->getNextGate()->getOwnerModule();
  }
  few_ = std::count_if(plan.links.begin(), plan.links.end(), marksPackets) <= kFew;
  for (const SourcePlan& source : plan.sources) {
    for (const std::int32_t link : source.path) lines_[static_cast<std::size_t>(link)].data = true;
  }
}

void LinkFigures::style(Line& line, const LinkReading& reading) {
  const std::string wanted =
      std::string(lineColour(reading)) + "," + std::to_string(lineWidth(reading));
  if (wanted == line.style) return;
  line.style = wanted;
  omnetpp::cDisplayString& display = line.gate->getDisplayString();
  display.setTagArg("ls", 0, lineColour(reading));
  display.setTagArg("ls", 1, lineWidth(reading));
}

// Of a link in congestion, or of one of few that mark, all there is to say; of another its rate; of one that
// carries ACKs alone nothing.
std::string LinkFigures::label(const LinkPlan& plan, const Line& line, const LinkReading& reading,
                               const LinkShown* shown) const {
  if (!line.data && !congested(reading)) return "";
  if (!(few_ && marksPackets(plan)) && !congested(reading)) {
    return reading.load < (few_ ? 0.005 : 0.3) ? "" : bits_per_second(reading.rate_bps);
  }
  std::string text = plan.name;
  if (shown && !shown->owner.empty()) text += ", of " + shown->owner;
  text += "\n" + bits_per_second(reading.rate_bps) + " of " +
          bits_per_second(static_cast<double>(plan.rate_bps)) + ", " +
          std::to_string(reading.queue) + " waiting";
  text += "\nmarks " + percent(reading.marked);
  if (reading.dropped >= 0.0005) text += ", drops " + percent(reading.dropped);
  if (shown && shown->price) {
    text += ", " + number(*shown->price) + " a mark: earns " +
            number(*shown->price * reading.marks_per_s) + "/s";
  }
  return text;
}

void LinkFigures::put(Line& line, const std::string& text, const LinkReading& reading) {
  if (!line.text) {
    line.plate = new omnetpp::cRectangleFigure();
    line.plate->setFilled(true);
    line.plate->setOutlined(true);
    line.plate->setFillColor(cFigure::WHITE);
    line.plate->setFillOpacity(0.85);
    line.plate->setCornerRadius(3);
    line.text = new omnetpp::cTextFigure();
    line.text->setFont(kFont);
    parent_->addFigure(line.plate);
    parent_->addFigure(line.text);
  }
  line.plate->setVisible(!text.empty());
  line.text->setVisible(!text.empty());
  if (text.empty()) {
    line.width = line.height = 0;
    return;
  }
  line.plate->setLineColor(cFigure::Color(lineColour(reading)));
  line.text->setText(text.c_str());
  const cFigure::Point size = extent(kFont, text);
  const bool lines = size.y + 2 * kPad != line.height;
  const double width = lines ? size.x + 2 * kPad : std::max(line.width, size.x + 2 * kPad);
  grown_ = grown_ || lines || width > line.width;
  line.width = width;
  line.height = size.y + 2 * kPad;
}

// All anew, where a label has grown or a node has moved; else labels stay where they are.
void LinkFigures::place(const std::vector<Box>& obstacles) {
  std::vector<std::vector<cFigure::Point>> along(lines_.size());
  std::vector<cFigure::Point> flat;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (!lines_[i].text) continue;
    along[i] = omnetpp::getEnvir()->getConnectionLine(lines_[i].gate);
    flat.insert(flat.end(), along[i].begin(), along[i].end());
  }
  const auto same = [](const Box& a, const Box& b) {
    return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
  };
  if (!grown_ && flat == placedAlong_ &&
      std::equal(obstacles.begin(), obstacles.end(), placedAround_.begin(), placedAround_.end(),
                 same)) {
    return;
  }
  grown_ = false;
  placedAlong_ = flat;
  placedAround_ = obstacles;
  Placing placing;
  for (const Box& box : obstacles) placing.keep(box);
  std::vector<std::size_t> order;  // the largest choose first
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].height > 0 && along[i].size() >= 2) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return lines_[a].width * lines_[a].height > lines_[b].width * lines_[b].height;
  });
  for (const std::size_t i : order) {
    const cFigure::Point &a = along[i].front(), &b = along[i].back();
    const Box box = placing.beside({a.x, a.y, b.x, b.y}, lines_[i].width, lines_[i].height);
    lines_[i].plate->setBounds({box.x, box.y, box.width, box.height});
    lines_[i].text->setPosition({box.x + kPad, box.y + kPad});
  }
}

void LinkFigures::draw(const MarketBridge& market, const Readings& readings, const Shown& shown,
                       const std::vector<Box>& obstacles) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    Line& line = lines_[i];
    if (!line.gate) continue;
    const LinkReading& reading = readings.links()[i];
    style(line, reading);
    const LinkShown* told = i < shown.links().size() ? &shown.links()[i] : nullptr;
    const std::string text = label(market.plan().links[i], line, reading, told);
    if (line.text || !text.empty()) put(line, text, reading);
  }
  place(obstacles);
}

}  // namespace ecnomy::omnet
