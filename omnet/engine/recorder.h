// SPDX-License-Identifier: Apache-2.0
// What the simulation tells the market: reports gathered into columns, and rows of the record tables,
// kept until the next report or until there are many.
#ifndef ECNOMY_ENGINE_RECORDER_H_
#define ECNOMY_ENGINE_RECORDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bridge/client.h"
#include "engine/call_flow.h"
#include "engine/core.h"
#include "engine/plan.h"
#include "engine/rows.h"
#include "engine/tcp_flow.h"

namespace ecnomy::engine {

// Values of a row of flows that are states, not counters.
struct FlowState {
  std::int64_t in_flight, active;
  double cwnd, cwnd_integral, srtt_s, weight;
};

class Recorder : public TransferSink, public CallDesk {
 public:
  // client may be null: nothing is told, the counters go on.
  Recorder(const Plan& plan, bridge::Client* client);

  const Rows& rows() const noexcept { return rows_; }

  Trace* trace() noexcept { return client_ && plan_->trace ? &trace_ : nullptr; }
  void add(const Transfer& transfer) override;
  std::int64_t number() override { return calls_begun_++; }
  // The market's answer; without a market every call is let in.
  bool admit(std::int64_t id, std::int64_t flow, Time now, Time duration) override;
  void add(const CallRecord& call) override;
  void add_sample(Time now, std::int64_t name, std::int64_t subject, double value);
  void flush();  // all rows to the market
  void flush_if_many();

  // The market's decision on this report.
  bridge::Decide report(Core& core, const std::vector<Link>& links,
                        const std::vector<FlowState>& states,
                        const std::vector<std::int32_t>& hop_source, Time now, std::int64_t epoch);

 private:
  void gather_flows(const Core& core, const std::vector<FlowState>& states);
  void gather_links(const std::vector<Link>& links, Time now);
  void gather_pairs(const Core& core, const std::vector<std::int32_t>& hop_source);

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
  Table flows_, links_, pairs_, series_, transfers_, calls_;
  std::int64_t calls_begun_ = 0;
  std::vector<std::int64_t> transfers_ended_;  // by row
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_RECORDER_H_
