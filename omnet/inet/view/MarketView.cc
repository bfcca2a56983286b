// SPDX-License-Identifier: LGPL-3.0-or-later
#include "view/MarketView.h"

#include <cmath>
#include <map>
#include <set>
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

constexpr const char* kSign = "status/excl3";
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
    if (*it == this) continue;
    screen_->nodes.push_back(*it);
    screen_->titles.push_back((*it)->getDisplayString().getTagArg("t", 0));
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

// What its sources say one by one, or together where they are many.
void MarketView::sayOfNode(std::size_t node, const Sum& sum) const {
  std::string text = screen_->titles[node];
  if (sum.lines.size() <= kMostLines) {
    for (const std::string& line : sum.lines) text += (text.empty() ? "" : "\n") + line;
  } else {
    text += (text.empty() ? "" : "\n") + std::to_string(sum.lines.size()) + " sources";
    if (sum.goodput_bps > 0) text += " get " + bits_per_second(sum.goodput_bps);
    if (sum.marks_per_s > 0) text += ": marks " + number(sum.marks_per_s) + "/s";
  }
  screen_->nodes[node]->getDisplayString().setTagArg("t", 0, text.c_str());
}

// Who sends says what it pays, who receives what it gets.
void MarketView::nodes(const MarketBridge& market) const {
  std::map<cModule*, Sum> sent, got;
  const auto& sources = market.plan().sources;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].path.empty()) continue;
    const SourceReading& reading = screen_->readings.sources()[i];
    const SourceShown* told = i < shown_.sources().size() ? &shown_.sources()[i] : nullptr;
    cModule* from = screen_->links->sender(static_cast<std::size_t>(sources[i].path.front()));
    cModule* to = screen_->links->receiver(static_cast<std::size_t>(sources[i].path.back()));
    if (from && told) {
      sent[from].marks_per_s += told->marks_per_s;
      sent[from].lines.push_back(spending(*told));
    } else if (from && reading.weight > 0) {
      sent[from].lines.push_back(sources[i].name + ": weight " + number(reading.weight));
    }
    if (to) {
      got[to].goodput_bps += reading.goodput_bps;
      got[to].lines.push_back(sources[i].name + ": " + bits_per_second(reading.goodput_bps) + ", " +
                              percent(reading.marked) + " marked");
    }
  }
  for (std::size_t node = 0; node < screen_->nodes.size(); ++node) {
    // Of a node that does both it is what it gets: what is paid stands in the panel.
    if (const auto found = got.find(screen_->nodes[node]); found != got.end()) {
      sayOfNode(node, found->second);
    } else if (const auto other = sent.find(screen_->nodes[node]); other != sent.end()) {
      sayOfNode(node, other->second);
    }
  }
  warn(market);
}

// A node before a congested link has a sign.
void MarketView::warn(const MarketBridge& market) const {
  std::set<cModule*> before;
  for (std::size_t i = 0; i < market.plan().links.size(); ++i) {
    cModule* from = screen_->links->sender(i);
    if (from && congested(screen_->readings.links()[i])) before.insert(from);
  }
  for (cModule* node : screen_->nodes) {
    omnetpp::cDisplayString& display = node->getDisplayString();
    const std::string sign = display.getTagArg("i2", 0), wanted = before.count(node) ? kSign : "";
    if (sign != wanted && (sign.empty() || sign == kSign))
      display.setTagArg("i2", 0, wanted.c_str());
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
