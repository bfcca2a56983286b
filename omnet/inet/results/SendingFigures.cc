// SPDX-License-Identifier: LGPL-3.0-or-later
#include "results/SendingFigures.h"

#include <string>
#include <utility>

#include "results/Weight.h"

namespace ecnomy::omnet {

using omnetpp::cComponent;
using omnetpp::cModule;
using omnetpp::simsignal_t;

namespace {

const simsignal_t kSent = cComponent::registerSignal("sentPackets");
const simsignal_t kLost = cComponent::registerSignal("lostPackets");
const simsignal_t kAckedRate = cComponent::registerSignal("ackedRate");

}  // namespace

void SendingFigures::open(cModule* shown, MarketBridge& market, int source) {
  shown_ = shown;
  market_ = &market;
  first_ = market.firstFlow(source);
  count_ = market.sourcePlan(source).count;
  if (market.sourcePlan(source).together) return;
  cwnd_ = series("cwnd");
  rate_ = series("rate");
  rtt_ = series("rtt");
  if (!rate_.empty()) ackedEach_.resize(static_cast<std::size_t>(count_));
}

// Returns one signal per flow, if the module's type has a template for its vector.
SendingFigures::Signals SendingFigures::series(const char* name) const {
  Signals signals;
  omnetpp::cProperty* how = shown_->getProperties()->get("statisticTemplate", name);
  if (!how || !market_->inSeries(name)) return signals;
  for (int member = 0; member < count_; ++member) {
    const std::string each = std::string(name) + "-" + std::to_string(member);
    signals.push_back(cComponent::registerSignal(each.c_str()));
    omnetpp::getEnvir()->addResultRecorders(shown_, signals.back(), each.c_str(), how);
  }
  return signals;
}

void SendingFigures::sample(const Sample& sample, ISource& host) {
  std::int64_t sent = 0, lost = 0, acked = 0;
  for (int flow = first_; flow < first_ + count_; ++flow) {
    const FlowStats& stats = market_->flow(flow);
    sent += stats.sent;
    lost += stats.lost;
    acked += stats.acked_bytes;
  }
  const std::int64_t packets = sent - std::exchange(sent_, sent);
  const std::int64_t drops = lost - std::exchange(lost_, lost);
  const std::int64_t bytes = acked - std::exchange(acked_, acked);
  if (sample.counts()) {
    shown_->emit(kSent, static_cast<omnetpp::intval_t>(packets));
    shown_->emit(kLost, static_cast<omnetpp::intval_t>(drops));
    emitMean(shown_, kAckedRate, sample.bitRate(bytes), sample.seconds());
  }
  if (cwnd_.empty() && rate_.empty() && rtt_.empty()) return;
  for (int member = 0; member < count_; ++member) {
    sampleMember(sample, static_cast<std::size_t>(member), host.state(member));
  }
}

// Recorders made from a template do not filter out the warm-up.
void SendingFigures::sampleMember(const Sample& sample, std::size_t member,
                                  const FlowState& state) {
  if (!cwnd_.empty() && sample.measured()) shown_->emit(cwnd_[member], state.cwnd);
  if (!rtt_.empty() && sample.measured()) shown_->emit(rtt_[member], state.srtt_s);
  if (rate_.empty()) return;
  const std::int64_t acked = market_->flow(first_ + static_cast<int>(member)).acked_bytes;
  const std::int64_t bytes = acked - std::exchange(ackedEach_[member], acked);
  if (sample.counts()) shown_->emit(rate_[member], sample.bitRate(bytes));
}

}  // namespace ecnomy::omnet
