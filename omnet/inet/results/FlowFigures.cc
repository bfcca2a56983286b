// SPDX-License-Identifier: LGPL-3.0-or-later
#include "results/FlowFigures.h"

#include <string>
#include <utility>

#include "results/Weighted.h"

namespace ecnomy::omnet {

using omnetpp::cComponent;
using omnetpp::cModule;
using omnetpp::simsignal_t;

namespace {

const simsignal_t kDelivered = cComponent::registerSignal("deliveredPackets");
const simsignal_t kCe = cComponent::registerSignal("cePackets");
const simsignal_t kGoodput = cComponent::registerSignal("goodput");
const simsignal_t kMarkRate = cComponent::registerSignal("markRate");
const simsignal_t kCeShare = cComponent::registerSignal("ceShare");
const simsignal_t kMeanDelay = cComponent::registerSignal("meanDelay");
const simsignal_t kSent = cComponent::registerSignal("sentPackets");
const simsignal_t kLost = cComponent::registerSignal("lostPackets");
const simsignal_t kAckedRate = cComponent::registerSignal("ackedRate");

void emitCount(cModule* module, simsignal_t signal, std::int64_t count) {
  module->emit(signal, static_cast<omnetpp::intval_t>(count));
}

// Emits a mean with its weight: the number of seconds or packets behind it.
void emitMean(cModule* module, simsignal_t signal, double value, double weight) {
  if (!module->mayHaveListeners(signal)) return;
  Weight stands(weight);
  module->emit(signal, value, &stands);
}

void emitShare(cModule* module, simsignal_t signal, std::int64_t part, std::int64_t whole) {
  emitMean(module, signal, share(part, whole), static_cast<double>(whole));
}

double bitRate(std::int64_t bytes, const Sample& sample) {
  return static_cast<double>(bytes) * 8 / sample.seconds();
}

}  // namespace

// ---- at the receiver

void ArrivalFigures::open(cModule* shown, MarketBridge& market, int source) {
  shown_ = shown;
  market_ = &market;
  first_ = market.firstFlow(source);
  count_ = market.sourcePlan(source).count;
}

void ArrivalFigures::sample(const Sample& sample) {
  std::int64_t delivered = 0, bytes = 0, ce = 0;
  double delays_s = 0;
  for (int flow = first_; flow < first_ + count_; ++flow) {
    const FlowStats& stats = market_->flow(flow);
    delivered += stats.delivered;
    bytes += stats.delivered_bytes;
    ce += stats.ce;
    delays_s += seconds(stats.delay_sum_ps);
  }
  const std::int64_t packets = delivered - std::exchange(delivered_, delivered);
  const std::int64_t marked = ce - std::exchange(ce_, ce);
  const std::int64_t news = bytes - std::exchange(bytes_, bytes);
  const double waited_s = delays_s - std::exchange(delays_s_, delays_s);
  if (!sample.counts()) return;
  emitCount(shown_, kDelivered, packets);
  emitCount(shown_, kCe, marked);
  emitMean(shown_, kGoodput, bitRate(news, sample), sample.seconds());
  emitMean(shown_, kMarkRate, static_cast<double>(marked) / sample.seconds(), sample.seconds());
  emitShare(shown_, kCeShare, marked, packets);
  if (packets == 0) return;
  const double all = static_cast<double>(packets);
  emitMean(shown_, kMeanDelay, waited_s / all, all);
}

// ---- at the sender

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
    emitCount(shown_, kSent, packets);
    emitCount(shown_, kLost, drops);
    emitMean(shown_, kAckedRate, bitRate(bytes, sample), sample.seconds());
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
  if (sample.counts()) shown_->emit(rate_[member], bitRate(bytes, sample));
}

}  // namespace ecnomy::omnet
