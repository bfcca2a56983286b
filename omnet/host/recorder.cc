// SPDX-License-Identifier: Apache-2.0
#include "host/recorder.h"

#include <utility>

namespace ecnomy {
namespace {

constexpr std::size_t kManyRows = 1 << 16;

struct FlowColumn {
  const char* name;
  std::int64_t FlowStats::* field;
};
constexpr FlowColumn kFlowColumns[] = {
    {"sent", &FlowStats::sent},
    {"sent_bytes", &FlowStats::sent_bytes},
    {"retransmitted", &FlowStats::retransmitted},
    {"acked", &FlowStats::acked},
    {"acked_bytes", &FlowStats::acked_bytes},
    {"delivered", &FlowStats::delivered},
    {"delivered_bytes", &FlowStats::delivered_bytes},
    {"ce", &FlowStats::ce},
    {"ce_bytes", &FlowStats::ce_bytes},
    {"ece", &FlowStats::ece},
    {"lost", &FlowStats::lost},
    {"delay_sum_ps", &FlowStats::delay_sum_ps},
    {"timeouts", &FlowStats::timeouts},
    {"saturated_ps", &FlowStats::saturated_ps},
    {"control_ce", &FlowStats::control_ce},
};

struct FileColumn {
  const char* name;
  std::int64_t FileCounts::* field;
};
constexpr FileColumn kFileColumns[] = {
    {"files", &FileCounts::finished},
    {"file_bytes", &FileCounts::bytes},
    {"file_left", &FileCounts::left},
};

struct LinkColumn {
  const char* name;
  std::int64_t LinkStats::* field;
};
constexpr LinkColumn kLinkColumns[] = {
    {"arrivals", &LinkStats::arrivals},
    {"arrived_bytes", &LinkStats::arrived_bytes},
    {"marks", &LinkStats::marks},
    {"drops", &LinkStats::drops},
    {"dropped_bytes", &LinkStats::dropped_bytes},
    {"law_drops", &LinkStats::law_drops},
    {"not_ect_drops", &LinkStats::not_ect_drops},
    {"ce_dropped", &LinkStats::ce_dropped},
    {"departures", &LinkStats::departures},
    {"departed_bytes", &LinkStats::departed_bytes},
    {"queue_max", &LinkStats::queue_max},
};

struct HopColumn {
  const char* name;
  std::int64_t Hop::* field;
};
constexpr HopColumn kHopColumns[] = {
    {"arrivals", &Hop::arrivals},
    {"marks", &Hop::marks},
    {"drops", &Hop::drops},
    {"ce_dropped", &Hop::ce_dropped},
    {"ce_in_flight", &Hop::ce_in_flight},
};

constexpr const char* kTransferColumns[] = {"flow",  "number",        "start_ps", "end_ps",
                                            "bytes", "retransmitted", "ece",      "complete"};

struct CallColumn {
  const char* name;
  std::int64_t CallRecord::* field;
};
constexpr CallColumn kCallColumns[] = {
    {"id", &CallRecord::id},
    {"flow", &CallRecord::flow},
    {"user", &CallRecord::user},
    {"start_ps", &CallRecord::start_ps},
    {"end_ps", &CallRecord::end_ps},
    {"accepted", &CallRecord::accepted},
    {"complete", &CallRecord::complete},
    {"sent", &CallRecord::sent},
    {"delivered", &CallRecord::delivered},
    {"late", &CallRecord::late},
    {"ce", &CallRecord::ce},
    {"lost", &CallRecord::lost},
    {"delay_sum_ps", &CallRecord::delay_sum_ps},
};

template <class Rows, class Value>
void fill(std::vector<Value>& column, const Rows& rows, auto&& get) {
  column.clear();
  for (const auto& row : rows) column.push_back(get(row));
}

void gather(FlowStats& sum, const FlowStats& one) {
  for (const FlowColumn& column : kFlowColumns) {
    if (column.field != &FlowStats::delay_sum_ps) sum.*column.field += one.*column.field;
  }
  add_delay(sum.delay_sum_ps, one.delay_sum_ps);
}

}  // namespace

bridge::Columns Recorder::Table::columns() const {
  bridge::Columns out;
  for (const Int& column : ints) out.push_back(bridge::column(column.name.c_str(), column.values));
  for (const Real& column : reals) {
    out.push_back(bridge::column(column.name.c_str(), column.values));
  }
  return out;
}

bridge::Limits limits_of(const Plan& plan) {
  bridge::Limits limits;
  for (const SourcePlan& source : plan.sources) limits.flows += source.together ? 1 : source.count;
  limits.links = static_cast<std::int64_t>(plan.links.size());
  for (const LinkPlan& link : plan.links) {
    limits.params.push_back(static_cast<std::int64_t>(link.marking.values.size()));
  }
  return limits;
}

Recorder::Recorder(const Plan& whole, bridge::Client* client)
    : plan_(&whole.record),
      rows_(whole.sources),
      client_(client),
      transfers_ended_(rows_.single() ? 0 : rows_.size()) {
  const RecordPlan& plan = whole.record;
  for (std::size_t i = 0; i < plan.delay_thresholds.size(); ++i) {
    late_names_.push_back("late_" + std::to_string(i));
  }
  for (const LinkColumn& column : kLinkColumns) links_.ints.push_back({column.name, {}});
  for (const char* name : {"busy_ps", "queue_packets", "queue_bytes"}) {
    links_.ints.push_back({name, {}});
  }
  links_.reals = {{"queue_integral", {}}, {"probability", {}}};
  pairs_.ints = {{"source", {}}, {"link", {}}};
  for (const HopColumn& column : kHopColumns) pairs_.ints.push_back({column.name, {}});
  series_.ints = {{"t_ps", {}}, {"name", {}}, {"subject", {}}};
  series_.reals = {{"value", {}}};
  for (const char* name : kTransferColumns) transfers_.ints.push_back({name, {}});
  for (const CallColumn& column : kCallColumns) calls_.ints.push_back({column.name, {}});
}

void Recorder::add(const Transfer& t) {
  if (!client_ || !plan_->transfers) return;
  const std::int64_t flow = rows_.of(t.flow);
  const std::size_t at = static_cast<std::size_t>(flow);
  const std::int64_t number = rows_[at].one() ? t.number : ++transfers_ended_[at];
  const std::int64_t row[] = {flow,    number,          t.start_ps, t.end_ps,
                              t.bytes, t.retransmitted, t.ece,      t.complete};
  for (std::size_t i = 0; i < std::size(row); ++i) transfers_.i(i).push_back(row[i]);
}

bool Recorder::admit(std::int64_t id, std::int64_t flow, Time now, Time duration) {
  if (!client_) return true;
  flush_calls();
  return client_->request({id, now, rows_.of(flow), "call", duration});
}

void Recorder::add(const CallRecord& call) {
  if (!client_ || !plan_->calls) return;
  check_delay_sum(call.delay_sum_ps, *client_, "calls.delay_sum_ps", call.id,
                  "make the calls shorter");
  std::size_t at = 0;
  for (const CallColumn& column : kCallColumns) calls_.i(at++).push_back(call.*column.field);
  calls_.i(1).back() = rows_.of(call.flow);
}

void Recorder::add_sample(Time now, std::size_t name, std::size_t subject, double value) {
  series_.i(0).push_back(now);
  series_.i(1).push_back(static_cast<std::int64_t>(name));
  series_.i(2).push_back(static_cast<std::int64_t>(subject));
  series_.reals[0].values.push_back(value);
}

// Samples each row's acknowledged rate [bit/s] since the last sample.
void Recorder::sample_rates(const Accounts& accounts, std::size_t name, Time now) {
  last_acked_.resize(rows_.size());
  std::vector<double> acked;
  rows_.sum(acked, [&](std::size_t flow) {
    return static_cast<double>(accounts.flows[flow].acked_bytes);
  });
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const double bytes = acked[row] - std::exchange(last_acked_[row], acked[row]);
    add_sample(now, name, row, bytes * 8 / (seconds(plan_->every_ps)));
  }
}

