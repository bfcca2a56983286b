// SPDX-License-Identifier: LGPL-3.0-or-later
#include "view/Panel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "view/Callouts.h"
#include "view/Style.h"
#include "view/Words.h"

namespace ecnomy::omnet {

using omnetpp::cFigure;

namespace {

const cFigure::Font kPlain("Monospace", 8);
const cFigure::Font kBold("Monospace", 8, cFigure::FONT_BOLD);
constexpr double kPad = 6;
// The minimum and maximum number of rows of each table. A table leaves room for the minimum of the tables below it.
constexpr std::size_t kFewSources = 4, kSources = 8, kFewLinks = 3, kLinks = 6, kFewAgents = 2,
                      kAgents = 4, kFewPayments = 3, kPayments = 8, kFewNews = 2;
constexpr std::size_t kRest = 2;  // a heading, and a line about omitted rows
// Rows in total, as many as fit next to a network in Qtenv's window at 1920x1080.
constexpr std::size_t kRows = 26;
constexpr std::size_t kWidth = 70;  // characters of a row

// True if the run has a market. The market connects only at the first event.
bool awaited(const MarketBridge& market) {
  return market.par("socket").intValue() >= 0 || !market.par("connect").stdstringValue().empty();
}

std::string left(const std::string& text, std::size_t width) {
  return text.size() > width ? text.substr(0, width - 1) + "~"
                             : text + std::string(width - text.size(), ' ');
}

std::string right(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

// Returns the width of a column with these names.
std::size_t widthOf(const std::vector<std::string>& names, std::size_t least, std::size_t most) {
  std::size_t width = least;
  for (const std::string& name : names) width = std::max(width, name.size() + 1);
  return std::min(width, most);
}

std::string more(std::size_t count, std::size_t most) {
  return count > most ? "... and " + std::to_string(count - most) + " more" : "";
}

// Returns the indices of the `most` largest values, in ascending order.
template <class Value>
std::vector<std::size_t> largest(std::size_t count, std::size_t most, Value&& value) {
  std::vector<std::size_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = i;
  std::stable_sort(all.begin(), all.end(),
                   [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
  if (all.size() > most) all.resize(most);
  std::sort(all.begin(), all.end());
  return all;
}

// Returns the links that mark or are congested.
std::vector<std::size_t> watched(const MarketBridge& market, const Readings& readings) {
  const auto& plans = market.plan().links;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (marksPackets(plans[i]) || congested(readings.links()[i])) found.push_back(i);
  }
  return found;
}

// The minimum number of rows, headings included, that the tables below need.
std::size_t ofPayments(const Shown& shown) {
  return (shown.payments().empty() ? 0 : kFewPayments + kRest) + kFewNews;
}

std::size_t ofMoney(const Shown& shown) {
  return (shown.agents().empty() ? 0 : kFewAgents + kRest) + ofPayments(shown);
}

std::size_t ofLinks(const MarketBridge& market, const Readings& readings) {
  return watched(market, readings).empty() ? 0 : kFewLinks + kRest;
}

}  // namespace

Panel::Panel(omnetpp::cGroupFigure* parent)
    : plate_(new omnetpp::cRectangleFigure()), parent_(parent) {
  plate_->setFilled(true);
  plate_->setFillColor(cFigure::WHITE);
  plate_->setFillOpacity(0.92);
  plate_->setLineColor(cFigure::Color("#9aa5b1"));
  plate_->setCornerRadius(4);
  parent_->addFigure(plate_);
}

void Panel::sources(const MarketBridge& market, const Readings& readings, const Shown& shown) {
  const auto& plans = market.plan().sources;
  const bool money = shown.any();
  const std::size_t most = room(kFewSources, kSources, ofLinks(market, readings) + ofMoney(shown));
  const auto chosen =
      largest(plans.size(), most, [&](std::size_t i) { return readings.sources()[i].goodput_bps; });
  std::vector<std::string> names;
  for (const std::size_t i : chosen) {
    std::string name = plans[i].name;
    const std::string offer = i < shown.sources().size() ? shown.sources()[i].offer : "";
    if (!offer.empty() && offer != name) name += " (" + offer + ")";
    names.push_back(name + (plans[i].count > 1 ? " x" + std::to_string(plans[i].count) : ""));
  }
  const std::size_t width = widthOf(names, 14, 20);
  heading(left("source", width) + right("gets", 10) + right("marked", 8) + right("weight", 8) +
          (money ? right("pays", 8) + right("of", 8) + right("fees", 8) : ""));
  for (std::size_t n = 0; n < chosen.size(); ++n) {
    const std::size_t i = chosen[n];
    const SourceReading& reading = readings.sources()[i];
    const SourceShown* sourceShown = i < shown.sources().size() ? &shown.sources()[i] : nullptr;
    std::string text = left(names[n], width) + right(bits_per_second(reading.goodput_bps), 10) +
                       right(percent(reading.marked), 8) +
                       right(reading.weight <= 0 ? "-" : number(reading.weight), 8);
    if (sourceShown) {
      text += right(number(sourceShown->marks_per_s), 8) +
              right(sourceShown->willing ? number(*sourceShown->willing) : "-", 8) +
              right(number(sourceShown->fees_per_s), 8);
    }
    row(text);
  }
  if (const std::string rest = more(plans.size(), most); !rest.empty()) row(rest);
}

void Panel::links(const MarketBridge& market, const Readings& readings, const Shown& shown) {
  const auto& plans = market.plan().links;
  const std::vector<std::size_t> marking = watched(market, readings);
  if (marking.empty()) return;
  const bool money = shown.any(), owners = shown.owners() > 1;
  const std::size_t most = room(kFewLinks, kLinks, ofMoney(shown));
  const auto chosen = largest(marking.size(), most, [&](std::size_t n) {
    const LinkReading& reading = readings.links()[marking[n]];
    return reading.load + (congested(reading) ? 1 : 0);
  });
  std::vector<std::string> names;
  for (const std::size_t n : chosen) names.push_back(plans[marking[n]].name);
  const std::string title = money && !owners ? "link, of " + shown.links().front().owner : "link";
  names.push_back(title);
  const std::size_t width = widthOf(names, 14, owners ? 21 : 32);
  heading(left(title, width) + right("load", 6) + right("waiting", 8) + right("marked", 8) +
          (money ? right("a mark", 8) + right("earns", 8) : "") + (owners ? "  owner" : ""));
  for (const std::size_t n : chosen) {
    const std::size_t i = marking[n];
    const LinkReading& reading = readings.links()[i];
    const LinkShown* linkShown = i < shown.links().size() ? &shown.links()[i] : nullptr;
    std::string text = left(plans[i].name, width) + right(percent(reading.load), 6) +
                       right(std::to_string(std::lround(reading.waiting)), 8) +
                       right(percent(reading.marked), 8);
    if (linkShown && linkShown->price) {
      text += right(number(*linkShown->price), 8) + right(number(linkShown->earns_per_s), 8) +
              (owners ? "  " + left(linkShown->owner, 9) : "");
    }
    row(text);
  }
  if (const std::string rest = more(marking.size(), most); !rest.empty()) row(rest);
}

void Panel::agents(const Shown& shown) {
  if (shown.agents().empty()) return;
  heading(left("agent", 18) + left("role", 28) + right("balance", 12) + right("change", 12));
  const auto& all = shown.agents();
  const std::size_t most = room(kFewAgents, kAgents, ofPayments(shown));
  const auto chosen =
      largest(all.size(), most, [&](std::size_t i) { return std::fabs(all[i].balance); });
  for (const std::size_t i : chosen) {
    row(left(all[i].name, 18) + left(all[i].role, 28) + right(number(all[i].balance), 12) +
        right(number(all[i].per_s), 12));
  }
  if (const std::string rest = more(all.size(), most); !rest.empty()) row(rest);
}

// Lists the payments of the ledger. A source on links of several carriers pays each of them.
void Panel::payments(const Shown& shown) {
  const auto& all = shown.payments();
  if (all.empty()) return;
  const std::size_t most = room(kFewPayments, kPayments, kFewNews);
  heading(left("payer", 18) + left("payee", 16) + left("for", 24) + right("money/s", 12));
  const auto chosen =
      largest(all.size(), most, [&](std::size_t i) { return std::fabs(all[i].per_s); });
  for (const std::size_t i : chosen) {
    const std::string of = all[i].source.empty() || all[i].source == all[i].from
                               ? all[i].kind
                               : all[i].kind + " of " + all[i].source;
    row(left(all[i].from, 18) + left(all[i].to, 16) + left(of, 24) +
        right(number(all[i].per_s), 12));
  }
  if (const std::string rest = more(all.size(), most); !rest.empty()) row(rest);
}

// Returns the number of rows of the next table if `after` rows are kept for the tables below it.
std::size_t Panel::room(std::size_t least, std::size_t most, std::size_t after) const {
  const std::size_t used = rows_.size() + kRest + after;
  return std::clamp(kRows - std::min(used, kRows), least, most);
}

// Lists as many decisions as there is room for, the latest first.
void Panel::news(const Shown& shown) {
  if (shown.news().empty() || rows_.size() + 1 >= kRows) return;
  heading("decided");
  for (const std::string& line : shown.news()) {
    if (rows_.size() < kRows) row(left(line, kWidth));
  }
}

void Panel::draw(const MarketBridge& market, const Readings& readings, const Shown& shown,
                 const cFigure::Point& corner) {
  corner_ = corner;
  rows_.clear();
  char time[64];
  std::snprintf(time, sizeof time, "%.2f s", omnetpp::simTime().dbl());
  const std::string over = "rates over the last " + number(readings.span_s()) + " s";
  if (shown.any()) {
    heading(std::string(time) + ", report " + std::to_string(market.reports()));
    row(over + ", money a second over " + number(shown.span_s()) + " s");
  } else {
    const bool due = market.reports() == 0 && awaited(market);
    heading(std::string(time) +
            (due ? ". The market joins at the first event" : ". No market: nobody pays"));
    row(over + ", sources keep their weights");
  }
  sources(market, readings, shown);
  links(market, readings, shown);
  agents(shown);
  payments(shown);
  news(shown);
  put();
}

void Panel::put() {
  while (lines_.size() < rows_.size()) {
    lines_.push_back(new omnetpp::cTextFigure());
    parent_->addFigure(lines_.back());
  }
  double y = corner_.y + kPad;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const bool used = i < rows_.size();
    lines_[i]->setVisible(used);
    if (!used) continue;
    const cFigure::Font& font = rows_[i].heading ? kBold : kPlain;
    const cFigure::Point size = extent(font, rows_[i].text);
    if (rows_[i].heading && i > 0) y += kPad;
    lines_[i]->setFont(font);
    lines_[i]->setText(rows_[i].text.c_str());
    lines_[i]->setPosition({corner_.x + kPad, y});
    widest_ = std::max(widest_, size.x);
    y += size.y;
  }
  box_ = {corner_.x, corner_.y, widest_ + 2 * kPad, y - corner_.y + kPad};
  plate_->setBounds({box_.x, box_.y, box_.width, box_.height});
}

}  // namespace ecnomy::omnet
