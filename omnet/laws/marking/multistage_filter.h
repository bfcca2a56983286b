// SPDX-License-Identifier: Apache-2.0
// A filter that passes flows of more than M bytes per interval, without state per flow (Estan and
// Varghese, "New directions in traffic measurement and accounting": serial, IMW 2001, and parallel,
// SIGCOMM 2002; christin2003 sections 3.1 and 6). Each of d stages has a row of counters and its own
// hash, mix64(2^32 stage + flow) mod buckets, which selects a flow's counter.
//   serial    a packet counts in stage 1; if that counter is then above M / d, in stage 2; and so on
//   parallel  a packet counts in every stage, and all its counters must be above M
// A flow passes if one of its packets passes the last stage. The filter misses no flow of more than M
// bytes: in a serial filter, each stage retains at most M / d bytes of a flow.
#ifndef ECNOMY_LAWS_MARKING_MULTISTAGE_FILTER_H_
#define ECNOMY_LAWS_MARKING_MULTISTAGE_FILTER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../random/stream.h"

namespace ecnomy {

class MultistageFilter {
 public:
  MultistageFilter() = default;
  MultistageFilter(std::size_t stages, std::size_t buckets, double least_bytes, bool parallel)
      : stages_(stages),
        buckets_(buckets),
        least_bytes_(parallel ? least_bytes : least_bytes / static_cast<double>(stages)),
        parallel_(parallel),
        counters_(stages * buckets) {}

  // Counts a packet. Returns true if its flow passes.
  bool passes(std::int32_t flow, std::int32_t bytes) noexcept {
    bool through = true;
    for (std::size_t stage = 0; stage < stages_ && (through || parallel_); ++stage) {
      std::int64_t& counter = counters_[stage * buckets_ + bucket(flow, stage)];
      counter += bytes;
      through = through && static_cast<double>(counter) > least_bytes_;
    }
    return through;
  }

  // Begins a new interval.
  void clear() noexcept { std::fill(counters_.begin(), counters_.end(), 0); }

 private:
  std::size_t bucket(std::int32_t flow, std::size_t stage) const noexcept {
    const std::uint64_t key = static_cast<std::uint32_t>(flow) | std::uint64_t{stage + 1} << 32;
    return static_cast<std::size_t>(mix64(key) % buckets_);
  }

  std::size_t stages_ = 0, buckets_ = 0;
  double least_bytes_ = 0.0;
  bool parallel_ = false;
  std::vector<std::int64_t> counters_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_MARKING_MULTISTAGE_FILTER_H_
