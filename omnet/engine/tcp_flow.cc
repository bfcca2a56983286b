// SPDX-License-Identifier: Apache-2.0
#include "engine/tcp_flow.h"

#include "engine/tcp_port.h"

namespace ecnomy::engine {
namespace {

std::uint32_t low_bits(std::int64_t count) noexcept { return static_cast<std::uint32_t>(count); }

}  // namespace

TcpFlow::TcpFlow(const SourceConfig& source, std::int32_t flow, Outbox outbox, Stream traffic)
    : source_(&source),
      flow_(flow),
      sender_(*source.sender),
      outbox_(outbox),
      files_(Files::make(source, traffic)) {}

void TcpFlow::start(Core& core, Time now) {
  sender_.begin(now);
  if (files_) return await_file(core, now);
  const std::optional<RateCapped>& capped = source_->sender->capped;
  if (capped && capped->lifted_at() > now) {
    core.events.push(capped->lifted_at(), EventKind::application,
                     static_cast<std::uint32_t>(flow_));
  }
  if (!source_->plan->profile.none()) on_step(core, now);
  if (sender_.active(now)) open(core, -1, now);
}

// Called at a step of the profile: a greedy member starts or stops, or a cap changes.
void TcpFlow::on_step(Core& core, Time now) {
  const Profile& profile = source_->plan->profile;
  const bool on = profile.on(now, flow_ - source_->first_flow, source_->plan->count);
  const Time next = profile.next_step(now);
  sender_.set_profile(on, profile.at(now), next);
  core.events.push(next, EventKind::application, static_cast<std::uint32_t>(flow_));
}

// Schedules the next file after its pause, if a file follows.
void TcpFlow::await_file(Core& core, Time now) {
  if (!files_) return;
  const Time pause = files_->pause();
  if (pause == kNever) return;
  files_->due = now + source_->plan->profile.stretch(now, pause);
  core.events.push(files_->due, EventKind::application, static_cast<std::uint32_t>(flow_));
}

// The event may be stale. For example, the patience event of a file remains if the file completes in time.
void TcpFlow::on_application(Core& core, Time now) {
  if (!files_) {
    if (now == sender_.step_at()) on_step(core, now);
    if (sender_.step_at() != kNever && sender_.closed() && sender_.active(now)) {
      return open(core, -1, now);
    }
    Port port{core, *this};
    return sender_.resume(port, now);
  }
  if (sender_.idle() && now == files_->due) return next_file(core, now);
  if (!sender_.idle() && now == files_->given_up) finish_file(core, false, now);
}

void TcpFlow::on_pace(Core& core, Time now) {
  Port port{core, *this};
  sender_.on_pace(port, now);
}

void TcpFlow::on_timeout(Core& core, Time now) {
  Port port{core, *this};
  sender_.on_timeout(port, now);
}

void TcpFlow::next_file(Core& core, Time now) {
  const std::int64_t bytes = files_->bytes(transport().payload_bytes);
  if (!sender_.active(now)) {
    files_->give_up();
    return await_file(core, now);
  }
  files_->given_up = kNever;
  if (files_->patience() != kNever) {
    files_->given_up = now + files_->patience();
    core.events.push(files_->given_up, EventKind::application, static_cast<std::uint32_t>(flow_));
  }
  open(core, bytes, now);
}

// Opens a new connection or uses the lasting one, for a file or for unlimited data (file_bytes < 0).
void TcpFlow::open(Core& core, std::int64_t file_bytes, Time now) {
  std::int64_t segments = -1;
  if (file_bytes >= 0) {
    const std::int64_t mss = transport().payload_bytes;
    segments = (file_bytes + mss - 1) / mss;
    last_segment_bytes_ = static_cast<std::int32_t>(file_bytes - (segments - 1) * mss);
    Files::File& file = files_->present;
    file = {now, file_bytes, low_bits(stats(core).retransmitted), low_bits(stats(core).ece)};
    ++files_->number;
    files_->requested_bytes += file_bytes;
  }
  if (sender_.is_open()) {
    sender_.extend(segments);
    Port port{core, *this};
    return sender_.send_allowed(port, now);
  }
  ++connection_;
  sender_.open(segments, now);
  send_syn(core, false, now);
}

void TcpFlow::send_syn(Core& core, bool again, Time now) {
  const std::uint16_t flags =
      static_cast<std::uint16_t>(kSyn | (again ? kRetransmit : 0) | source_->other_flags);
  const PacketId id = core.packets.take();
  core.packets[id] = {.seq = sender_.una(),
                      .sent = now,
                      .flow = flow_,
                      .bytes = transport().ack_bytes,
                      .hop = source_->first_hop,
                      .flags = flags,
                      .connection = connection_};
  outbox_.hand_over(core, id, now);
  Port port{core, *this};
  sender_.arm_timer(port, now);
}

// Ends the current file. If it is given up, its connection is closed.
void TcpFlow::finish_file(Core& core, bool complete, Time now) {
  if (!complete || !files_->lasting()) sender_.close(now);
  if (source_->transfers) {
    const Files::File& file = files_->present;
    const FlowStats& so_far = stats(core);
    const std::uint32_t again = low_bits(so_far.retransmitted) - file.retransmitted;
    const std::uint32_t ece = low_bits(so_far.ece) - file.ece;
    source_->transfers->add(
        {flow_, files_->number, file.start, now, file.bytes, again, ece, complete ? 1 : 0});
  }
  files_->given_up = kNever;
  files_->finished += complete ? 1 : 0;
  if (!complete) files_->give_up();
  await_file(core, now);
}

FlowState TcpFlow::state(Time now) const noexcept {
  FlowState flow = sender_.state(now);
  if (!files_) return flow;
  const std::int64_t left =
      file_end(files_->present.bytes, transport().payload_bytes, sender_.segments_left());
  flow.files = {files_->finished, files_->requested_bytes, left};
  return flow;
}

void TcpFlow::order(Core& core, const FlowOrder& order, Time now) {
  sender_.take(order);
  if (sender_.closed() && !files_ && sender_.active(now)) return open(core, -1, now);
  Port port{core, *this};
  sender_.resume(port, now);
}

std::int32_t TcpFlow::segment_bytes(std::int64_t seq) const noexcept {
  const std::int32_t payload =
      seq + 1 == sender_.end() ? last_segment_bytes_ : transport().payload_bytes;
  return payload + transport().header_bytes;
}

}  // namespace ecnomy::engine
