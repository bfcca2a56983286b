// SPDX-License-Identifier: Apache-2.0
// The bridge's connection in a browser. It implements bridge/socket.h with two JavaScript functions that send and
// receive the bytes (bridge_library.js). It is linked in place of bridge/socket.cc. Both functions return at once. A
// market that needs time calls the engine's next step later.
#include <utility>

#include "bridge/protocol_error.h"
#include "bridge/socket.h"

extern "C" {
void ecnomy_send(const char* data, std::size_t size);
std::size_t ecnomy_receive(char* data, std::size_t size);  // 0 if the market has closed it
}

namespace ecnomy::bridge {

Socket::~Socket() = default;

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Socket Socket::connect(const std::string& address) {
  throw ProtocolError("hung-up", "cannot reach the market at " + address + ": no sockets here");
}

long Socket::read(char* data, std::size_t size, bool) const noexcept {
  return static_cast<long>(ecnomy_receive(data, size));
}

long Socket::write(const char* data, std::size_t size, bool) const noexcept {
  ecnomy_send(data, size);
  return static_cast<long>(size);
}

bool Socket::wait(short, int) const noexcept { return true; }

bool Socket::hung_up() const noexcept { return false; }

}  // namespace ecnomy::bridge
