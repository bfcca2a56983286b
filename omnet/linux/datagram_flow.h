// SPDX-License-Identifier: Apache-2.0
// A flow of real datagrams. The built-in engine's source (engine/udp_flow.h, engine/call_flow.h) determines their times
// with the same random draws, counts them and keeps the records of calls. This class sends each datagram from a UDP
// socket. Its packet waits here until the datagram reaches the router.
#ifndef ECNOMY_LINUX_DATAGRAM_FLOW_H_
#define ECNOMY_LINUX_DATAGRAM_FLOW_H_

#include <cstdint>
#include <deque>
#include <variant>

#include "engine/call_flow.h"
#include "engine/core.h"
#include "engine/source.h"
#include "engine/udp_flow.h"
#include "linux/descriptor.h"
#include "linux/kernel_counts.h"

namespace ecnomy::kernel {

// The socket of a source's receivers, with counts of arrivals. It must be created in the receivers' namespace.
class DatagramSink {
 public:
  explicit DatagramSink(std::size_t source);

  void drain();  // reads what has arrived
  const KernelCounts& counts() const noexcept { return counts_; }

 private:
  Descriptor socket_;
  KernelCounts counts_;
};

class DatagramFlow {
 public:
  // `index` numbers the source in the plan, and `member` the flow in its source. The source must outlive this object.
  // The caller must be in the senders' namespace.
  DatagramFlow(const engine::SourceConfig& source, std::size_t index, std::int32_t member,
               std::uint64_t seed, CallRegister* call_register);

  // Called at a planned time.
  void act(engine::Core& core, Time now);
  // Sends a datagram of the packet's size. Throws if the kernel does not accept it.
  void send(engine::PacketId id);
  // Returns the packet of the oldest datagram that has not reached the router, or kNoPacket if its size differs.
  engine::PacketId take(std::int32_t ip_bytes) noexcept;
  // Counts and releases a packet that has reached its host.
  void receive(engine::Core& core, engine::PacketId id, Time now);
  void order(const FlowOrder& order) noexcept;
  // Passes on whether the market admits the call.
  void answer(engine::Core& core, bool accepted, Time now);
  // Hands in the calls that are complete; at the end of the run, all calls.
  void settle_calls(engine::Core& core, Time now, bool over);

  FlowState state(const FlowStats& stats, Time now) const noexcept;
  std::int64_t sent() const noexcept { return sent_; }  // datagrams that the kernel has taken

 private:
  const engine::SourceConfig* source_;
  std::variant<engine::UdpFlow, engine::CallFlow> law_;
  Descriptor socket_;
  std::deque<engine::PacketId> waiting_;  // between the socket and the router
  std::int64_t sent_ = 0;
  bool started_ = false;
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_DATAGRAM_FLOW_H_
