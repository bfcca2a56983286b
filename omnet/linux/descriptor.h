// SPDX-License-Identifier: Apache-2.0
// A file descriptor that closes itself, and exceptions for failed system calls.
#ifndef ECNOMY_LINUX_DESCRIPTOR_H_
#define ECNOMY_LINUX_DESCRIPTOR_H_

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace ecnomy::kernel {

[[noreturn]] inline void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Returns the result of a system call. Throws std::system_error if it is negative.
inline int checked(int result, const char* what) {
  if (result < 0) throw_errno(what);
  return result;
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  explicit operator bool() const noexcept { return fd_ >= 0; }
  int get() const noexcept { return fd_; }
  void reset(int fd = -1) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_DESCRIPTOR_H_
