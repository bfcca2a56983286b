// SPDX-License-Identifier: Apache-2.0
#include "linux/stream_flow.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "linux/abilities.h"
#include "linux/own_space.h"

namespace ecnomy::kernel {
namespace {

constexpr int kReceiveBuffer = 64 << 20;  // never the limit
constexpr int kSendBuffer = 64 << 20;
constexpr int kUnsentPackets = 16;  // kept ready in the kernel, so that it is never short of data
// Fields that older headers lack: tcpi_total_rto (Linux 6.7) behind rcv_wnd and rehash, and 8 bytes
// on tcpi_received_ce (Linux 6.18). Older kernels do not fill them.
constexpr std::size_t kTimeoutsAt = offsetof(tcp_info, tcpi_snd_wnd) + 12;

void set_option(int socket, int level, int name, const void* value, socklen_t size,
                const char* what) {
  checked(::setsockopt(socket, level, name, value, size), what);
}
void set_option(int socket, int level, int name, int value, const char* what) {
  set_option(socket, level, name, &value, sizeof value, what);
}

sockaddr_in place(std::uint32_t address, int port) noexcept {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_addr.s_addr = htonl(address);
  out.sin_port = htons(static_cast<std::uint16_t>(port));
  return out;
}

// A socket with a source's settings. It is closed at once at any end, so that no connection
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

// TCP_INFO as this kernel has it: the fields that the headers know, and those behind them by their
// place.
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

void bind_to(int socket, const sockaddr_in& where) {
  checked(::bind(socket, reinterpret_cast<const sockaddr*>(&where), sizeof where), "bind");
}

}  // namespace

Descriptor open_listener(const SourcePlan& source, std::size_t index) {
  Descriptor made = make_socket(source, control_of(source.transport.window.law));
  bind_to(made.get(), place(address_of(kReceivers, index), kReceiverPort));
  checked(::listen(made.get(), std::max(source.count, 1)), "listen");
  return made;
}

StreamFlow::StreamFlow(const SourcePlan& source, std::size_t index, std::int32_t member)
    : bytes(source.transport.payload_bytes), source_(&source), index_(index), member_(member) {
  if (source.traffic.law == RateCapped::kName) capped_.emplace(source.traffic.values.data());
}

void StreamFlow::open(Time now) {
  socket_ = make_socket(*source_, control_of(source_->transport.window.law));
  const int unsent = kUnsentPackets * source_->transport.payload_bytes;
  set_option(socket(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, unsent, "TCP_NOTSENT_LOWAT");
  if (source_->transport.paced) {
    const std::uint64_t most = std::uint64_t{1} << 40;  // the kernel paces at its own rate
    set_option(socket(), SOL_SOCKET, SO_MAX_PACING_RATE, &most, sizeof most, "pacing");
  }
  cap_bps_ = -1;
  set_cap(now);
  looked_at_ = now;
  bind_to(socket(), place(address_of(kSenders, index_), kFirstPort + member_));
  const sockaddr_in to = place(address_of(kReceivers, index_), kReceiverPort);
  if (::connect(socket(), reinterpret_cast<const sockaddr*>(&to), sizeof to) < 0 &&
      errno != EINPROGRESS) {
    throw_errno("source " + source_->name + ": cannot connect");
  }
}

void StreamFlow::fill(const FlowStats& stats, Time now) {
  static const std::array<char, 1 << 16> kData{};
  if (!is_open() || !active(stats, now)) return;
  const std::size_t most = static_cast<std::size_t>(source_->transport.payload_bytes);
  while (::send(socket(), kData.data(), std::min(most, kData.size()), MSG_NOSIGNAL) > 0) {
  }
}

void StreamFlow::drain() noexcept {
  if (!peer_) return;
  while (::recv(peer_.get(), nullptr, std::size_t{1} << 24, MSG_TRUNC) > 0) {
  }
}

// The lowest of the source's cap and the market's, on the kernel's pace, which counts payload.
void StreamFlow::set_cap(Time now) {
  std::int64_t cap = capped_ ? capped_->cap_bps(now) : -1;
  if (order_.rate_cap_bps >= 0) {
    const auto ordered = static_cast<std::int64_t>(order_.rate_cap_bps);
    cap = cap < 0 ? ordered : std::min(cap, ordered);
  }
  if (cap == cap_bps_ || !is_open()) return;
  cap_bps_ = cap;
  const double payload = source_->transport.payload_bytes;
  const double share = payload / (payload + source_->transport.header_bytes);
  std::uint64_t rate = std::uint64_t{1} << 40;
  if (cap >= 0)
    rate = static_cast<std::uint64_t>(std::max(1.0, static_cast<double>(cap) / 8 * share));
  set_option(socket(), SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof rate, "rate cap");
}

void StreamFlow::look(FlowStats& stats, Time now) {
  if (!is_open()) return;
  cwnd_integral_ += cwnd_ * seconds(now - looked_at_);
  looked_at_ = now;
  const KernelState kernel(socket());
  cwnd_ = kernel.info.tcpi_snd_cwnd;
  srtt_s_ = bytes.acked_bytes() > 0 ? kernel.info.tcpi_rtt * 1e-6 : 0;
  stats.timeouts = kernel.timeouts();
  set_cap(now);
}

void StreamFlow::order(const FlowOrder& order, FlowStats& stats, Time now) {
  const double weight = order_.weight;
  order_ = order;
  if (order.weight < 0) order_.weight = weight;
  set_cap(now);
  fill(stats, now);
}

bool StreamFlow::active(const FlowStats& stats, Time now) const noexcept {
  if (!is_open() || !order_.active) return false;
  if (source_->stop_ps >= 0 && now >= source_->stop_ps) return false;
  return order_.rate_cap_bps != 0 && (order_.mark_cap < 0 || stats.ce < order_.mark_cap);
}

FlowState StreamFlow::state(const FlowStats& stats, Time now) const noexcept {
  const bool on = is_open() && order_.active && (source_->stop_ps < 0 || now < source_->stop_ps);
  return {stats.under_way(), on,  cwnd_, cwnd_integral_ + cwnd_ * seconds(now - looked_at_),
          srtt_s_,           0.0, {}};
}

KernelCounts StreamFlow::counts() const {
  KernelCounts counts;
  if (socket_) counts.sent = KernelState(socket()).info.tcpi_data_segs_out;
  if (!peer_) return counts;
  const KernelState peer(peer_.get());
  counts.received = peer.info.tcpi_data_segs_in;
  counts.received_ce = peer.received_ce();
  return counts;
}

std::optional<std::string> StreamFlow::failure() const {
  int error = 0;
  socklen_t size = sizeof error;
  if (!is_open() || ::getsockopt(socket(), SOL_SOCKET, SO_ERROR, &error, &size) < 0 || error == 0) {
    return std::nullopt;
  }
  return "source " + source_->name + ", flow " + std::to_string(member_) + ": " +
         std::strerror(error);
}

}  // namespace ecnomy::kernel
