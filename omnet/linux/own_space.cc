// SPDX-License-Identifier: Apache-2.0
#include "linux/own_space.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstring>
#include <vector>

namespace ecnomy::kernel {
namespace {

constexpr const char* kDevice = "tun0";
constexpr int kWaitingPackets = 20'000;  // between a host and the router

// A request to the kernel (rtnetlink(7)), with attributes that may be nested.
class Request {
 public:
  Request(std::uint16_t type, std::uint16_t flags) {
    nlmsghdr head{};
    head.nlmsg_type = type;
    head.nlmsg_flags = static_cast<std::uint16_t>(flags | NLM_F_REQUEST | NLM_F_ACK);
    put(&head, sizeof head);
  }

  void put(const void* data, std::size_t size) {
    const auto* from = static_cast<const char*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
    bytes_.resize(NLMSG_ALIGN(bytes_.size()));
  }
  void attribute(std::uint16_t type, const void* data, std::size_t size) {
    const rtattr head{static_cast<std::uint16_t>(RTA_LENGTH(size)), type};
    put(&head, sizeof head);
    put(data, size);
  }
  void number(std::uint16_t type, std::uint32_t value) { attribute(type, &value, sizeof value); }

  void send(int netlink, const char* what) {
    const auto size = static_cast<std::uint32_t>(bytes_.size());
    std::memcpy(bytes_.data(), &size, sizeof size);
    checked(static_cast<int>(::send(netlink, bytes_.data(), bytes_.size(), 0)), what);
    char answer[4096];
    const int got = checked(static_cast<int>(::recv(netlink, answer, sizeof answer, 0)), what);
    if (got < static_cast<int>(NLMSG_LENGTH(sizeof(nlmsgerr)))) return;
    nlmsgerr error{};
    std::memcpy(&error, answer + NLMSG_HDRLEN, sizeof error);
    errno = -error.error;
    if (error.error != 0) throw_errno(what);
  }

 private:
  std::vector<char> bytes_;
};

void with_device(const char* name, unsigned long what, auto&& fill) {
  const Descriptor any(checked(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket"));
  ifreq request{};
  std::strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  fill(request);
  checked(::ioctl(any.get(), what, &request), name);
}

void bring_up(const char* name) {
  with_device(name, SIOCSIFFLAGS, [](ifreq& r) { r.ifr_flags = IFF_UP | IFF_RUNNING; });
}

rtmsg route_message(std::uint8_t table, std::uint8_t type, std::uint8_t scope,
                    std::uint8_t prefix) noexcept {
  rtmsg message{};
  message.rtm_family = AF_INET;
  message.rtm_dst_len = prefix;
  message.rtm_table = table;
  message.rtm_protocol = RTPROT_STATIC;
  message.rtm_scope = scope;
  message.rtm_type = type;
  return message;
}

}  // namespace

OwnSpace::OwnSpace(std::uint32_t own, std::uint32_t other, std::int32_t mtu) {
  checked(::unshare(CLONE_NEWNET), "cannot make a network namespace");
  space_ = Descriptor(checked(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), "ns/net"));
  netlink_ = Descriptor(
      checked(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), "cannot open netlink"));
  bring_up("lo");
  open_tunnel(mtu);
  // Every address of the prefix belongs to this side.
  Request local(RTM_NEWROUTE, NLM_F_CREATE);
  const rtmsg message = route_message(RT_TABLE_LOCAL, RTN_LOCAL, RT_SCOPE_HOST, 16);
  local.put(&message, sizeof message);
  local.number(RTA_DST, htonl(own));
  local.number(RTA_OIF, if_nametoindex("lo"));
  local.send(netlink_.get(), "cannot add the own addresses");
  Request peers(RTM_NEWROUTE, NLM_F_CREATE);
  const rtmsg away = route_message(RT_TABLE_MAIN, RTN_UNICAST, RT_SCOPE_LINK, 16);
  peers.put(&away, sizeof away);
  peers.number(RTA_DST, htonl(other));
  peers.number(RTA_OIF, static_cast<std::uint32_t>(device_));
  peers.send(netlink_.get(), "cannot add a route");
}

void OwnSpace::open_tunnel(std::int32_t mtu) {
  tunnel_ = Descriptor(
      checked(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC), "cannot open /dev/net/tun"));
  ifreq request{};
  std::strncpy(request.ifr_name, kDevice, IFNAMSIZ - 1);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  checked(::ioctl(tunnel_.get(), TUNSETIFF, &request), "cannot make a TUN device");
  device_ = static_cast<int>(if_nametoindex(kDevice));
  with_device(kDevice, SIOCSIFMTU, [&](ifreq& r) { r.ifr_mtu = mtu; });
  with_device(kDevice, SIOCSIFTXQLEN, [](ifreq& r) { r.ifr_qlen = kWaitingPackets; });
  // Limits TCP to one segment per packet. Larger units would leave in bursts.
  Request one(RTM_NEWLINK, 0);
  ifinfomsg message{};
  message.ifi_family = AF_UNSPEC;
  message.ifi_index = device_;
  one.put(&message, sizeof message);
  one.number(IFLA_GSO_MAX_SEGS, 1);
  one.send(netlink_.get(), "cannot limit segments");
  bring_up(kDevice);
}

void OwnSpace::enter() const {
  checked(::setns(space_.get(), CLONE_NEWNET), "cannot enter a network namespace");
}

void OwnSpace::set(const std::string& name, const std::string& value) const {
  const std::string path = "/proc/sys/net/" + name;
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || ::write(file.get(), value.data(), value.size()) < 0) throw_errno(path);
}

void OwnSpace::add_route(const RoutePlan& route) const {
  Request request(RTM_NEWROUTE, NLM_F_CREATE);
  const rtmsg message = route_message(RT_TABLE_MAIN, RTN_UNICAST, RT_SCOPE_LINK, 32);
  request.put(&message, sizeof message);
  request.number(RTA_DST, htonl(route.to));
  request.number(RTA_PREFSRC, htonl(route.from));
  request.number(RTA_OIF, static_cast<std::uint32_t>(device_));
  std::vector<std::uint32_t> metrics;
  const auto metric = [&](std::uint16_t type, std::uint32_t value) {
    const rtattr head{static_cast<std::uint16_t>(RTA_LENGTH(sizeof value)), type};
    std::uint32_t word = 0;
    std::memcpy(&word, &head, sizeof word);
    metrics.push_back(word);
    metrics.push_back(value);
  };
  if (route.ecn) metric(RTAX_FEATURES, RTAX_FEATURE_ECN);
  if (route.quick_acks) metric(RTAX_QUICKACK, 1);
  if (route.first_window > 0) metric(RTAX_INITCWND, route.first_window);
  if (route.least_rto_ms > 0) {
    metric(RTAX_LOCK, 1U << RTAX_RTO_MIN);
    metric(RTAX_RTO_MIN, route.least_rto_ms);
  }
  if (!metrics.empty()) request.attribute(RTA_METRICS, metrics.data(), 4 * metrics.size());
  request.send(netlink_.get(), "cannot add a route to a host");
}

}  // namespace ecnomy::kernel
