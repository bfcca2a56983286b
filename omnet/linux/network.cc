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

Network::Network(const Plan& plan, TransferSink* transfers)
    : laws_(plan),
      receivers_(kReceivers, kSenders, mtu_of(plan)),
      senders_(kSenders, kReceivers, mtu_of(plan)) {
  receivers_.enter();
  set_up(receivers_, plan, kReceivers, kSenders);
  for (std::size_t source = 0; source < plan.sources.size(); ++source) {
    listeners_.push_back(open_listener(plan.sources[source], source, laws_));
  }
  senders_.enter();
  set_up(senders_, plan, kSenders, kReceivers);
  make_flows(plan, transfers);
}

// Start times, pauses and sizes are drawn from the simulator's streams. So all engines draw the
// same values.
void Network::make_flows(const Plan& plan, TransferSink* transfers) {
  sources_.reserve(plan.sources.size());
  first_flow_.push_back(0);
  for (std::size_t index = 0; index < plan.sources.size(); ++index) {
    const SourcePlan& source = plan.sources[index];
    sources_.emplace_back(source, 0, 0, first_flow_.back(), transfers);
    const StartLaw law{source.start_at, source.start_stagger, source.start_spread};
    for (std::int32_t member = 0; member < source.count; ++member) {
      const std::string name = "source/" + source.name + "/" + std::to_string(member);
      Stream start(plan.seed, name + "/start");
      Time at = law.draw(member, start);
      if (source.traffic.law == OneFile::kName) {  // the start is its only draw
        at = later(law.at, source.profile.stretch(law.at, at - law.at));
      }
      agenda_.wake(flows_.size(), at);
      flows_.emplace_back(sources_.back(), index, member, laws_, agenda_,
                          Stream(plan.seed, name + "/traffic"));
      flow_source_.push_back(index);
    }
    first_flow_.push_back(static_cast<std::int32_t>(flows_.size()));
  }
}

// Packets as in the simulator: no timestamps, and nothing remembered of earlier connections. SACK
// is always on: without it and without timestamps, the kernel takes repaired losses for spurious
// ones and restores the window.
void Network::set_up(const OwnSpace& space, const Plan& plan, std::uint32_t own,
                     std::uint32_t other) {
  for (const auto& [name, value] : {std::pair{"ipv4/tcp_timestamps", "0"},
                                    {"ipv4/tcp_sack", "1"},
                                    {"ipv4/tcp_ecn", "0"},           // by route
                                    {"ipv4/tcp_ecn_fallback", "0"},  // a lost SYN asks again
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
    if (flow >= 0) flows_[static_cast<std::size_t>(flow)].accepted(std::move(peer));
  }
}

}  // namespace ecnomy::kernel
