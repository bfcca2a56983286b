// SPDX-License-Identifier: Apache-2.0
// A connected stream socket that closes itself. It makes only the system calls that the bridge needs. No call raises
// SIGPIPE. Every call continues after EINTR.
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

  // Connects to `unix:/path` or `tcp://host:port`, with IPv6 addresses in brackets. Throws ProtocolError hung-up or
  // out-of-range.
  static Socket connect(const std::string& address);

  // read() and write() return the number of bytes moved, or -1 if the connection is gone. read() returns 0 at the end
  // of file. If `block` is false, they return kWouldBlock instead of waiting.
  static constexpr long kWouldBlock = -2;
  long read(char* data, std::size_t size, bool block) const noexcept;
  long write(const char* data, std::size_t size, bool block) const noexcept;

  // Waits for one of poll(2)'s `events` or a hang-up. Returns false at a timeout. With a timeout of -1 it waits
  // forever.
  bool wait(short events, int timeout_ms) const noexcept;
  // True if the peer has closed its end. An unread `error` frame may precede the end of file.
  bool hung_up() const noexcept;

 private:
  int fd_;
};

}  // namespace ecnomy::bridge

#endif  // ECNOMY_BRIDGE_SOCKET_H_
