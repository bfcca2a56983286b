// SPDX-License-Identifier: LGPL-3.0-or-later
#include "results/ArrivalFigures.h"

#include <utility>

#include "results/Weight.h"

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

}  // namespace

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
  shown_->emit(kDelivered, static_cast<omnetpp::intval_t>(packets));
  shown_->emit(kCe, static_cast<omnetpp::intval_t>(marked));
  emitMean(shown_, kGoodput, sample.bitRate(news), sample.seconds());
  emitMean(shown_, kMarkRate, static_cast<double>(marked) / sample.seconds(), sample.seconds());
  emitShare(shown_, kCeShare, marked, packets);
  if (packets == 0) return;
  const double all = static_cast<double>(packets);
  emitMean(shown_, kMeanDelay, waited_s / all, all);
}

}  // namespace ecnomy::omnet
