// SPDX-License-Identifier: Apache-2.0
// Addresses and options of sockets.
#ifndef ECNOMY_LINUX_SOCKET_OPTIONS_H_
#define ECNOMY_LINUX_SOCKET_OPTIONS_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

#include "linux/descriptor.h"

namespace ecnomy::kernel {

inline void set_option(int socket, int level, int name, const void* value, socklen_t size,
                       const char* what) {
  checked(::setsockopt(socket, level, name, value, size), what);
}
inline void set_option(int socket, int level, int name, int value, const char* what) {
  set_option(socket, level, name, &value, sizeof value, what);
}

inline sockaddr_in place(std::uint32_t address, int port) noexcept {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_addr.s_addr = htonl(address);
  out.sin_port = htons(static_cast<std::uint16_t>(port));
  return out;
}

inline void bind_to(int socket, const sockaddr_in& where) {
  checked(::bind(socket, reinterpret_cast<const sockaddr*>(&where), sizeof where), "bind");
}

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_SOCKET_OPTIONS_H_
