// SPDX-License-Identifier: Apache-2.0
#include "engine/call_flow.h"

#include <algorithm>

#include "host/tally.h"

namespace ecnomy::engine {

CallFlow::CallFlow(const SourceConfig& source, std::int32_t flow, std::int32_t user, Outbox outbox,
                   Stream traffic, Stream speech, CallRegister* call_register)
    : source_(&source),
      flow_(flow),
      user_(user),
      outbox_(outbox),
      stream_(traffic),
      law_(source.plan->traffic.values.data()),
      call_register_(call_register) {
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
  if (const std::optional<Callers::Turn> turn = source_->callers->turn(now, *call_register_)) {
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
  id_ = call_register_->number();
  if (!source_->plan->calls_ask) return answer(core, true, now);
  if (!core.hosts) return answer(core, call_register_->admit(id_, flow_, now, next_.holding), now);
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
    call.complete = 1;
    call_register_->add(call);
    return await_call(core, now, now);
  }
  call.accepted = 1;
  const Time stop = source_->plan->stop_ps;
  end_ = later(now, next_.holding);
  if (stop >= 0) end_ = std::max(now, std::min(end_, stop));
  call.end_ps = end_;
  calls_.begin(call);
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
                      .connection = calls_.number()};
  ++stats.sent;
  if (core.tally) core.tally->sent(flow_, now);
  stats.sent_bytes += source_->packet_bytes();
  calls_.sent();
  outbox_.leave(core, id, now);
}

void CallFlow::end(Core& core, Time now) {
  await_call(core, end_, now);
  settle(core, now);
}

void CallFlow::receive(Core& core, PacketId id, Time now) {
  const Packet& packet = core.packets[id];
  core.count_delivery(packet, now);
  FlowStats& stats = core.flows[static_cast<std::size_t>(flow_)];
  ++stats.acked;
  stats.acked_bytes += packet.bytes;
  calls_.delivered({packet.connection, now - packet.sent, packet.has(kCe)},
                   source_->plan->calls_max_delay, source_->latest, now, *call_register_);
  core.packets.release(id);
  if (state_ != State::talking) settle(core, now);
}

void CallFlow::settle(Core& core, Time now) {
  const bool quiet = core.flows[static_cast<std::size_t>(flow_)].under_way() == 0;
  calls_.settle(quiet, state_ == State::talking, source_->latest, now, *call_register_);
}

void CallFlow::finish(Core& core, Time now) {
  settle(core, now);
  calls_.finish(now, *call_register_);
}

}  // namespace ecnomy::engine
