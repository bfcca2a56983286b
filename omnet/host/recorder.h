// SPDX-License-Identifier: Apache-2.0
// Messages from the simulation to the market: reports in columns, and rows of the record tables. Rows are kept until
// the next report, or until there are many.
#ifndef ECNOMY_HOST_RECORDER_H_
#define ECNOMY_HOST_RECORDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bridge/client.h"
#include "host/accounts.h"
#include "host/plan.h"
#include "host/rows.h"

namespace ecnomy {

// The limits that the plan sets for the contents of a decision: rows of flows, links, and the parameters of their laws.
bridge::Limits limits_of(const Plan& plan);

class Recorder : public TransferSink, public CallRegister {
 public:
  // If `client` is null, nothing is sent, but the counters are updated.
  Recorder(const Plan& plan, bridge::Client* client);

  const Rows& rows() const noexcept { return rows_; }

  Trace* trace() noexcept { return client_ && plan_->trace ? &trace_ : nullptr; }
  void add(const Transfer& transfer) override;
  std::int64_t number() override { return calls_begun_++; }
  // Returns the market's answer. Without a market every call is admitted.
  bool admit(std::int64_t id, std::int64_t flow, Time now, Time duration) override;
  void add(const CallRecord& call) override;
  // Records one value of every series. `links` and `states` (by row) are those at `now`.
  void sample(const Accounts& accounts, const std::vector<LinkState>& links,
              const std::vector<FlowState>& states, Time now);
  void flush();  // sends all rows to the market
  void flush_calls();
  void flush_if_many();

  // Sends this report and returns the market's decision.
  bridge::Decide report(const Accounts& accounts, const std::vector<LinkState>& links,
                        std::vector<FlowState> states, Time now, std::int64_t epoch);

 private:
  bridge::Columns flow_columns(const Accounts& accounts, const std::vector<FlowState>& states);
  void sum_rows(const Accounts& accounts);
  void check_delays(const std::vector<FlowStats>& rows);
  void gather_links(const std::vector<LinkState>& links);
  void gather_pairs(const Accounts& accounts);

  void add_sample(Time now, std::size_t name, std::size_t subject, double value);
  void sample_rates(const Accounts& accounts, std::size_t name, Time now);

  struct Table {
    struct Int {
      std::string name;
      std::vector<std::int64_t> values;
    };
    struct Real {
      std::string name;
      std::vector<double> values;
    };
    std::vector<Int> ints;
    std::vector<Real> reals;

    std::vector<std::int64_t>& i(std::size_t at) { return ints[at].values; }
    bridge::Columns columns() const;
  };

  const RecordPlan* plan_;
  Rows rows_;
  bridge::Client* client_;
  Trace trace_;
  Table links_, pairs_, series_, transfers_, calls_;
  std::vector<std::string> late_names_;
  std::vector<FlowStats> row_stats_;    // sums per row; empty if every row is one flow
  std::vector<std::int64_t> row_late_;  // as row_stats_; index row * thresholds + threshold
  std::int64_t calls_begun_ = 0;
  std::vector<std::int64_t> transfers_ended_;  // by row; empty if every row is one flow
  std::vector<double> last_acked_;             // bytes acknowledged at the last sample, by row
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_RECORDER_H_
