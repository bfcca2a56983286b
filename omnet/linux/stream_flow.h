// SPDX-License-Identifier: Apache-2.0
// A flow of real TCP: a connection between two sockets of this process, with the orders of the
// market and the sender's state as the kernel reports it. The router counts its packets.
#ifndef ECNOMY_LINUX_STREAM_FLOW_H_
#define ECNOMY_LINUX_STREAM_FLOW_H_

#include <cstdint>
#include <optional>
#include <string>

#include "host/accounts.h"
#include "host/plan.h"
#include "laws/traffic/traffic.h"
#include "linux/byte_count.h"
#include "linux/descriptor.h"

namespace ecnomy::kernel {

// The listening socket of a source's receivers. The caller is in their namespace.
Descriptor open_listener(const SourcePlan& source, std::size_t index);

// Data packets as the kernel counts them at both ends: an account beside the router's.
struct KernelCounts {
  std::int64_t sent = 0, received = 0;
  std::int64_t received_ce = 0;  // 0 on kernels that do not count it

  KernelCounts& operator+=(const KernelCounts& other) noexcept {
    sent += other.sent;
    received += other.received;
    received_ce += other.received_ce;
    return *this;
  }
};

class StreamFlow {
 public:
  // `index`: of the source in the plan; member: of the flow in the source. The plan must outlive
  // it.
  StreamFlow(const SourcePlan& source, std::size_t index, std::int32_t member);

  // Connects. The caller is in the senders' namespace.
  void open(Time now);
  void accepted(Descriptor peer) noexcept { peer_ = std::move(peer); }
  int socket() const noexcept { return socket_.get(); }
  bool is_open() const noexcept { return static_cast<bool>(socket_); }

  // Hands data to the kernel until its buffer is full, if the flow may send.
  void fill(const FlowStats& stats, Time now);
  void drain() noexcept;  // the receiver reads what has arrived
  // Reads the kernel's figures, and applies limits that depend on time or marks.
  void look(FlowStats& stats, Time now);
  void order(const FlowOrder& order, FlowStats& stats, Time now);

  bool active(const FlowStats& stats, Time now) const noexcept;
  FlowState state(const FlowStats& stats, Time now) const noexcept;
  KernelCounts counts() const;
  // The reason if the connection has failed.
  std::optional<std::string> failure() const;

  ByteCount bytes;

 private:
  void set_cap(Time now);

  const SourcePlan* source_;
  std::size_t index_;
  std::int32_t member_;
  std::optional<RateCapped> capped_;
  Descriptor socket_, peer_;
  FlowOrder order_{-1, -1, -1, true, -1};
  std::int64_t cap_bps_ = -1;  // as set in the kernel
  double cwnd_ = 0, cwnd_integral_ = 0, srtt_s_ = 0;
  Time looked_at_ = 0;
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_STREAM_FLOW_H_
