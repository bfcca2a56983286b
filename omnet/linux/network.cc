// SPDX-License-Identifier: Apache-2.0
#include "linux/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <string>
#include <utility>

#include "laws/traffic/files.h"
#include "laws/traffic/traffic.h"
#include "linux/packet_header.h"

namespace ecnomy::kernel {
namespace {

std::int32_t mtu_of(const Plan& plan) noexcept {
  std::int32_t most = 0;
  for (const SourcePlan& source : plan.sources) {
    most = std::max(most, source.transport.payload_bytes);
  }
  return std::max(most + kHeaders, 576);
}

}  // namespace

Network::Network(const Plan& plan, TransferSink* transfers, CallRegister* calls)
    : laws_(plan),
      receivers_(kReceivers, kSenders, mtu_of(plan)),
      senders_(kSenders, kReceivers, mtu_of(plan)),
      calls_(calls) {
  receivers_.enter();
  set_up(receivers_, plan, kReceivers, kSenders);
  for (std::size_t source = 0; source < plan.sources.size(); ++source) {
    const bool tcp = plan.sources[source].transport.tcp;
    listeners_.push_back(tcp ? open_listener(plan.sources[source], source, laws_) : Descriptor());
    if (!tcp) sinks_.emplace_back(source);
  }
  senders_.enter();
  set_up(senders_, plan, kSenders, kReceivers);
  make_flows(plan, transfers, calls);
}

// Start times, pauses and sizes are drawn from the simulator's streams, so all engines draw the same values.
void Network::make_flows(const Plan& plan, TransferSink* transfers, CallRegister* calls) {
  sources_.reserve(plan.sources.size());
  first_flow_.push_back(0);
  for (std::size_t index = 0; index < plan.sources.size(); ++index) {
    const SourcePlan& source = plan.sources[index];
    sources_.emplace_back(source, 0, 0, first_flow_.back(), transfers);
    sources_.back().prepare_calls(plan);
    const StartLaw law{source.start_at, source.start_stagger, source.start_spread};
    for (std::int32_t member = 0; member < source.count; ++member) {
      Stream start(plan.seed, engine::stream_name(source, member, "start"));
      Time at = law.draw(member, start);
      if (source.traffic.law == OneFile::kName) {  // the start is its only draw
        at = later(law.at, source.profile.stretch(law.at, at - law.at));
      }
      agenda_.wake(flows_.size(), at);
      if (source.transport.tcp) {
        const Stream traffic(plan.seed, engine::stream_name(source, member, "traffic"));
        flows_.emplace_back(std::in_place_type<StreamFlow>, sources_.back(), index, member, laws_,
                            agenda_, traffic);
      } else {
        flows_.emplace_back(std::in_place_type<DatagramFlow>, sources_.back(), index, member,
                            plan.seed, calls);
      }
      flow_source_.push_back(index);
    }
    first_flow_.push_back(static_cast<std::int32_t>(flows_.size()));
  }
}

// Makes packets as in the simulator: without timestamps, and without memory of earlier connections. SACK is always on.
// Without SACK and timestamps, the kernel would take repaired losses for spurious ones and restore the window.
void Network::set_up(const OwnSpace& space, const Plan& plan, std::uint32_t own,
                     std::uint32_t other) {
  for (const auto& [name, value] : {std::pair{"ipv4/tcp_timestamps", "0"},
                                    {"ipv4/tcp_sack", "1"},
                                    {"ipv4/tcp_ecn", "0"},           // set per route
                                    {"ipv4/tcp_ecn_fallback", "0"},  // retries with ECN
                                    {"ipv4/tcp_no_metrics_save", "1"},
                                    {"ipv4/tcp_slow_start_after_idle", "0"},
                                    {"ipv4/tcp_pacing_ca_ratio", "100"},
                                    {"ipv4/tcp_mtu_probing", "0"},
                                    {"ipv4/tcp_rmem", "4096 67108864 67108864"},
                                    {"ipv4/tcp_wmem", "4096 67108864 67108864"},
                                    {"ipv4/conf/all/rp_filter", "0"},
                                    {"ipv4/conf/default/rp_filter", "0"},
                                    {"ipv4/conf/tun0/rp_filter", "0"}}) {
    space.set(name, value);
  }
  for (std::size_t source = 0; source < plan.sources.size(); ++source) {
    const TransportPlan& tcp = plan.sources[source].transport;
    if (!tcp.tcp) continue;  // the route of the prefix suffices
    space.add_route({address_of(own, source), address_of(other, source), tcp.ect,
                     tcp.delayed_acks == 1,
                     static_cast<std::uint32_t>(std::max(tcp.initial_window, 1.0)),
                     static_cast<std::uint32_t>(std::max<Time>(tcp.min_rto / 1'000'000'000, 1))});
  }
}

std::int32_t Network::flow_of(std::uint32_t address, std::uint16_t port) const noexcept {
  const std::size_t source = source_at(address);
  if (source + 1 >= first_flow_.size() || port < kFirstPort) return -1;
  const std::int32_t count = first_flow_[source + 1] - first_flow_[source];
  return count == 0 ? -1 : first_flow_[source] + (port - kFirstPort) % count;
}

void Network::accept(std::size_t source) {
  for (;;) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    Descriptor peer(::accept4(listeners_[source].get(), reinterpret_cast<sockaddr*>(&from), &size,
                              SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!peer) return;
    const std::int32_t flow = flow_of(ntohl(from.sin_addr.s_addr), ntohs(from.sin_port));
    StreamFlow* const to = flow < 0 ? nullptr : stream(static_cast<std::size_t>(flow));
    if (to) to->accepted(std::move(peer));
  }
}

void Network::drain() {
  for (DatagramSink& sink : sinks_) sink.drain();
  for (auto& flow : flows_) {
    if (auto* const tcp = std::get_if<StreamFlow>(&flow)) tcp->drain();
  }
}

void Network::settle_calls(engine::Core& core, Time now, bool over) {
  for (const engine::SourceConfig& source : sources_) {
    if (source.callers) source.callers->lose(now, *calls_);
  }
  for (auto& flow : flows_) {
    if (auto* const udp = std::get_if<DatagramFlow>(&flow)) udp->settle_calls(core, now, over);
  }
}

KernelCounts Network::kernel_counts() const {
  KernelCounts sum;
  for (const DatagramSink& sink : sinks_) sum += sink.counts();
  for (const auto& flow : flows_) {
    if (const auto* const tcp = std::get_if<StreamFlow>(&flow)) {
      sum += tcp->counts();
    } else {
      sum.sent += std::get<DatagramFlow>(flow).sent();
    }
  }
  return sum;
}

}  // namespace ecnomy::kernel
