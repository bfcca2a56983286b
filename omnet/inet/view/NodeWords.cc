// SPDX-License-Identifier: LGPL-3.0-or-later
#include "view/NodeWords.h"

#include <vector>

#include "view/Words.h"

namespace ecnomy::omnet {

using omnetpp::cModule;

namespace {

constexpr std::size_t kMost = 6;  // lines at a node

// Returns a text such as "web: pays isp 9.95 of 10 money/s". For a source that pays fees, the receiver of the fees may
// pay for the marks: "gold: isp gets 9.95 of 10 money/s", and below it "gold: fees to shop 10 money/s".
std::string paying(const SourceShown& source, const std::string& payee) {
  if (source.fees == 0) return "pays " + (payee.empty() ? "" : payee + " ");
  return payee.empty() ? "marks cost " : payee + " gets ";
}

std::vector<std::string> spending(const SourceShown& source, const std::string& payee,
                                  const std::string& seller) {
  std::string marks = source.name + ": " + paying(source, payee) + number(source.marks_per_s);
  if (source.willing) marks += " of " + number(*source.willing);
  std::vector<std::string> lines;
  if (source.marks_per_s != 0 || source.willing || source.fees == 0)
    lines.push_back(marks + " money/s");
  if (source.fees != 0) {
    const std::string to = seller.empty() ? "" : "to " + seller + " ";
    lines.push_back(source.name + ": fees " + to + number(source.fees_per_s) + " money/s");
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  const bool all = lines.size() <= kMost;
  std::string text;
  for (std::size_t i = 0; i < (all ? lines.size() : kMost - 1); ++i) {
    text += (text.empty() ? "" : "\n") + lines[i];
  }
  return all ? text : text + "\n... and " + std::to_string(lines.size() - kMost + 1) + " more";
}

}  // namespace

std::map<cModule*, std::string> nodeWords(const MarketBridge& market, const Readings& readings,
                                          const Shown& shown, const LinkFigures& links) {
  std::map<cModule*, std::vector<std::string>> lines;
  const auto& sources = market.plan().sources;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].path.empty()) continue;
    const SourceReading& reading = readings.sources()[i];
    const SourceShown* sourceShown = i < shown.sources().size() ? &shown.sources()[i] : nullptr;
    cModule* from = links.sender(static_cast<std::size_t>(sources[i].path.front()));
    cModule* to = links.receiver(static_cast<std::size_t>(sources[i].path.back()));
    if (from && sourceShown) {
      const auto spent = spending(*sourceShown, shown.payee(sources[i].path), shown.seller());
      lines[from].insert(lines[from].end(), spent.begin(), spent.end());
    } else if (from && reading.weight > 0) {
      lines[from].push_back(sources[i].name + ": weight " + number(reading.weight));
    }
    if (to) {
      lines[to].push_back(sources[i].name + ": gets " + bits_per_second(reading.goodput_bps) +
                          ", " + percent(reading.marked) + " marked");
    }
  }
  std::map<cModule*, std::string> texts;
  for (const auto& [node, all] : lines) texts[node] = joined(all);
  return texts;
}

}  // namespace ecnomy::omnet