void Recorder::sample(const Accounts& accounts, const std::vector<LinkState>& links,
                      const std::vector<FlowState>& states, Time now) {
  for (std::size_t name = 0; name < plan_->series.size(); ++name) {
    const std::string& what = plan_->series[name];
    if (what == "rate") {
      sample_rates(accounts, name, now);
    } else if (what == "queue" || what == "marking_probability") {
      for (std::size_t link = 0; link < links.size(); ++link) {
        const LinkState& state = links[link];
        add_sample(now, name, link,
                   what == "queue" ? static_cast<double>(state.queue_packets) : state.probability);
      }
    } else {
      for (std::size_t row = 0; row < states.size(); ++row) {
        add_sample(now, name, row, what == "cwnd" ? states[row].cwnd : states[row].srtt_s);
      }
    }
  }
}

void Recorder::flush_if_many() {
  if (trace_.t_ps.size() > kManyRows || series_.i(0).size() > kManyRows) flush();
}

// Sends the calls that have ended, so the market has them before it decides on another call.
void Recorder::flush_calls() {
  if (calls_.i(0).empty()) return;
  client_->record("calls", calls_.columns());
  for (Table::Int& column : calls_.ints) column.values.clear();
}

void Recorder::flush() {
  if (!client_) return;
  client_->record("series", series_.columns());
  client_->record("transfers", transfers_.columns());
  client_->record("calls", calls_.columns());
  for (std::int64_t& flow : trace_.flow) flow = rows_.of(flow);
  client_->record("trace",
                  {bridge::column("t_ps", trace_.t_ps), bridge::column("event", trace_.event),
                   bridge::column("link", trace_.link), bridge::column("flow", trace_.flow),
                   bridge::column("seq", trace_.seq), bridge::column("bytes", trace_.bytes),
                   bridge::column("ce", trace_.ce)});
  trace_.clear();
  for (Table* table : {&series_, &transfers_, &calls_}) {
    for (Table::Int& column : table->ints) column.values.clear();
    for (Table::Real& column : table->reals) column.values.clear();
  }
}

