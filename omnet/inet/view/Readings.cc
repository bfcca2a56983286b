// SPDX-License-Identifier: LGPL-3.0-or-later
#include "view/Readings.h"

#include <algorithm>

namespace ecnomy::omnet {

namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

double d(std::int64_t value) { return static_cast<double>(value); }

}  // namespace

Readings::Books Readings::read(const MarketBridge& market, Time now) {
  Books books;
  books.t = now;
  for (std::size_t i = 0; i < market.plan().sources.size(); ++i) {
    FlowStats sum;
    const int first = market.firstFlow(static_cast<int>(i));
    for (int member = 0; member < market.plan().sources[i].count; ++member) {
      const FlowStats& one = market.flow(first + member);
      sum.delivered += one.delivered;
      sum.delivered_bytes += one.delivered_bytes;
      sum.ce += one.ce;
      sum.lost += one.lost;
      sum.delay_sum_ps += one.delay_sum_ps;
    }
    books.sources.push_back(sum);
  }
  for (std::size_t i = 0; i < market.plan().links.size(); ++i) {
    books.links.push_back(market.linkHost(static_cast<int>(i))->look());
  }
  return books;
}

void Readings::look(const MarketBridge& market, Time now) {
  const Books books = read(market, now);
  if (!begun_ || now < newer_.t) {
    begun_ = true;
    older_ = newer_ = books;
  }
  readSources(market, older_, books);
  readLinks(market, older_, books);
  span_s_ = d(now - older_.t) * 1e-12;
  if (now - newer_.t >= window_) {
    older_ = newer_;
    newer_ = books;
  }
}

void Readings::readSources(const MarketBridge& market, const Books& then, const Books& now) {
  const double span_s = d(now.t - then.t) * 1e-12;
  sourceReadings_.assign(now.sources.size(), {});
  for (std::size_t i = 0; i < now.sources.size(); ++i) {
    SourceReading& out = sourceReadings_[i];
    const FlowStats &a = then.sources[i], &b = now.sources[i];
    const double arrived = d(b.delivered - a.delivered);
    out.goodput_bps = ratio(8 * d(b.delivered_bytes - a.delivered_bytes), span_s);
    out.marks_per_s = ratio(d(b.ce - a.ce), span_s);
    out.lost_per_s = ratio(d(b.lost - a.lost), span_s);
    out.marked = ratio(d(b.ce - a.ce), arrived);
    out.delay_s = ratio(d(b.delay_sum_ps - a.delay_sum_ps) * 1e-12, arrived);
    const SourcePlan& plan = market.plan().sources[i];
    double weights = 0;
    for (int member = 0; member < plan.count; ++member) {
      const FlowState state = market.sourceHost(static_cast<int>(i))->state(member);
      out.active += static_cast<int>(state.active);
      weights += state.weight;
    }
    if (plan.transport.tcp && plan.count > 0) out.weight = weights / plan.count;
  }
}

void Readings::readLinks(const MarketBridge& market, const Books& then, const Books& now) {
  const double span_s = d(now.t - then.t) * 1e-12;
  linkReadings_.assign(now.links.size(), {});
  for (std::size_t i = 0; i < now.links.size(); ++i) {
    LinkReading& out = linkReadings_[i];
    const LinkState &a = then.links[i], &b = now.links[i];
    const double arrived = d(b.stats.arrivals - a.stats.arrivals);
    out.rate_bps = ratio(8 * d(b.stats.departed_bytes - a.stats.departed_bytes), span_s);
    out.load = std::min(ratio(d(b.busy_ps - a.busy_ps) * 1e-12, span_s), 1.0);
    out.marks_per_s = ratio(d(b.stats.marks - a.stats.marks), span_s);
    out.marked = ratio(d(b.stats.marks - a.stats.marks), arrived);
    out.dropped = ratio(d(b.stats.drops - a.stats.drops), arrived);
    out.probability = b.probability;
    out.waiting = ratio((b.stats.queue_integral_ps - a.stats.queue_integral_ps) * 1e-12, span_s);
  }
  (void)market;
}

}  // namespace ecnomy::omnet
