// SPDX-License-Identifier: Apache-2.0
// A flow of real TCP: connections between two sockets of this process, its traffic law, the orders
// of the market, and the sender's state as the kernel reports it. The router counts its packets.
//
//   stream_flow.cc     the flow's start, files and orders from the market (as engine/tcp_flow.cc)
//   stream_socket.cc   sockets, data and the kernel's counts
//
// Connections end without packets, as in the simulator: both sockets are closed immediately, and the router discards
// resets.
#ifndef ECNOMY_LINUX_STREAM_FLOW_H_
#define ECNOMY_LINUX_STREAM_FLOW_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/files.h"
#include "engine/source.h"
#include "host/accounts.h"
#include "host/plan.h"
#include "laws/random/stream.h"
#include "linux/agenda.h"
#include "linux/byte_count.h"
#include "linux/descriptor.h"
#include "linux/kernel_counts.h"
#include "linux/kernel_laws.h"

namespace ecnomy::kernel {

// Opens the listening socket of a source's receivers. The caller must be in their namespace.
Descriptor open_listener(const SourcePlan& source, std::size_t index, const KernelLaws& laws);

class StreamFlow {
 public:
  // `index` numbers the source in the plan, and `member` the flow in its source. The source, the laws and the agenda
  // must outlive this object.
  StreamFlow(const engine::SourceConfig& source, std::size_t index, std::int32_t member,
             const KernelLaws& laws, Agenda& agenda, const Stream& traffic);

  // ---- the traffic law; the caller must be in the senders' namespace Called at a planned time.
  void act(FlowStats& stats, Time now);
  // Called when data of the current connection is acknowledged, up to bytes.acked_bytes().
  void acknowledged(FlowStats& stats, Time now);
  void order(const FlowOrder& order, FlowStats& stats, Time now);

  // ---- sockets
  void accepted(Descriptor peer) noexcept { peer_ = std::move(peer); }
  int socket() const noexcept { return socket_.get(); }
  bool is_open() const noexcept { return static_cast<bool>(socket_); }
  std::uint16_t connection() const noexcept { return connection_; }  // low bits of its number
  // Hands data to the kernel until its buffer is full, if the flow may send.
  void fill(const FlowStats& stats, Time now);
  void drain() noexcept;  // lets the receiver read what has arrived
  // Reads the kernel's counts and applies limits that depend on time.
  void look(FlowStats& stats, Time now);
  KernelCounts counts() const;
  // Returns the reason if the connection has failed.
  std::optional<std::string> failure() const;

  FlowState state(const FlowStats& stats, Time now) const noexcept;

  ByteCount bytes;

 private:
  // stream_flow.cc
  const SourcePlan& plan() const noexcept { return *source_->plan; }
  std::size_t flow() const noexcept {
    return static_cast<std::size_t>(source_->first_flow) + static_cast<std::size_t>(member_);
  }
  bool switched_on(Time now) const noexcept;
  bool active(const FlowStats& stats, Time now) const noexcept;
  void start(FlowStats& stats, Time now);
  void await_file(Time now);
  void next_file(FlowStats& stats, Time now);
  void finish_file(bool complete, FlowStats& stats, Time now);
  void set_weight(double weight);

  // stream_socket.cc
  void open(Time now);
  void close(FlowStats& stats, Time now);
  void set_cap(Time now);

  const engine::SourceConfig* source_;
  std::size_t index_;
  std::int32_t member_;
  const KernelLaws* laws_;
  Agenda* agenda_;
  std::unique_ptr<engine::Files> files_;
  std::optional<RateCapped> capped_;
  bool started_ = false;
  FlowOrder order_{-1, -1, -1, true, -1};
  double mark_rate_;  // target in marks/s; -1: the weight is fixed
  double weight_;     // weight in the law's own unit; 0: no weight

  Descriptor socket_, peer_;
  std::uint16_t connection_ = 0;
  std::int64_t to_write_ = 0;   // bytes of the file that the kernel does not have yet
  std::int64_t file_from_ = 0;  // acknowledged bytes of the connection before the file
  bool has_weight_ = false;     // the current socket has the weight
  std::int64_t cap_bps_ = -1;   // the value set in the kernel
  double cwnd_ = 0, cwnd_integral_ = 0, srtt_s_ = 0;
  Time looked_at_ = 0;
  KernelCounts closed_;  // counts of earlier connections
  std::int64_t timeouts_before_ = 0, marks_before_ = 0;
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_STREAM_FLOW_H_
