// SPDX-License-Identifier: Apache-2.0
#include "engine/udp_flow.h"

#include "host/tally.h"

namespace ecnomy::engine {
UdpFlow::UdpFlow(const SourceConfig& source, std::int32_t flow, Outbox outbox, Stream traffic)
    : source_(&source), flow_(flow), outbox_(outbox), stream_(traffic), law_(*source.plan) {}

bool UdpFlow::active(Time now) const noexcept {
  const Time stop = source_->plan->stop_ps;
  return started_ && active_ && (stop < 0 || now < stop);
}

void UdpFlow::start(Core& core, Time now) {
  started_ = true;
  due_ = last_ = now;
  schedule(core, law_.first(stream_));
}

void UdpFlow::schedule(Core& core, Time gap) {
  due_ += source_->plan->profile.stretch(due_, gap);
  last_ = std::max(last_, later(due_, outbox_.draw()));
  const Time stop = source_->plan->stop_ps;
  if (stop >= 0 && last_ >= stop) return;
  core.wake(flow_, last_);
}

void UdpFlow::on_application(Core& core, Time now) {
  if (active(now)) {
    const TransportPlan& transport = source_->plan->transport;
    const std::int32_t bytes = law_.payload_bytes(transport.payload_bytes) + transport.header_bytes;
    const PacketId id = core.packets.take();
    const std::uint16_t flags = source_->data_flags;
    core.packets[id] = {.seq = seq_++,
                        .sent = now,
                        .flow = flow_,
                        .bytes = bytes,
                        .hop = source_->first_hop,
                        .flags = flags};
    FlowStats& stats = core.flows[static_cast<std::size_t>(flow_)];
    ++stats.sent;
    if (core.tally) core.tally->sent(flow_, now);
    stats.sent_bytes += bytes;
    outbox_.leave(core, id, now);
  }
  schedule(core, law_.gap(stream_));
}

void UdpFlow::receive(Core& core, PacketId id, Time now) {
  const Packet& packet = core.packets[id];
  core.count_delivery(packet, now);
  FlowStats& stats = core.flows[static_cast<std::size_t>(flow_)];
  ++stats.acked;
  stats.acked_bytes += packet.bytes;
  core.packets.release(id);
}

}  // namespace ecnomy::engine
