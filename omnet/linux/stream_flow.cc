// SPDX-License-Identifier: Apache-2.0
#include "linux/stream_flow.h"

#include <algorithm>
#include <cmath>

#include "linux/law_settings.h"

namespace ecnomy::kernel {
namespace {

std::uint32_t low_bits(std::int64_t count) noexcept { return static_cast<std::uint32_t>(count); }

}  // namespace

StreamFlow::StreamFlow(const engine::SourceConfig& source, std::size_t index, std::int32_t member,
                       const KernelLaws& laws, Agenda& agenda, const Stream& traffic)
    : bytes(source.plan->transport.payload_bytes),
      source_(&source),
      index_(index),
      member_(member),
      laws_(&laws),
      agenda_(&agenda),
      files_(engine::Files::make(source, traffic)),
      mark_rate_(source.plan->transport.initial_mark_rate),
      weight_(own_weight(source.plan->transport.window)) {
  const LawPlan& law = source.plan->traffic;
  if (law.law == RateCapped::kName) capped_.emplace(law.values.data());
}

bool StreamFlow::switched_on(Time now) const noexcept {
  const bool stopped = plan().stop_ps >= 0 && now >= plan().stop_ps;
  const bool on = files_ || capped_ || plan().profile.on(now, member_, plan().count);
  return started_ && order_.active && on && !stopped;
}

bool StreamFlow::active(const FlowStats& stats, Time now) const noexcept {
  return switched_on(now) && order_.rate_cap_bps != 0 &&
         (order_.mark_cap < 0 || stats.ce < order_.mark_cap);
}

// The entry of the agenda may be stale. For example, the end of patience remains if the file completes in time.
void StreamFlow::act(FlowStats& stats, Time now) {
  if (!started_) return start(stats, now);
  if (!files_) {
    if (!is_open() && switched_on(now)) open(now);
    const Time step = plan().profile.next_step(now);
    if (step != kNever) agenda_->wake(flow(), step);
    return fill(stats, now);
  }
  const bool idle = files_->due != kNever;
  if (idle && now == files_->due) return next_file(stats, now);
  if (!idle && now == files_->given_up) finish_file(false, stats, now);
}

void StreamFlow::start(FlowStats& stats, Time now) {
  started_ = true;
  if (files_) return await_file(now);
  act(stats, now);
}

// Schedules the next file after its pause, if a file follows. `due` is set while the flow is idle.
void StreamFlow::await_file(Time now) {
  files_->due = kFarthest;
  const Time pause = files_->pause();
  if (pause == kNever) return;
  files_->due = now + plan().profile.stretch(now, pause);
  agenda_->wake(flow(), files_->due);
}

void StreamFlow::next_file(FlowStats& stats, Time now) {
  const std::int64_t size = files_->bytes(plan().transport.payload_bytes);
  if (!switched_on(now)) {
    files_->give_up();
    return await_file(now);
  }
  files_->due = files_->given_up = kNever;
  if (files_->patience() != kNever) {
    files_->given_up = now + files_->patience();
    agenda_->wake(flow(), files_->given_up);
  }
  files_->present = {now, size, low_bits(stats.retransmitted), low_bits(stats.ece)};
  ++files_->number;
  files_->requested_bytes += size;
  to_write_ = size;
  if (is_open()) {
    file_from_ = bytes.acked_bytes();
  } else {
    open(now);
  }
  fill(stats, now);
}

void StreamFlow::acknowledged(FlowStats& stats, Time now) {
  if (!files_ || files_->due != kNever) return;
  if (bytes.acked_bytes() - file_from_ >= files_->present.bytes) finish_file(true, stats, now);
}

void StreamFlow::finish_file(bool complete, FlowStats& stats, Time now) {
  const engine::Files::File& file = files_->present;
  if (!complete || !files_->lasting()) close(stats, now);
  if (source_->transfers) {
    source_->transfers->add({static_cast<std::int64_t>(flow()), files_->number, file.start, now,
                             file.bytes, low_bits(stats.retransmitted) - file.retransmitted,
                             low_bits(stats.ece) - file.ece, complete ? 1 : 0});
  }
  to_write_ = 0;
  files_->given_up = kNever;
  files_->finished += complete ? 1 : 0;
  if (!complete) files_->give_up();
  await_file(now);
}

void StreamFlow::order(const FlowOrder& order, FlowStats& stats, Time now) {
  order_ = order;
  if (order.weight >= 0) {
    mark_rate_ = -1;
    set_weight(order.weight);
  } else if (order.mark_rate >= 0) {
    mark_rate_ = order.mark_rate;
  }
  if (!started_ || files_) return set_cap(now);
  if (!is_open() && switched_on(now)) open(now);
  set_cap(now);
  fill(stats, now);
}

// Sets the weight of a law in BPF if it has changed by more than a thousandth.
void StreamFlow::set_weight(double weight) {
  const TransportPlan& tcp = plan().transport;
  if (!is_own_law(tcp.window.law)) return;
  const bool same = std::abs(weight - weight_) <= 1e-3 * weight_;
  if (same && has_weight_) return;
  weight_ = weight;
  if (!is_open()) return;
  const bool wtp = tcp.window.law == Wtp::kName;
  laws_->set(socket(), wtp ? wtp_settings(tcp, weight) : multcp_settings(tcp, weight));
  has_weight_ = true;
}

FlowState StreamFlow::state(const FlowStats& stats, Time now) const noexcept {
  const double since_s = is_open() ? seconds(now - looked_at_) : 0;
  FlowState out{
      stats.under_way(), switched_on(now), cwnd_, cwnd_integral_ + cwnd_ * since_s, srtt_s_, 0, {}};
  if (plan().transport.window.law == Wtp::kName) out.weight = weight_;
  if (!files_) return out;
  const bool idle = files_->due != kNever;
  const std::int64_t left = files_->present.bytes - (bytes.acked_bytes() - file_from_);
  out.files = {files_->finished, files_->requested_bytes, idle ? 0 : left};
  return out;
}

}  // namespace ecnomy::kernel
