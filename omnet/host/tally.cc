// SPDX-License-Identifier: Apache-2.0
#include "host/tally.h"

#include <iterator>

namespace ecnomy {
namespace {

// Rows of four integers. They are sent in parts, so that no large copy of the counts is in memory.
class Rows {
 public:
  Rows(bridge::Client& client, const char* table, std::array<const char*, 4> names)
      : client_(client), table_(table), names_(names) {}

  void add(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    const std::int64_t row[] = {a, b, c, d};
    for (std::size_t i = 0; i < 4; ++i) columns_[i].push_back(row[i]);
    if (columns_[0].size() >= kPart) send();
  }

  void send() {
    bridge::Columns out;
    for (std::size_t i = 0; i < 4; ++i) out.push_back(bridge::column(names_[i], columns_[i]));
    client_.record(table_, out);
    for (auto& column : columns_) column.clear();
  }

 private:
  static constexpr std::size_t kPart = 1 << 16;

  bridge::Client& client_;
  const char* table_;
  std::array<const char*, 4> names_;
  std::array<std::vector<std::int64_t>, 4> columns_;
};

}  // namespace

Tally::Tally(const Plan& plan)
    : plan_(&plan), start_(plan.warmup), every_(std::max<Time>(1, plan.record.counts_every)) {
  last_bin_ = std::max<Time>(0, (plan.duration - start_ - 1) / every_);
  for (const HistogramPlan& histogram : plan.record.histograms) {
    const bool delay = histogram.of_delay;
    (delay ? delay_ : queue_) =
        Histogram(histogram, delay ? plan.sources.size() : plan.links.size());
  }
  offset_.fill(kNowhere);
  for (const std::string& name : plan.record.counts) {
    const auto found = std::find(kCountNames.begin(), kCountNames.end(), name);
    if (found == kCountNames.end()) throw BadPlan("plan.record.counts: unknown " + in_quotes(name));
    const Counted what = static_cast<Counted>(found - kCountNames.begin());
    if (offset_[what] != kNowhere)
      throw BadPlan("plan.record.counts: " + in_quotes(name) + " twice");
    counted_.push_back(what);
    offset_[what] = cells_per_bin_;
    cells_per_bin_ += subjects(what);
  }
  if (wanted()) list_sources();
}

void Tally::list_sources() {
  std::size_t flows = 0;
  for (const SourcePlan& source : plan_->sources) flows += static_cast<std::size_t>(source.count);
  flow_source_.reserve(flows);
  for (std::size_t i = 0; i < plan_->sources.size(); ++i) {
    const std::size_t count = static_cast<std::size_t>(plan_->sources[i].count);
    flow_source_.insert(flow_source_.end(), count, static_cast<std::int32_t>(i));
  }
}

bool Tally::wanted() const noexcept {
  return !counted_.empty() || delay_.bins() > 0 || queue_.bins() > 0;
}

std::size_t Tally::subjects(Counted what) const noexcept {
  return what < kSent ? plan_->links.size() : plan_->sources.size();
}

void Tally::keep(std::size_t bins) {
  bins_kept_ = bins;
  cells_.resize(bins * cells_per_bin_);
}

void Tally::tell_counts(bridge::Client& client, Time now) {
  if (counted_.empty() || now < start_) return;
  const bool last = now >= plan_->duration;
  const std::size_t all = static_cast<std::size_t>(last_bin_) + 1;
  const std::size_t end =
      last ? all : std::min(all, static_cast<std::size_t>((now - start_) / every_));
  if (end <= first_kept_) return;
  Rows rows(client, "counts", {"t_ps", "name", "subject", "count"});
  std::size_t cell = 0;  // bins without a count are not kept
  for (std::size_t bin = first_kept_; bin < end; ++bin) {
    const Time at = start_ + static_cast<Time>(bin) * every_;
    for (std::size_t name = 0; name < counted_.size(); ++name) {
      for (std::size_t subject = 0; subject < subjects(counted_[name]); ++subject) {
        const std::int64_t value = cell < cells_.size() ? cells_[cell] : 0;
        rows.add(at, static_cast<std::int64_t>(name), static_cast<std::int64_t>(subject), value);
        ++cell;
      }
    }
  }
  rows.send();
  const std::size_t sent = std::min(cell, cells_.size());
  cells_.erase(cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(sent));
  bins_kept_ = cells_.size() / cells_per_bin_;
  first_kept_ = end;
}

void Tally::tell_histograms(bridge::Client& client) const {
  Rows rows(client, "histograms", {"name", "subject", "bin", "count"});
  for (std::size_t name = 0; name < plan_->record.histograms.size(); ++name) {
    const Histogram& histogram = plan_->record.histograms[name].of_delay ? delay_ : queue_;
    std::int64_t at = 0;
    for (const std::int64_t count : histogram.counts()) {
      const std::int64_t bin = at % histogram.bins(), subject = at / histogram.bins();
      rows.add(static_cast<std::int64_t>(name), subject, bin, count);
      ++at;
    }
  }
  rows.send();
}

}  // namespace ecnomy
