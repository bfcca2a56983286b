// SPDX-License-Identifier: Apache-2.0
#include "engine/call_flow.h"

#include <algorithm>
#include <cassert>

#include "host/tally.h"

namespace ecnomy::engine {

CallFlow::CallFlow(const SourceConfig& source, std::int32_t flow, std::int32_t user, Outbox outbox,
                   Stream traffic, Stream speech, CallDesk* desk)
    : source_(&source),
      flow_(flow),
      user_(user),
      outbox_(outbox),
      stream_(traffic),
      law_(source.plan->traffic.values.data()),
      desk_(desk) {
  if (const std::optional<Speech> law = make_speech(*source.plan)) {
    speech_ = std::make_unique<Spoken>(Spoken{*law, speech});
  }
}

bool CallFlow::active(Time now) const noexcept {
  const Time stop = source_->plan->stop_ps;
  return started_ && active_ && (stop < 0 || now < stop);
}

void CallFlow::start(Core& core, Time now) {
  started_ = true;
  left_ = now;
  await_call(core, now, now);
}

// `from` is the time at which the user became idle. It is in the past if the send overhead delayed a call's last
// packet. The next call begins after this packet.
void CallFlow::await_call(Core& core, Time from, Time now) {
  state_ = State::idle;
  next_ = law_.next(stream_, source_->plan->calls_longest);
  if (source_->callers) {
    source_->callers->free(user_, now);
    return pass_turn(core, now);
  }
  const Time stop = source_->plan->stop_ps;
  const Time at = std::max(now, later(from, source_->plan->profile.stretch(from, next_.idle)));
  if (stop < 0 || at < stop) core.wake(flow_, at);
}

// Schedules the source's next call on the line that takes it.
void CallFlow::pass_turn(Core& core, Time now) {
  if (const std::optional<Callers::Turn> turn = source_->callers->turn(now, *desk_)) {
    core.wake(source_->first_flow + turn->line, turn->at);
  }
}

void CallFlow::on_application(Core& core, Time now) {
  if (state_ == State::idle) return begin(core, now);
  if (due_ >= end_) return end(core, now);
  send(core, now);
  due_at(later(due_, law_.interval()));
  packet_or_end(core);
}

void CallFlow::begin(Core& core, Time now) {
  if (source_->callers) source_->callers->come();
  if (!active(now)) return await_call(core, now, now);
  id_ = desk_->number();
  if (!source_->plan->calls_ask) return answer(core, true, now);
  if (!core.hosts) return answer(core, desk_->admit(id_, flow_, now, next_.holding), now);
  state_ = State::asking;
  core.hosts->ask(id_, flow_, now, next_.holding);
  if (source_->callers) pass_turn(core, now);
}

void CallFlow::answer(Core& core, bool accepted, Time now) {
  CallRecord call{};
  call.id = id_;
  call.flow = flow_;
  call.user = user_;
  call.start_ps = call.end_ps = now;
  if (!accepted) {
    hand_in(call, true);
    return await_call(core, now, now);
  }
  call.accepted = 1;
  const Time stop = source_->plan->stop_ps;
  end_ = later(now, next_.holding);
  if (stop >= 0) end_ = std::max(now, std::min(end_, stop));
  call.end_ps = end_;
  open_.push_back(call);
  ++number_;
  state_ = State::talking;
  if (speech_) speech_->law.begin(now, speech_->stream);
  due_at(later(now, next_.phase));
  packet_or_end(core);
  if (source_->callers) pass_turn(core, now);
}

// Schedules the next packet for this tick, or for the first later tick with speech.
void CallFlow::due_at(Time tick) {
  const Time interval = law_.interval();
  due_ = speech_ ? speech_->law.spoken(tick, interval, end_, speech_->stream) : tick;
}

// The call ends at end_, or when its last packet departs, if the send overhead delays the packet beyond end_.
void CallFlow::packet_or_end(Core& core) {
  if (due_ < end_) left_ = std::max(left_, later(due_, outbox_.draw()));
  core.wake(flow_, due_ < end_ ? left_ : std::max(left_, end_));
}

void CallFlow::send(Core& core, Time now) {
  if (!active(now)) return;
  FlowStats& stats = core.flows[static_cast<std::size_t>(flow_)];
  const std::uint16_t flags = source_->data_flags;
  const PacketId id = core.packets.take();
  core.packets[id] = {.seq = stats.sent,
                      .sent = now,
                      .flow = flow_,
                      .bytes = source_->packet_bytes(),
                      .hop = source_->first_hop,
                      .flags = flags,
                      .connection = number_};
  ++stats.sent;
  if (core.tally) core.tally->sent(flow_, now);
  stats.sent_bytes += source_->packet_bytes();
  ++open_.back().sent;
  outbox_.leave(core, id, now);
}

void CallFlow::end(Core& core, Time now) {
  await_call(core, end_, now);
  settle(core);
}

void CallFlow::receive(Core& core, PacketId id, Time now) {
  const Packet& packet = core.packets[id];
  core.count_delivery(packet, now);
  FlowStats& stats = core.flows[static_cast<std::size_t>(flow_)];
  ++stats.acked;
  stats.acked_bytes += packet.bytes;
  const std::size_t later = static_cast<std::uint16_t>(number_ - packet.connection);
  const std::size_t at = open_.size() - 1 - later;
  assert(later < open_.size());
  CallRecord& call = open_[at];
  const Time delay = now - packet.sent;
  const Time limit = source_->plan->calls_max_delay;
  ++call.delivered;
  add_delay(call.delay_sum_ps, delay);
  call.late += limit >= 0 && delay > limit ? 1 : 0;
  call.ce += packet.has(kCe) ? 1 : 0;
  core.packets.release(id);
  hand_in_ended(at);
  if (state_ != State::talking) settle(core);
}

bool CallFlow::quiet(const Core& core) const noexcept {
  return core.flows[static_cast<std::size_t>(flow_)].under_way() == 0;
}

void CallFlow::settle(Core& core) {
  if (open_.empty() || !quiet(core)) return;
  hand_in_ended(open_.size() - (state_ == State::talking ? 1 : 0));
}

void CallFlow::hand_in_ended(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) hand_in(open_[i], true);
  open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(count));
}

void CallFlow::finish(Core& core, Time now) {
  settle(core);
  for (CallRecord& call : open_) {
    call.end_ps = std::min(call.end_ps, now);
    hand_in(call, false);
  }
  open_.clear();
}

void CallFlow::hand_in(CallRecord& call, bool complete) {
  call.complete = complete ? 1 : 0;
  if (complete) call.lost = call.sent - call.delivered;
  desk_->add(call);
}

}  // namespace ecnomy::engine
