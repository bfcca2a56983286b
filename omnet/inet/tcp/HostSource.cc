// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tcp/HostSource.h"

#include <algorithm>
#include <memory>

namespace ecnomy::omnet {

using omnetpp::cModule;
using omnetpp::cRuntimeError;

HostSource::Member HostSource::join(MarketBridge& market, const cModule& tcp,
                                    const TransportPlan& transport) {
  SourcePlan plan{};
  plan.name = const_cast<cModule&>(tcp).par("source").stdstringValue();
  plan.count = 1;
  plan.stop_ps = plan.calls_max_delay = plan.calls_longest = kNever;
  plan.traffic.law = "greedy";
  plan.transport = transport;
  auto* source = dynamic_cast<HostSource*>(market.sourceNamed(plan.name));
  if (!source) {
    auto made = std::unique_ptr<HostSource>(new HostSource(market));
    source = made.get();
    source->hosts_.push_back({&tcp, {}});
    source->index_ = market.addSource(-1, plan, inet::L3Address(), -1, source);
    market.keep(std::move(made));
    return {*source, 0};
  }
  const cModule* first = source->hosts_.front().tcp;
  for (const char* name : {"path", "ackPath"}) {
    if (const_cast<cModule*>(first)->par(name).stdstringValue() !=
        const_cast<cModule&>(tcp).par(name).stdstringValue()) {
      throw cRuntimeError("%s and %s are one source, '%s', with different values of '%s'",
                          first->getFullPath().c_str(), tcp.getFullPath().c_str(),
                          plan.name.c_str(), name);
    }
  }
  source->hosts_.push_back({&tcp, {}});
  market.grow(source->index_);
  return {*source, static_cast<int>(source->hosts_.size()) - 1};
}

// ---- a host's part

int HostSource::Member::flow() const {
  return source_->market_->firstFlow(source_->index_) + number_;
}

FlowStats& HostSource::Member::stats() const { return source_->stats(number_); }

FlowSender::Identity HostSource::Member::identity() const {
  FlowSender::Identity identity;
  identity.member = number_;
  identity.flow = flow();
  identity.accounts = &source_->market_->accounts();
  return identity;
}

void HostSource::Member::opened(FlowSender& connection) {
  Host& host = source_->hosts_[static_cast<std::size_t>(number_)];
  host.connections.push_back(&connection);
  source_->shareOut(host);
}

void HostSource::Member::closed(const FlowSender& connection) {
  Host& host = source_->hosts_[static_cast<std::size_t>(number_)];
  const auto found = std::find(host.connections.begin(), host.connections.end(), &connection);
  if (found == host.connections.end()) return;
  host.closedIntegral += connection.state(now()).cwnd_integral;
  host.connections.erase(found);
  source_->shareOut(host);
}

// ---- the source

// Divides the order among the connections that have sent data. A connection that has not sent yet gets the share that
// it would have if it were one of them. The mark cap is not divided, since it counts the marks of all connections.
void HostSource::shareOut(Host& host) {
  const auto sends = [](const FlowSender* one) { return one->nextSegment() > 0; };
  const auto busy = std::count_if(host.connections.begin(), host.connections.end(), sends);
  for (FlowSender* connection : host.connections) {
    const double parts = static_cast<double>(busy) + (sends(connection) ? 0 : 1);
    FlowOrder share = host.order;
    if (share.mark_rate >= 0) share.mark_rate /= parts;
    if (share.weight >= 0) share.weight /= parts;
    if (share.rate_cap_bps >= 0) share.rate_cap_bps /= parts;
    connection->order(share, now());
  }
}

void HostSource::takeOrder(int member, const FlowOrder& order) {
  Host& host = hosts_.at(static_cast<std::size_t>(member));
  const FlowOrder before = std::exchange(host.order, order);
  if (order.mark_rate < 0 && order.weight < 0) {
    host.order.mark_rate = before.mark_rate;
    host.order.weight = before.weight;
  }
  shareOut(host);
}

// Returns the state of all connections together, with their mean round-trip time.
FlowState HostSource::state(int member) {
  const Host& host = hosts_.at(static_cast<std::size_t>(member));
  FlowState sum{};
  sum.active = host.order.active ? 1 : 0;
  sum.cwnd_integral = host.closedIntegral;
  int timed = 0;
  for (const FlowSender* connection : host.connections) {
    const FlowState one = connection->state(now());
    sum.cwnd += one.cwnd;
    sum.cwnd_integral += one.cwnd_integral;
    sum.weight += one.weight;
    sum.srtt_s += one.srtt_s;
    timed += one.srtt_s > 0 ? 1 : 0;
  }
  if (timed > 0) sum.srtt_s /= timed;
  if (host.connections.empty()) sum.weight = std::max(host.order.weight, 0.0);
  return sum;
}

double HostSource::heldWeight(int member) const {
  const cModule* tcp = hosts_.at(static_cast<std::size_t>(member)).tcp;
  return const_cast<cModule*>(tcp)->par("weight").doubleValue();
}

// Returns the willingness to pay of the first host whose knob is set.
double HostSource::heldWillingness() const {
  for (const Host& host : hosts_) {
    const double pay = const_cast<cModule*>(host.tcp)->par("willingness").doubleValue();
    if (pay >= 0) return pay;
  }
  return -1;
}

// A source without a path may use any link.
std::string HostSource::path(bool ack) const {
  const cModule* first = hosts_.front().tcp;
  const std::string said =
      const_cast<cModule*>(first)->par(ack ? "ackPath" : "path").stdstringValue();
  if (ack || !said.empty()) return said;
  std::string all;
  for (const LinkPlan& link : market_->plan().links) all += (all.empty() ? "" : " ") + link.name;
  return all;
}

}  // namespace ecnomy::omnet
