// SPDX-License-Identifier: Apache-2.0
// The sockets of a StreamFlow.
#include <linux/tcp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "linux/own_space.h"
#include "linux/socket_options.h"
#include "linux/stream_flow.h"

namespace ecnomy::kernel {
namespace {

constexpr int kReceiveBuffer = 64 << 20;  // never the limit
constexpr int kSendBuffer = 64 << 20;
constexpr int kUnsentPackets = 16;  // unsent packets in the kernel, so that it never lacks data
// Fields that older headers lack: tcpi_total_rto (Linux 6.7) follows rcv_wnd and rehash, and tcpi_received_ce (Linux
// 6.18) is 8 bytes further on. Older kernels do not fill them.
constexpr std::size_t kTimeoutsAt = offsetof(tcp_info, tcpi_snd_wnd) + 12;

constexpr std::uint64_t kNoPace = std::uint64_t{1} << 40;  // bytes/s

// Sets the pacing rate. This also enables the kernel's own pacing.
void set_pace(int socket, std::uint64_t bytes_per_s) {
  set_option(socket, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes_per_s, sizeof bytes_per_s, "pacing");
}

// Makes a socket with a source's settings. However it is closed, its connection ends immediately, so that no connection
// outlives the process.
Descriptor make_socket(const SourcePlan& source, const std::string& control) {
  Descriptor made(
      checked(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket"));
  const linger at_once{1, 0};
  set_option(made.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once, "SO_LINGER");
  set_option(made.get(), SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR");
  set_option(made.get(), SOL_SOCKET, SO_RCVBUFFORCE, kReceiveBuffer, "SO_RCVBUF");
  set_option(made.get(), SOL_SOCKET, SO_SNDBUFFORCE, kSendBuffer, "SO_SNDBUF");
  set_option(made.get(), IPPROTO_TCP, TCP_MAXSEG, source.transport.payload_bytes, "TCP_MAXSEG");
  set_option(made.get(), IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY");
  set_option(made.get(), IPPROTO_TCP, TCP_CONGESTION, control.data(),
             static_cast<socklen_t>(control.size()), control.c_str());
  return made;
}

// TCP_INFO of this kernel: the fields that the headers declare, and later fields by their offsets.
struct KernelState {
  tcp_info info{};
  std::array<char, 512> raw{};
  socklen_t size = 0;

  explicit KernelState(int socket) : size(sizeof raw) {
    checked(::getsockopt(socket, IPPROTO_TCP, TCP_INFO, raw.data(), &size), "TCP_INFO");
    std::memcpy(&info, raw.data(), std::min<std::size_t>(sizeof info, size));
  }
  template <class Number>
  std::int64_t at(std::size_t place) const noexcept {
    Number value = 0;
    if (size >= place + sizeof value) std::memcpy(&value, raw.data() + place, sizeof value);
    return value;
  }
  std::int64_t timeouts() const noexcept { return at<std::uint16_t>(kTimeoutsAt); }
  std::int64_t received_ce() const noexcept { return at<std::uint32_t>(kTimeoutsAt + 8); }
};

}  // namespace

// The listener has the senders' congestion control, since receivers echo as their own congestion control requires.
Descriptor open_listener(const SourcePlan& source, std::size_t index, const KernelLaws& laws) {
  Descriptor made = make_socket(source, laws.control_of(source.transport.window.law));
  bind_to(made.get(), place(address_of(kReceivers, index), kReceiverPort));
  checked(::listen(made.get(), std::max(source.count, 1)), "listen");
  return made;
}

void StreamFlow::open(Time now) {
  const SourcePlan& source = plan();
  socket_ = make_socket(source, laws_->control_of(source.transport.window.law));
  ++connection_;
  has_weight_ = false;
  set_weight(weight_);
  const int unsent = kUnsentPackets * source.transport.payload_bytes;
  set_option(socket(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, unsent, "TCP_NOTSENT_LOWAT");
  if (source.transport.paced) set_pace(socket(), kNoPace);
  cap_bps_ = -1;
  set_cap(now);
  looked_at_ = now;
  file_from_ = 0;
  // The next connection has a different port, so that stray packets of this one do not disturb it.
  const std::int32_t turns = std::clamp(kMostFlows / std::max(source.count, 1), 1, 16);
  const std::int32_t port = kFirstPort + member_ + source.count * (connection_ % turns);
  bind_to(socket(), place(address_of(kSenders, index_), port));
  const sockaddr_in to = place(address_of(kReceivers, index_), kReceiverPort);
  if (::connect(socket(), reinterpret_cast<const sockaddr*>(&to), sizeof to) < 0 &&
      errno != EINPROGRESS) {
    throw_errno("source " + source.name + ": cannot connect");
  }
}

void StreamFlow::close(FlowStats& stats, Time now) {
  look(stats, now);
  closed_ = counts();
  timeouts_before_ = stats.timeouts;
  marks_before_ = stats.ece;
  socket_.reset();
  peer_.reset();
}

void StreamFlow::fill(const FlowStats& stats, Time now) {
  static const std::array<char, 1 << 16> kData{};
  if (!is_open() || (!files_ && !active(stats, now))) return;
  const std::int64_t most = plan().transport.payload_bytes;
  for (;;) {
    const std::int64_t size = files_ ? std::min(most, to_write_) : most;
    if (size <= 0) return;
    const ssize_t put =
        ::send(socket(), kData.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL);
    if (put <= 0) return;
    to_write_ -= put;
  }
}

void StreamFlow::drain() noexcept {
  if (!peer_) return;
  while (::recv(peer_.get(), nullptr, std::size_t{1} << 24, MSG_TRUNC) > 0) {
  }
}

// Sets the kernel's pace, which counts payload, to the lower of the source's cap and the market's.
void StreamFlow::set_cap(Time now) {
  std::int64_t cap = capped_ ? capped_->cap_bps(now) : -1;
  if (cap >= 0) cap = static_cast<std::int64_t>(static_cast<double>(cap) * plan().profile.at(now));
  if (order_.rate_cap_bps >= 0) {
    const auto ordered = static_cast<std::int64_t>(order_.rate_cap_bps);
    cap = cap < 0 ? ordered : std::min(cap, ordered);
  }
  if (cap == cap_bps_ || !is_open()) return;
  cap_bps_ = cap;
  const double payload = plan().transport.payload_bytes;
  const double share = payload / (payload + plan().transport.header_bytes);
  const double rate = std::max(1.0, static_cast<double>(cap) / 8 * share);
  set_pace(socket(), cap < 0 ? kNoPace : static_cast<std::uint64_t>(rate));
}

void StreamFlow::look(FlowStats& stats, Time now) {
  if (!is_open()) return;
  const Time since = now - looked_at_;
  cwnd_integral_ += cwnd_ * seconds(since);
  looked_at_ = now;
  const KernelState kernel(socket());
  const double own = is_own_law(plan().transport.window.law) ? laws_->window(socket()) : 0;
  cwnd_ = own > 0 ? own : kernel.info.tcpi_snd_cwnd;
  if (bytes.acked_bytes() > 0) srtt_s_ = kernel.info.tcpi_rtt * 1e-6;
  stats.timeouts = timeouts_before_ + kernel.timeouts();
  if (plan().transport.echo == Echo::accurate) {
    stats.ece = marks_before_ + kernel.info.tcpi_delivered_ce;
  }
  if (mark_rate_ >= 0 && srtt_s_ > 0) {
    const double most = 2e-6 * kernel.info.tcpi_min_rtt;  // round_trip.h
    if (srtt_s_ > most) stats.saturated_ps += since;
    set_weight(mark_rate_ * std::min(srtt_s_, most));
  }
  set_cap(now);
}

KernelCounts StreamFlow::counts() const {
  KernelCounts counts = closed_;
  if (socket_) counts.sent += KernelState(socket()).info.tcpi_data_segs_out;
  if (!peer_) return counts;
  const KernelState peer(peer_.get());
  counts.received += peer.info.tcpi_data_segs_in;
  counts.received_ce += peer.received_ce();
  return counts;
}

std::optional<std::string> StreamFlow::failure() const {
  int error = 0;
  socklen_t size = sizeof error;
  if (!is_open() || ::getsockopt(socket(), SOL_SOCKET, SO_ERROR, &error, &size) < 0 || error == 0) {
    return std::nullopt;
  }
  return "source " + plan().name + ", flow " + std::to_string(member_) + ": " +
         std::strerror(error);
}

}  // namespace ecnomy::kernel
