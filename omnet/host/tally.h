// SPDX-License-Identifier: Apache-2.0
// The counts of packets that a scenario requests: histograms over the measured window [warm-up, end], and counts in
// time bins over the same window (PROTOCOL.md, record tables).
//
// Every simulation has a tally, but links and hosts have access to it (Core::tally) only while it counts. Events at
// the end of the window belong to its last bin.
#ifndef ECNOMY_HOST_TALLY_H_
#define ECNOMY_HOST_TALLY_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bridge/client.h"
#include "host/plan.h"

namespace ecnomy {

// One count per subject and bin of a value. Values beyond the last bin count in it.
class Histogram {
 public:
  Histogram() = default;  // counts nothing
  Histogram(const HistogramPlan& plan, std::size_t subjects)
      : width_(plan.width), bins_(plan.bins), counts_(subjects * static_cast<std::size_t>(bins_)) {}

  void add(std::size_t subject, std::int64_t value) noexcept {
    if (bins_ == 0) return;
    const std::int64_t bin = std::min(value / width_, bins_ - 1);
    ++counts_[subject * static_cast<std::size_t>(bins_) + static_cast<std::size_t>(bin)];
  }

  std::int64_t bins() const noexcept { return bins_; }
  const std::vector<std::int64_t>& counts() const noexcept { return counts_; }

 private:
  std::int64_t width_ = 1, bins_ = 0;
  std::vector<std::int64_t> counts_;
};

class Tally {
 public:
  // The plan must outlive it.
  explicit Tally(const Plan& plan);

  bool wanted() const noexcept;

  // `waiting` is the number of packets that wait at the arrival, without the packet in service.
  void arrived(std::int32_t link, std::int64_t waiting, Time now) {
    const std::size_t subject = static_cast<std::size_t>(link);
    queue_.add(subject, waiting);
    count(kArrivals, subject, now);
  }
  void marked(std::int32_t link, Time now) { count(kMarks, static_cast<std::size_t>(link), now); }
  void dropped(std::int32_t link, Time now) { count(kDrops, static_cast<std::size_t>(link), now); }
  void sent(std::int32_t flow, Time now) { count(kSent, source_of(flow), now); }
  void delivered(std::int32_t flow, Time delay, bool ce, Time now) {
    const std::size_t source = source_of(flow);
    delay_.add(source, delay);
    count(kDelivered, source, now);
    if (ce) count(kCe, source, now);
  }

  // True if so many bins are kept that some should be sent.
  bool many() const noexcept { return bins_kept_ * cells_per_bin_ > kManyRows; }
  // Sends the bins that have ended by `now`, and all bins at the end of the run. Every link must be up to date
  // at `now`.
  void tell_counts(bridge::Client& client, Time now);
  void tell_histograms(bridge::Client& client) const;

 private:
  enum Counted { kArrivals, kMarks, kDrops, kSent, kDelivered, kCe, kCounted };
  static constexpr std::size_t kManyRows = 1 << 16;
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  std::size_t source_of(std::int32_t flow) const noexcept {
    return static_cast<std::size_t>(flow_source_[static_cast<std::size_t>(flow)]);
  }
  std::size_t bin_of(Time now) const noexcept {
    return static_cast<std::size_t>(std::min((now - start_) / every_, last_bin_));
  }
  void count(Counted what, std::size_t subject, Time now) {
    if (offset_[what] == kNowhere) return;
    const std::size_t bin = bin_of(now) - first_kept_;
    if (bin >= bins_kept_) keep(bin + 1);
    ++cells_[bin * cells_per_bin_ + offset_[what] + subject];
  }
  void list_sources();
  void keep(std::size_t bins);
  std::size_t subjects(Counted what) const noexcept;

  const Plan* plan_;
  std::vector<std::int32_t> flow_source_;  // empty if nothing is counted
  Histogram delay_, queue_;

  Time start_, every_;
  std::int64_t last_bin_;
  std::vector<Counted> counted_;              // in the plan's order
  std::array<std::size_t, kCounted> offset_;  // index of its first subject within a bin's cells
  std::size_t cells_per_bin_ = 0;
  std::vector<std::int64_t> cells_;  // starts with the bin first_kept_
  std::size_t first_kept_ = 0, bins_kept_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_TALLY_H_
