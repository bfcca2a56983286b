// SPDX-License-Identifier: LGPL-3.0-or-later
#include "view/MarketView.h"

#include <cmath>
#include <map>
#include <string>

#include "inet/common/ModuleAccess.h"
#include "parameters/Parameters.h"
#include "view/Style.h"
#include "view/Words.h"

namespace ecnomy::omnet {

using omnetpp::cFigure;
using omnetpp::cModule;

Define_Module(MarketView);

namespace {

constexpr std::size_t kMostLines = 3;      // over a node
const cFigure::Font kNodeFont("Sans", 9);  // about what Qtenv takes for a node's texts

// What its flows cost, and what they may: "gold: marks 9.5 of 10/s, fees 10/s".
std::string spending(const SourceShown& told) {
  std::string text = told.name + ": marks " + number(told.marks_per_s);
  if (told.willing) text += " of " + number(*told.willing);
  text += "/s";
  if (told.fees != 0) text += ", fees " + number(told.fees_per_s) + "/s";
  return text;
}

}  // namespace

void MarketView::open(const MarketBridge& market) const {
  screen_ = std::make_unique<Screen>(timeParameter(this, "window"));
  omnetpp::cCanvas* canvas = getParentModule()->getCanvas();
  auto* group = new omnetpp::cGroupFigure("ecnomy");
  canvas->addFigure(group);
  screen_->links = std::make_unique<LinkFigures>(market, group);
  screen_->panel = std::make_unique<Panel>(group);
  for (cModule::SubmoduleIterator it(getParentModule()); !it.end(); ++it) {
    if (*it != this) screen_->nodes.push_back(*it);
  }
}

// Nodes, their names below and their texts above them.
std::vector<Box> MarketView::obstacles() const {
  std::vector<Box> boxes;
  for (cModule* node : screen_->nodes) {
    const cFigure::Rectangle at = omnetpp::getEnvir()->getSubmoduleBounds(node);
    boxes.push_back({at.x, at.y, at.width, at.height});
    const double middle = at.x + at.width / 2;
    const cFigure::Point name = extent(kNodeFont, node->getFullName());
    boxes.push_back({middle - name.x / 2, at.y + at.height, name.x, name.y + 2});
    const cFigure::Point text = extent(kNodeFont, node->getDisplayString().getTagArg("t", 0));
    boxes.push_back({middle - text.x / 2, at.y - text.y - 4, text.x, text.y + 4});
  }
  return boxes;
}

void MarketView::sayOfNode(cModule* node, const std::vector<std::string>& lines) const {
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < kMostLines; ++i) {
    text += (i ? "\n" : "") + lines[i];
  }
  if (lines.size() > kMostLines) {
    text += "\nand " + std::to_string(lines.size() - kMostLines) + " more";
  }
  node->getDisplayString().setTagArg("t", 0, text.c_str());
}

// Who sends says what it pays, who receives what it gets; a node before a congested link is tinted.
void MarketView::nodes(const MarketBridge& market) const {
  std::map<cModule*, std::vector<std::string>> lines;
  std::map<cModule*, const char*> tints;
  const auto& sources = market.plan().sources;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].path.empty()) continue;
    const SourceReading& reading = screen_->readings.sources()[i];
    const bool told = i < shown_.sources().size();
    cModule* from = screen_->links->sender(static_cast<std::size_t>(sources[i].path.front()));
    cModule* to = screen_->links->receiver(static_cast<std::size_t>(sources[i].path.back()));
    if (from && told) lines[from].push_back(spending(shown_.sources()[i]));
    if (from && !told && reading.weight >= 0) {
      lines[from].push_back(sources[i].name + ": weight " + number(reading.weight));
    }
    if (to) {
      lines[to].push_back(sources[i].name + ": " + bits_per_second(reading.goodput_bps) + ", " +
                          percent(reading.marked) + " marked");
    }
  }
  for (std::size_t i = 0; i < market.plan().links.size(); ++i) {
    const LinkReading& reading = screen_->readings.links()[i];
    cModule* from = screen_->links->sender(i);
    if (from && congested(reading)) tints[from] = lineColour(reading);
  }
  for (cModule* node : screen_->nodes) {
    if (const auto found = lines.find(node); found != lines.end()) sayOfNode(node, found->second);
    const auto tint = tints.find(node);
    omnetpp::cDisplayString& display = node->getDisplayString();
    const char* colour = tint == tints.end() ? "" : tint->second;
    if (!screen_->links) continue;
    if (std::string(display.getTagArg("i2", 0)).empty() && *colour == 0) continue;
    display.setTagArg("i2", 0, *colour ? "status/excl3" : "");
  }
}

// Reports come between two looks, too, in express mode.
void MarketView::initialize() {
  if (!omnetpp::getEnvir()->isGUI()) return;
  if (MarketBridge* market = MarketBridge::find()) {
    market->onShown([this](const std::string& json, Time at) { shown_.read(json, at); });
  }
}

void MarketView::refreshDisplay() const {
  const MarketBridge* market = MarketBridge::find();
  if (!market || !market->opened()) return;
  if (!screen_) open(*market);
  screen_->readings.look(*market, now());
  nodes(*market);
  screen_->links->draw(*market, screen_->readings, shown_, obstacles());
  const cFigure::Rectangle here = omnetpp::getEnvir()->getSubmoduleBounds(this);
  const bool known = std::isfinite(here.x) && std::isfinite(here.y);
  const cFigure::Point corner =
      known ? cFigure::Point(here.x, here.y + here.height + 18) : cFigure::Point(20, 20);
  screen_->panel->draw(*market, screen_->readings, shown_, corner);
}

}  // namespace ecnomy::omnet