// Sums the counters of each row's flows, for the report.
void Recorder::sum_rows(const Accounts& accounts) {
  const std::size_t count = plan_->delay_thresholds.size();
  row_stats_.assign(rows_.size(), {});
  row_late_.assign(rows_.size() * count, 0);
  std::size_t at = 0;
  rows_.each([&](const Rows::Row& row) {
    for (std::size_t flow = row.first; flow < row.end; ++flow) {
      gather(row_stats_[at], accounts.flows[flow]);
      for (std::size_t i = 0; i < count; ++i) {
        row_late_[at * count + i] += accounts.late[flow * count + i];
      }
    }
    ++at;
  });
}

void Recorder::check_delays(const std::vector<FlowStats>& rows) {
  std::int64_t row = 0;
  for (const FlowStats& stats : rows) {
    check_delay_sum(stats.delay_sum_ps, *client_, "flows.delay_sum_ps", row++,
                    "report its flows one by one, or make the run shorter");
  }
}

// The columns refer to the fields of structs without copying them, so a row needs no memory beyond its state.
bridge::Columns Recorder::flow_columns(const Accounts& accounts,
                                       const std::vector<FlowState>& states) {
  if (!rows_.single()) sum_rows(accounts);
  const std::vector<FlowStats>& stats = rows_.single() ? accounts.flows : row_stats_;
  const std::vector<std::int64_t>& late = rows_.single() ? accounts.late : row_late_;
  check_delays(stats);
  bridge::Columns out;
  for (const FlowColumn& column : kFlowColumns) {
    out.push_back(bridge::column(column.name, stats, column.field));
  }
  out.push_back(bridge::column("in_flight", states, &FlowState::in_flight));
  out.push_back(bridge::column("active", states, &FlowState::active));
  for (const FileColumn& column : kFileColumns) {
    const std::int64_t* const first =
        states.empty() ? nullptr : &(states.front().files.*column.field);
    out.push_back({column.name, first, states.size(), false, sizeof(FlowState)});
  }
  const std::size_t count = late_names_.size();
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back({late_names_[i].c_str(), late.data() + i, rows_.size(), false, 8 * count});
  }
  out.push_back(bridge::column("cwnd", states, &FlowState::cwnd));
  out.push_back(bridge::column("cwnd_integral", states, &FlowState::cwnd_integral));
  out.push_back(bridge::column("srtt_s", states, &FlowState::srtt_s));
  out.push_back(bridge::column("weight", states, &FlowState::weight));
  return out;
}

void Recorder::gather_links(const std::vector<LinkState>& links) {
  std::size_t at = 0;
  for (const LinkColumn& column : kLinkColumns) {
    fill(links_.i(at++), links, [&](const LinkState& l) { return l.stats.*column.field; });
  }
  fill(links_.i(at++), links, [](const LinkState& l) { return l.busy_ps; });
  fill(links_.i(at++), links, [](const LinkState& l) { return l.queue_packets; });
  fill(links_.i(at++), links, [](const LinkState& l) { return l.queue_bytes; });
  fill(links_.reals[0].values, links,
       [](const LinkState& l) { return l.stats.queue_integral_ps / kPsPerSecond; });
  fill(links_.reals[1].values, links, [](const LinkState& l) { return l.probability; });
}

void Recorder::gather_pairs(const Accounts& accounts) {
  fill(pairs_.i(0), accounts.hop_source, [](std::int32_t source) { return std::int64_t{source}; });
  fill(pairs_.i(1), accounts.hops, [](const Hop& hop) { return std::int64_t{hop.link}; });
  std::size_t at = 2;
  for (const HopColumn& column : kHopColumns) {
    fill(pairs_.i(at++), accounts.hops, [&](const Hop& hop) { return hop.*column.field; });
  }
}

bridge::Decide Recorder::report(const Accounts& accounts, const std::vector<LinkState>& links,
                                std::vector<FlowState> states, Time now, std::int64_t epoch) {
  gather_links(links);
  gather_pairs(accounts);
  client_->tell({now, epoch, flow_columns(accounts, states), links_.columns(), pairs_.columns()});
  std::vector<FlowState>().swap(states);  // freed before the decision needs memory
  return client_->decision(epoch);
}

}  // namespace ecnomy
