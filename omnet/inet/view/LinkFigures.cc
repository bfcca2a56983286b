// SPDX-License-Identifier: LGPL-3.0-or-later
#include "view/LinkFigures.h"

#include <algorithm>
#include <cmath>

#include "view/Style.h"
#include "view/Words.h"

namespace ecnomy::omnet {

using omnetpp::cGate;
using omnetpp::cModule;

namespace {

// The interface that contains the queue. It has the wire's gate.
cModule* interfaceOf(cModule* queue) {
  while (queue && !queue->hasGate("phys$o")) queue = queue->getParentModule();
  return queue;
}

// The gate whose connection is drawn between two nodes of the same network.
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

LinkFigures::LinkFigures(const MarketBridge& market) {
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

// A congested link has a label with all readings, and so has each marking link if only a few links mark. Other links
// show their rate. Links that carry only ACKs have no label.
std::string LinkFigures::label(const MarketBridge& market, std::size_t link,
                               const LinkReading& reading, const Shown& shown) const {
  const LinkPlan& plan = market.plan().links[link];
  if (!lines_[link].gate || (!lines_[link].data && !congested(reading))) return "";
  if (!(few_ && marksPackets(plan)) && !congested(reading)) {
    return reading.load < (few_ ? 0.005 : 0.3) ? "" : bits_per_second(reading.rate_bps);
  }
  const LinkShown* linkShown = link < shown.links().size() ? &shown.links()[link] : nullptr;
  std::string text = plan.name;
  if (linkShown && !linkShown->owner.empty() && shown.owners() > 1)
    text += ", of " + linkShown->owner;
  text += "\n" + bits_per_second(reading.rate_bps) + " of " +
          bits_per_second(static_cast<double>(plan.rate_bps)) + ", " +
          std::to_string(std::lround(reading.waiting)) + " waiting";
  text += "\nmarks " + percent(reading.marked);
  if (reading.dropped >= 0.0005) text += ", drops " + percent(reading.dropped);
  if (linkShown && linkShown->price) {
    text += ", earns " + number(linkShown->earns_per_s) + " money/s";
  }
  return text;
}

Stretch LinkFigures::stretch(std::size_t link) const {
  if (!lines_[link].gate) return {};
  const auto along = omnetpp::getEnvir()->getConnectionLine(lines_[link].gate);
  if (along.size() < 2) return {};
  return {along.front().x, along.front().y, along.back().x, along.back().y};
}

void LinkFigures::draw(const Readings& readings) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].gate) style(lines_[i], readings.links()[i]);
  }
}

}  // namespace ecnomy::omnet
