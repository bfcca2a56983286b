// SPDX-License-Identifier: Apache-2.0
// A connected stream socket that closes itself: the system calls of the bridge, and nothing else.
// No call raises SIGPIPE; every call goes on after EINTR.
#ifndef ECNOMY_BRIDGE_SOCKET_H_
#define ECNOMY_BRIDGE_SOCKET_H_

#include <cstddef>
#include <string>

namespace ecnomy::bridge {

class Socket {
 public:
  explicit Socket(int fd) noexcept : fd_(fd) {}
  ~Socket();
  Socket(Socket&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // `unix:/path` or `tcp://host:port` ([v6] in brackets). Throws ProtocolError hung-up or
  // out-of-range.
  static Socket connect(const std::string& address);

  // Bytes moved, or -1: the connection is gone. read gives 0 at end of file.
  // With `block` false they give kWouldBlock where they would have to wait.
  static constexpr long kWouldBlock = -2;
  long read(char* data, std::size_t size, bool block) const noexcept;
  long write(const char* data, std::size_t size, bool block) const noexcept;

  // Waits until one of poll(2)'s `events` or a hang-up; false on a timeout. -1 waits for ever.
  bool wait(short events, int timeout_ms) const noexcept;
  // The peer has closed its end; bytes may still wait in front of the end of file.
  bool hung_up() const noexcept;

 private:
  int fd_;
};

}  // namespace ecnomy::bridge

#endif  // ECNOMY_BRIDGE_SOCKET_H_
