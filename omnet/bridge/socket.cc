// SPDX-License-Identifier: Apache-2.0
#include "socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "protocol_error.h"

namespace ecnomy::bridge {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::string_view kTcp = "tcp://";

[[noreturn]] void no_answer(const std::string& address, const std::string& why) {
  throw ProtocolError("hung-up", "cannot reach the market at " + address + ": " + why);
}

[[noreturn]] void bad_address(const std::string& address) {
  throw ProtocolError("out-of-range",
                      "address '" + address + "', expected unix:/path or tcp://host:port");
}

bool connect_fd(int fd, const sockaddr* address, socklen_t size) {
  if (::connect(fd, address, size) == 0) return true;
  if (errno != EINTR) return false;
  // An interrupted connect continues in the background. Wait until it ends, then read its result.
  pollfd wait{fd, POLLOUT, 0};
  while (::poll(&wait, 1, -1) < 0 && errno == EINTR) {
  }
  socklen_t length = sizeof errno;
  int error = 0;
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
  errno = error;
  return error == 0;
}

Socket connect_unix(const std::string& address, const std::string& path) {
  sockaddr_un target{};
  target.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof target.sun_path) bad_address(address);
  std::memcpy(target.sun_path, path.data(), path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) no_answer(address, std::strerror(errno));
  Socket socket(fd);
  if (!connect_fd(fd, reinterpret_cast<const sockaddr*>(&target), sizeof target)) {
    no_answer(address, std::strerror(errno));
  }
  return socket;
}

// Splits host:port. A host that contains colons is in brackets.
std::pair<std::string, std::string> split(const std::string& address, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) bad_address(address);
  std::string host = text.substr(0, colon);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return {host, text.substr(colon + 1)};
}

Socket connect_tcp(const std::string& address, const std::string& text) {
  const auto [host, port] = split(address, text);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0) {
    no_answer(address, ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  std::string why = "no address";
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    const int fd = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, one->ai_protocol);
    if (fd < 0) {
      why = std::strerror(errno);
      continue;
    }
    Socket socket(fd);
    if (connect_fd(fd, one->ai_addr, one->ai_addrlen)) {
      const int on = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      return socket;
    }
    why = std::strerror(errno);
  }
  no_answer(address, why);
}

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Socket Socket::connect(const std::string& address) {
  if (address.rfind(kUnix, 0) == 0) return connect_unix(address, address.substr(kUnix.size()));
  if (address.rfind(kTcp, 0) == 0) return connect_tcp(address, address.substr(kTcp.size()));
  bad_address(address);
}

long Socket::read(char* data, std::size_t size, bool block) const noexcept {
  for (;;) {
    const ssize_t got = ::recv(fd_, data, size, block ? 0 : MSG_DONTWAIT);
    if (got >= 0) return got;
    if (errno == EINTR) continue;
    return errno == EAGAIN || errno == EWOULDBLOCK ? kWouldBlock : -1;
  }
}

long Socket::write(const char* data, std::size_t size, bool block) const noexcept {
  for (;;) {
    const ssize_t put = ::send(fd_, data, size, MSG_NOSIGNAL | (block ? 0 : MSG_DONTWAIT));
    if (put >= 0) return put;
    if (errno == EINTR) continue;
    return errno == EAGAIN || errno == EWOULDBLOCK ? kWouldBlock : -1;
  }
}

bool Socket::wait(short events, int timeout_ms) const noexcept {
  pollfd entry{fd_, events, 0};
  for (;;) {
    const int ready = ::poll(&entry, 1, timeout_ms);
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) return true;  // the next read or write returns the error
  }
}

bool Socket::hung_up() const noexcept {
  pollfd entry{fd_, POLLIN | POLLRDHUP, 0};
  if (::poll(&entry, 1, 0) <= 0) return false;
  // Unread bytes may precede the end of file, such as an `error` frame with the reason.
  char next = 0;
  const ssize_t got = ::recv(fd_, &next, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got > 0) return (entry.revents & (POLLHUP | POLLERR)) != 0;
  return got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace ecnomy::bridge
