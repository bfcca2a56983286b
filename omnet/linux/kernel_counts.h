// SPDX-License-Identifier: Apache-2.0
// Data packets as the kernel counts them at both ends, independently of the router's counts.
#ifndef ECNOMY_LINUX_KERNEL_COUNTS_H_
#define ECNOMY_LINUX_KERNEL_COUNTS_H_

#include <cstdint>

namespace ecnomy::kernel {

struct KernelCounts {
  std::int64_t sent = 0, received = 0;
  std::int64_t received_ce = 0;  // TCP only; 0 on kernels that do not count it

  KernelCounts& operator+=(const KernelCounts& other) noexcept {
    sent += other.sent;
    received += other.received;
    received_ce += other.received_ce;
    return *this;
  }
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_KERNEL_COUNTS_H_
