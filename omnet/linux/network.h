// SPDX-License-Identifier: Apache-2.0
// The hosts of a run: both namespaces with their settings and routes, and the sockets of the flows.
#ifndef ECNOMY_LINUX_NETWORK_H_
#define ECNOMY_LINUX_NETWORK_H_

#include <cstdint>
#include <variant>
#include <vector>

#include "engine/source.h"
#include "host/plan.h"
#include "linux/agenda.h"
#include "linux/datagram_flow.h"
#include "linux/descriptor.h"
#include "linux/kernel_laws.h"
#include "linux/own_space.h"
#include "linux/stream_flow.h"

namespace ecnomy::kernel {

class Network {
 public:
  // The plan and the sinks must outlive this object. Afterwards the calling thread is in the senders' namespace.
  Network(const Plan& plan, TransferSink* transfers, CallRegister* calls);

  int senders() const noexcept { return senders_.tunnel(); }
  int receivers() const noexcept { return receivers_.tunnel(); }
  // The listeners by source. A source of datagrams has an empty descriptor.
  const std::vector<Descriptor>& listeners() const noexcept { return listeners_; }
  std::size_t flow_count() const noexcept { return flows_.size(); }
  // Returns a TCP flow, or null.
  StreamFlow* stream(std::size_t flow) noexcept { return std::get_if<StreamFlow>(&flows_[flow]); }
  // Returns a flow of datagrams, or null.
  DatagramFlow* datagrams(std::size_t flow) noexcept {
    return std::get_if<DatagramFlow>(&flows_[flow]);
  }
  FlowState state(std::size_t flow, const FlowStats& stats, Time now) const noexcept {
    return std::visit([&](const auto& one) { return one.state(stats, now); }, flows_[flow]);
  }
  Agenda& agenda() noexcept { return agenda_; }
  const Agenda& agenda() const noexcept { return agenda_; }
  // Returns the flow with this source address and sender port, or -1 if there is none.
  std::int32_t flow_of(std::uint32_t address, std::uint16_t port) const noexcept;
  std::size_t source_of(std::size_t flow) const noexcept { return flow_source_[flow]; }
  // Hands a new connection at a listener to its flow.
  void accept(std::size_t source);
  // Lets the receivers read the data that has arrived.
  void drain();
  // Hands in the calls that are complete by `now`, or all at the end of the run.
  void settle_calls(engine::Core& core, Time now, bool over);
  KernelCounts kernel_counts() const;

 private:
  void make_flows(const Plan& plan, TransferSink* transfers, CallRegister* calls);
  void set_up(const OwnSpace& space, const Plan& plan, std::uint32_t own, std::uint32_t other);

  KernelLaws laws_;
  Agenda agenda_;
  OwnSpace receivers_, senders_;
  std::vector<std::int32_t> first_flow_;  // by source, and the number of all flows
  std::vector<std::size_t> flow_source_;
  CallRegister* calls_;
  std::vector<Descriptor> listeners_;
  std::vector<DatagramSink> sinks_;  // of the sources of datagrams
  std::vector<engine::SourceConfig> sources_;
  std::vector<std::variant<StreamFlow, DatagramFlow>> flows_;
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_NETWORK_H_
