// SPDX-License-Identifier: Apache-2.0
// The exchange with the market. A report has the state at the end of its epoch. Its decision takes
// effect when it comes: the network does not wait for it.
#include <algorithm>

#include "host/row_states.h"
#include "linux/router.h"

namespace ecnomy::kernel {

std::vector<FlowState> Router::states(Time now) const {
  return merge_states(recorder_.rows(), [&](std::size_t flow) {
    return network_.state(flow, core_.flows[flow], now);
  });
}

EpochReport Router::report(Time now) {
  return {core_, core_.link_states(now), states(now), now, epoch_};
}

void Router::send_records(Time now) {
  recorder_.flush();
  if (core_.tally) tally_.tell_counts(*client_, now);
  if (core_.classes) class_tally_.tell(*client_, now);
}

// The last report waits for all decisions, since the run is over.
void Router::end_epoch(Time now) {
  core_.settle_links(now);
  boundary_ = plan_->next_report(now);
  if (now >= plan_->duration) return;
  network_.settle_calls(core_, now, false);
  if (client_) {
    waiting_.push_back(report(now));
    if (!desk_->busy()) {
      send_records(now);
      desk_->submit(std::move(waiting_.front()));
    }
  }
  if (now == plan_->warmup && client_ && tally_.wanted()) core_.tally = &tally_;
  ++epoch_;
}

void Router::collect_decision(Time now) {
  const std::optional<bridge::Decide> decide = desk_->collect();
  if (!decide) return;
  slowest_decision_ = std::max(slowest_decision_, now - waiting_.front().at);
  waiting_.pop_front();
  apply(*decide, now);
  if (waiting_.empty()) return;
  send_records(waiting_.front().at);
  desk_->submit(std::move(waiting_.front()));
}

void Router::apply(const bridge::Decide& decide, Time now) {
  hand_out(
      decide, recorder_.rows(),
      [&](std::size_t link, const auto& values) { core_.links[link].reconfigure(values); },
      [&](std::size_t flow, const FlowOrder& part) {
        if (DatagramFlow* const udp = network_.datagrams(flow)) return udp->order(part);
        network_.stream(flow)->order(part, core_.flows[flow], now);
        watch(flow);
      });
}

void Router::sample(Time now) {
  next_sample_ = now + plan_->record.every_ps;
  core_.catch_up_links(now);
  recorder_.sample(core_, core_.link_states(now), states(now), now);
  if (!desk_->busy()) recorder_.flush_if_many();
}

// The market answers all reports that still wait, then the last one, which changes nothing any
// more.
void Router::finish() {
  if (!client_) return;
  const Time end = plan_->duration;
  network_.settle_calls(core_, end, true);
  while (!waiting_.empty()) {
    desk_->await();
    waiting_.pop_front();
    if (!waiting_.empty()) desk_->submit(std::move(waiting_.front()));
  }
  send_records(end);
  desk_->submit(report(end));
  desk_->await();
  recorder_.flush();
  if (core_.tally) tally_.tell_histograms(*client_);
}

KernelCounts Router::kernel_counts() {
  network_.drain();
  return network_.kernel_counts();
}

RunTotals Router::totals() const {
  RunTotals totals;
  totals.events = events_;
  for (const FlowStats& flow : core_.flows) totals.data_packets += flow.delivered;
  totals.packet_hops = core_.transmissions();
  return totals;
}

}  // namespace ecnomy::kernel
