// SPDX-License-Identifier: Apache-2.0
#ifndef ECNOMY_HOST_CPU_TIME_H_
#define ECNOMY_HOST_CPU_TIME_H_

#include <ctime>

namespace ecnomy {

// The CPU time that this process has used so far, in seconds.
inline double cpu_s() noexcept {
  std::timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace ecnomy

#endif  // ECNOMY_HOST_CPU_TIME_H_
