// SPDX-License-Identifier: Apache-2.0
#include "linux/datagram_flow.h"

#include <array>
#include <cstring>

#include "linux/own_space.h"
#include "linux/packet_header.h"
#include "linux/socket_options.h"

namespace ecnomy::kernel {
namespace {

constexpr int kBuffer = 64 << 20;  // never the limit

Descriptor datagram_socket() {
  return Descriptor(
      checked(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket"));
}

// Returns the ECN field of a datagram that has arrived.
Codepoint codepoint_of(msghdr& message) noexcept {
  for (cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr; at = CMSG_NXTHDR(&message, at)) {
    if (at->cmsg_level != IPPROTO_IP || at->cmsg_type != IP_TOS) continue;
    std::uint8_t field = 0;
    std::memcpy(&field, CMSG_DATA(at), sizeof field);
    return static_cast<Codepoint>(field & 3U);
  }
  return Codepoint::not_ect;
}

std::variant<engine::UdpFlow, engine::CallFlow> law_of(const engine::SourceConfig& source,
                                                       std::int32_t member, std::uint64_t seed,
                                                       CallRegister* call_register) {
  const SourcePlan& plan = *source.plan;
  const auto stream = [&](const char* use) {
    return Stream(seed, engine::stream_name(plan, member, use));
  };
  const std::int32_t flow = source.first_flow + member;
  const engine::Outbox outbox(plan.send_overhead_ps, stream("overhead"));
  if (plan.traffic.law == Voip::kName) {
    return engine::CallFlow(source, flow, member, outbox, stream("traffic"), stream("speech"),
                            call_register);
  }
  return engine::UdpFlow(source, flow, outbox, stream("traffic"));
}

}  // namespace

DatagramSink::DatagramSink(std::size_t source) : socket_(datagram_socket()) {
  set_option(socket_.get(), SOL_SOCKET, SO_RCVBUFFORCE, kBuffer, "SO_RCVBUF");
  set_option(socket_.get(), IPPROTO_IP, IP_RECVTOS, 1, "IP_RECVTOS");
  bind_to(socket_.get(), place(address_of(kReceivers, source), kReceiverPort));
}

void DatagramSink::drain() {
  for (;;) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control;
    msghdr message{};
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    if (::recvmsg(socket_.get(), &message, MSG_TRUNC) < 0) return;
    ++counts_.received;
    counts_.received_ce += codepoint_of(message) == Codepoint::ce ? 1 : 0;
  }
}

// With IP_RECVERR, the kernel reports datagrams that its queue does not take.
DatagramFlow::DatagramFlow(const engine::SourceConfig& source, std::size_t index,
                           std::int32_t member, std::uint64_t seed, CallRegister* call_register)
    : source_(&source),
      law_(law_of(source, member, seed, call_register)),
      socket_(datagram_socket()) {
  const TransportPlan& udp = source.plan->transport;
  const Codepoint ect = udp.ect_1 ? Codepoint::ect_1 : Codepoint::ect_0;
  set_option(socket_.get(), IPPROTO_IP, IP_TOS, udp.ect ? static_cast<int>(ect) : 0, "IP_TOS");
  set_option(socket_.get(), IPPROTO_IP, IP_RECVERR, 1, "IP_RECVERR");
  set_option(socket_.get(), SOL_SOCKET, SO_SNDBUFFORCE, kBuffer, "SO_SNDBUF");
  bind_to(socket_.get(), place(address_of(kSenders, index), kFirstPort + member));
  const sockaddr_in to = place(address_of(kReceivers, index), kReceiverPort);
  checked(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), "connect");
}

void DatagramFlow::act(engine::Core& core, Time now) {
  const bool first = !started_;
  started_ = true;
  std::visit([&](auto& law) { first ? law.start(core, now) : law.on_application(core, now); },
             law_);
}

void DatagramFlow::send(engine::PacketId id) {
  static const std::array<char, 1 << 16> kData{};
  const auto size = static_cast<std::size_t>(id->bytes - kDatagramHeaders);
  if (::send(socket_.get(), kData.data(), size, MSG_NOSIGNAL) < 0) {
    throw_errno("source " + source_->plan->name + ": cannot send");
  }
  ++sent_;
  waiting_.push_back(id);
}

engine::PacketId DatagramFlow::take(std::int32_t ip_bytes) noexcept {
  if (waiting_.empty() || waiting_.front()->bytes != ip_bytes) return engine::kNoPacket;
  const engine::PacketId id = waiting_.front();
  waiting_.pop_front();
  return id;
}

void DatagramFlow::receive(engine::Core& core, engine::PacketId id, Time now) {
  std::visit([&](auto& law) { law.receive(core, id, now); }, law_);
}

void DatagramFlow::order(const FlowOrder& order) noexcept {
  std::visit([&](auto& law) { law.order(order); }, law_);
}

void DatagramFlow::answer(engine::Core& core, bool accepted, Time now) {
  std::get<engine::CallFlow>(law_).answer(core, accepted, now);
}

void DatagramFlow::settle_calls(engine::Core& core, Time now, bool over) {
  auto* const calls = std::get_if<engine::CallFlow>(&law_);
  if (calls) over ? calls->finish(core, now) : calls->settle(core, now);
}

FlowState DatagramFlow::state(const FlowStats& stats, Time now) const noexcept {
  const bool active = std::visit([&](const auto& law) { return law.active(now); }, law_);
  return {stats.under_way(), active, 0, 0, 0, 0, {}};
}

}  // namespace ecnomy::kernel
