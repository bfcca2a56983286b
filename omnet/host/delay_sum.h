// SPDX-License-Identifier: Apache-2.0
// Sums of delays. A sum is never reported with a wrong value: after an overflow it remains kNoSum, and the run ends
// with an error when the sum would be reported.
#ifndef ECNOMY_HOST_DELAY_SUM_H_
#define ECNOMY_HOST_DELAY_SUM_H_

#include <cstdint>
#include <limits>
#include <string>

#include "bridge/client.h"
#include "bridge/protocol_error.h"
#include "laws/simulated_time.h"

namespace ecnomy {

inline constexpr std::int64_t kNoSum = std::numeric_limits<std::int64_t>::max();

// Both values must be at least 0. A sum that is kNoSum stays kNoSum.
inline void add_delay(std::int64_t& sum_ps, Time delay) noexcept {
  if (__builtin_add_overflow(sum_ps, delay, &sum_ps)) sum_ps = kNoSum;
}

// `name` is the column that shows the sum to the user, and `advice` tells how to keep the sum smaller.
inline void check_delay_sum(std::int64_t sum_ps, bridge::Client& client, const char* name,
                            std::int64_t row, const char* advice) {
  if (sum_ps != kNoSum) return;
  const bridge::ProtocolError error("out-of-range", std::string(name) + "[" + std::to_string(row) +
                                                        "] is beyond 9.2e18 ps: " + advice);
  client.error(error.what());
  throw error;
}

}  // namespace ecnomy

#endif  // ECNOMY_HOST_DELAY_SUM_H_
