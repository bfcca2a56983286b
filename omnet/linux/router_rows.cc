// SPDX-License-Identifier: Apache-2.0
// The exchange with the market. A report has the state at the end of its epoch, and a call that begins sends a request.
// Answers take effect when they arrive, since the network does not wait for them.
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

// Ends an epoch. The last report waits for all decisions, since the run is over.
void Router::end_epoch(Time now) {
  core_.settle_links(now);
  boundary_ = plan_->next_report(now);
  if (now >= plan_->duration) return;
  network_.settle_calls(core_, now, false);
  if (client_) submit({report(now), now, -1});
  if (now == plan_->warmup && client_ && tally_.wanted()) core_.tally = &tally_;
  ++epoch_;
}

void Router::ask(std::int64_t call, std::int32_t flow, Time now, Time duration) {
  const std::size_t index = static_cast<std::size_t>(flow);
  if (!client_) return network_.datagrams(index)->answer(core_, true, now);
  submit({bridge::Request{call, now, recorder_.rows().of(flow), "call", duration}, now, flow});
}

void Router::submit(PendingQuestion pending) {
  pending_.push_back(std::move(pending));
  if (!desk_->busy()) submit_first();
}

// Submits the first question. The market gets the records of calls that have ended before it decides on another call.
void Router::submit_first() {
  PendingQuestion& first = pending_.front();
  first.flow < 0 ? send_records(first.at) : recorder_.flush_calls();
  desk_->submit(std::move(first.question));
}

void Router::collect_answer(Time now) {
  const std::optional<Answer> answer = desk_->collect();
  if (answer) take_answer(*answer, now);
}

// Applies the answer to the first question.
void Router::take_answer(const Answer& answer, Time now) {
  const Time at = pending_.front().at;
  const std::int32_t flow = pending_.front().flow;
  slowest_decision_ = std::max(slowest_decision_, now - at);
  pending_.pop_front();
  if (!pending_.empty()) submit_first();
  if (flow >= 0) {
    network_.datagrams(static_cast<std::size_t>(flow))->answer(core_, std::get<bool>(answer), now);
  } else if (now < plan_->duration) {
    apply(std::get<bridge::Decide>(answer), now);
  }
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

// Lets the market answer all questions that still wait, and then the last report, whose answer has no effect.
void Router::finish() {
  if (!client_) return;
  const Time end = plan_->duration;
  while (!pending_.empty()) take_answer(desk_->await(), end);
  network_.settle_calls(core_, end, true);
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
