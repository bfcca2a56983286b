// SPDX-License-Identifier: LGPL-3.0-or-later
// The bridge module's own parameters: seed, times and recording.
#include <algorithm>
#include <sstream>

#include "market/MarketBridge.h"
#include "parameters/Parameters.h"

namespace ecnomy::omnet {

using omnetpp::cRuntimeError;

namespace {

std::vector<std::string> words(const omnetpp::cComponent* module, const char* name) {
  std::istringstream text(module->par(name).stdstringValue());
  std::vector<std::string> out;
  for (std::string word; text >> word;) out.push_back(word);
  return out;
}

// Returns the words of a parameter. Each must be one of `known` and occur only once.
std::vector<std::string> names(const omnetpp::cComponent* module, const char* name,
                               std::initializer_list<const char*> known) {
  std::vector<std::string> out = words(module, name);
  for (auto word = out.begin(); word != out.end(); ++word) {
    if (std::find(known.begin(), known.end(), *word) == known.end() ||
        std::find(out.begin(), word, *word) != word) {
      throw cRuntimeError("market: parameter '%s' has '%s', unknown or twice", name, word->c_str());
    }
  }
  return out;
}

HistogramPlan histogram(const std::string& text) {
  std::istringstream in(text);
  std::string of;
  HistogramPlan plan{};
  char colon = 0;
  std::getline(in, of, ':');
  in >> plan.width >> colon >> plan.bins;
  plan.of_delay = of == "delay";
  const bool good = in && in.peek() == EOF && (plan.of_delay || of == "queue");
  if (!good || plan.width <= 0 || plan.bins <= 0) {
    throw cRuntimeError(
        "market: parameter 'histograms' has '%s', expected delay:WIDTH:BINS or "
        "queue:WIDTH:BINS",
        text.c_str());
  }
  return plan;
}

}  // namespace

void MarketBridge::readParameters() {
  if (omnetpp::SimTime::getScaleExp() != -12) {
    throw cRuntimeError(
        "ecnomy counts in picoseconds: put simtime-resolution = ps into the ini file");
  }
  const std::int64_t seed = static_cast<std::int64_t>(par("seed").intValue());
  plan_.seed = static_cast<std::uint64_t>(seed);
  plan_.duration = timeParameter(this, "duration");
  plan_.warmup = warmup();
  plan_.epoch = timeParameter(this, "epoch");
  if (plan_.duration <= 0) throw cRuntimeError("market: parameter 'duration' is not positive");
  if (plan_.epoch <= 0) throw cRuntimeError("market: parameter 'epoch' is not positive");
  readRecord();
}

// The market and OMNeT++'s own results use the same warm-up.
Time MarketBridge::warmup() const {
  const Time period = omnetpp::getSimulation()->getWarmupPeriod().raw();
  if (par("warmup").doubleValue() < 0) return period;
  const Time given = timeParameter(this, "warmup");
  if (given == period) return given;
  throw cRuntimeError(
      "market: parameter 'warmup' is %s s and the ini file's warmup-period %s s, expected the "
      "same: "
      "leave the parameter out, or set warmup-period",
      simtime(given).str().c_str(), simtime(period).str().c_str());
}

bool MarketBridge::inSeries(const std::string& name) const {
  const std::vector<std::string>& series = plan_.record.series;
  return plan_.record.every_ps > 0 && std::find(series.begin(), series.end(), name) != series.end();
}

void MarketBridge::readRecord() {
  RecordPlan& record = plan_.record;
  record.series = names(this, "series", kSeriesNames);
  record.every_ps = timeParameter(this, "every");
  std::istringstream thresholds(par("delayThresholds").stdstringValue());
  for (Time threshold = 0; thresholds >> threshold;) record.delay_thresholds.push_back(threshold);
  record.trace = par("trace").boolValue();
  record.transfers = par("transfers").boolValue();
  record.calls = par("calls").boolValue();
  for (const std::string& word : words(this, "histograms")) {
    record.histograms.push_back(histogram(word));
  }
  record.counts = names(this, "counts", kCountNames);
  record.counts_every = timeParameter(this, "countsEvery");
  record.classes_every = timeParameter(this, "classesEvery");
  if (!record.counts.empty() && record.counts_every <= 0) {
    throw cRuntimeError("market: parameter 'counts' needs a positive 'countsEvery'");
  }
}

}  // namespace ecnomy::omnet
