// SPDX-License-Identifier: LGPL-3.0-or-later
#include "view/MarketView.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "inet/common/ModuleAccess.h"
#include "parameters/Parameters.h"
#include "view/NodeWords.h"
#include "view/Style.h"

namespace ecnomy::omnet {

using omnetpp::cFigure;
using omnetpp::cModule;

Define_Module(MarketView);

namespace {

constexpr const char* kSign = "status/excl3";
const cFigure::Font kNodeFont("Sans", 9);  // approximately Qtenv's font for a node's texts
constexpr double kLeft = 10, kGap = 20;

Box bounds(const cModule* node) {
  const cFigure::Rectangle at = omnetpp::getEnvir()->getSubmoduleBounds(node);
  return {at.x, at.y, at.width, at.height};
}

// The boxes of a node's icon and of its name below the icon.
std::vector<Box> iconAndName(const cModule* node) {
  const Box icon = bounds(node);
  const cFigure::Point name = extent(kNodeFont, node->getFullName());
  return {icon, {icon.x + icon.width / 2 - name.x / 2, icon.bottom(), name.x, name.y + 2}};
}

}  // namespace

MarketView::Screen::Screen(Time window, const MarketBridge& market, omnetpp::cGroupFigure* group)
    : readings(window), links(market), panel(group), plots(group) {}

void MarketView::open(const MarketBridge& market) const {
  omnetpp::cCanvas* canvas = getParentModule()->getCanvas();
  auto* group = new omnetpp::cGroupFigure("ecnomy");
  canvas->addFigure(group);
  screen_ = std::make_unique<Screen>(timeParameter(this, "window"), market, group);
  for (cModule::SubmoduleIterator it(getParentModule()); !it.end(); ++it) {
    if (*it != this) screen_->nodes.push_back(*it);
  }
  const std::size_t count = screen_->nodes.size() + market.plan().links.size();
  screen_->callouts = std::make_unique<Callouts>(group, count);
}

// The boxes of nodes, with their names and the network's own texts above them.
Surroundings MarketView::around() const {
  Surroundings around;
  for (cModule* node : screen_->nodes) {
    for (const Box& box : iconAndName(node)) {
      around.boxes.push_back(box);
      screen_->right = std::max(screen_->right, box.right());
      screen_->bottom = std::max(screen_->bottom, box.bottom());
    }
    const Box& icon = around.boxes[around.boxes.size() - 2];
    const cFigure::Point text = extent(kNodeFont, node->getDisplayString().getTagArg("t", 0));
    around.boxes.push_back(
        {icon.x + icon.width / 2 - text.x / 2, icon.y - text.y - 4, text.x, text.y + 4});
  }
  return around;
}

// Sets the labels of nodes and links.
void MarketView::say(const MarketBridge& market) const {
  const auto words = nodeWords(market, screen_->readings, shown_, screen_->links);
  for (std::size_t i = 0; i < screen_->nodes.size(); ++i) {
    const auto found = words.find(screen_->nodes[i]);
    screen_->callouts->say(i, found == words.end() ? "" : found->second, nullptr);
  }
  for (std::size_t i = 0; i < market.plan().links.size(); ++i) {
    const LinkReading& reading = screen_->readings.links()[i];
    const std::string text = screen_->links.label(market, i, reading, shown_);
    screen_->callouts->say(screen_->nodes.size() + i, text, lineColour(reading));
  }
}

// Shows a warning sign at each node that sends into a congested link.
void MarketView::warn(const MarketBridge& market) const {
  std::set<cModule*> before;
  for (std::size_t i = 0; i < market.plan().links.size(); ++i) {
    cModule* from = screen_->links.sender(i);
    if (from && congested(screen_->readings.links()[i])) before.insert(from);
  }
  for (cModule* node : screen_->nodes) {
    omnetpp::cDisplayString& display = node->getDisplayString();
    const std::string sign = display.getTagArg("i2", 0), wanted = before.count(node) ? kSign : "";
    if (sign != wanted && (sign.empty() || sign == kSign))
      display.setTagArg("i2", 0, wanted.c_str());
  }
}

// Returns the panel's corner: below this module's icon if the module has a position, else to the right of all nodes.
cFigure::Point MarketView::corner() const {
  const Box here = bounds(this);
  const bool given = *getDisplayString().getTagArg("p", 0) != '\0';
  if (given && std::isfinite(here.x)) return {here.x, here.bottom() + 18};
  return {screen_->right + 3 * kGap, 2 * kGap};
}

// Places the panel, the plots below the nodes (or below the panel, if it is there), and the labels around them.
void MarketView::place(const MarketBridge& market) const {
  Surroundings around = this->around();
  screen_->panel.draw(market, screen_->readings, shown_, corner());
  const Box& panel = screen_->panel.box();
  Box plots = screen_->plots.box(kLeft, screen_->bottom + kGap);
  if (plots.overlap(panel) > 0) plots = screen_->plots.box(kLeft, panel.bottom() + kGap / 2);
  screen_->plots.draw(plots.x, plots.y);
  around.boxes.insert(around.boxes.end(), {panel, plots});
  const bool beside = panel.x >= screen_->right;
  around.area = {0, 0, beside ? panel.x - 5 : std::max(screen_->right + 3 * kGap, panel.right()),
                 plots.y};
  std::vector<About> abouts;
  for (std::size_t i = 0; i < screen_->nodes.size(); ++i) {
    const auto parts = iconAndName(screen_->nodes[i]);
    const double left = std::min(parts[0].x, parts[1].x);
    const double right = std::max(parts[0].right(), parts[1].right());
    abouts.push_back({true, {left, parts[0].y, right - left, parts[1].bottom() - parts[0].y}, {}});
  }
  for (std::size_t i = 0; i < market.plan().links.size(); ++i) {
    abouts.push_back({false, {}, screen_->links.stretch(i)});
    if (abouts.back().line.length() > 0) around.lines.push_back(abouts.back().line);
  }
  screen_->callouts->place(abouts, around);
}

void MarketView::look(const MarketBridge& market) const {
  screen_->readings.look(market, now());
  screen_->plots.note(market, screen_->readings, shown_, omnetpp::simTime().dbl());
}

// In express mode there are several reports between two refreshes of the display.
void MarketView::initialize() {
  if (!omnetpp::getEnvir()->isGUI()) return;
  if (MarketBridge* market = MarketBridge::find()) {
    market->onShown([this, market](const std::string& json, Time at) {
      std::vector<std::int64_t> marks;
      for (std::size_t i = 0; i < market->plan().links.size(); ++i) {
        marks.push_back(market->linkHost(static_cast<int>(i))->look().stats.marks);
      }
      shown_.read(json, at, marks);
      if (screen_) look(*market);
    });
  }
}

void MarketView::refreshDisplay() const {
  const MarketBridge* market = MarketBridge::find();
  if (!market || !market->opened()) return;
  if (!screen_) open(*market);
  look(*market);
  screen_->links.draw(screen_->readings);
  say(*market);
  warn(*market);
  place(*market);
}

}  // namespace ecnomy::omnet
