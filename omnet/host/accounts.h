// SPDX-License-Identifier: Apache-2.0
// Counters and records that both engines use: counters of flows, links and (source, link) pairs, the rows of the
// transfers and calls tables, the trace, and orders.
#ifndef ECNOMY_HOST_ACCOUNTS_H_
#define ECNOMY_HOST_ACCOUNTS_H_

#include <cstdint>
#include <vector>

#include "host/class_tally.h"
#include "host/delay_sum.h"
#include "host/tally.h"
#include "laws/parameter.h"

namespace ecnomy {

// One link of a source's path or ack path, with the counters of this (source, link) pair.
struct Hop {
  std::int32_t link;
  bool last;
  std::int16_t service_class = -1;  // the source's class on this link; -1: the link has one queue
  std::int64_t arrivals = 0;
  std::int64_t marks = 0;
  std::int64_t drops = 0;
  std::int64_t ce_dropped = 0;
  std::int64_t ce_in_flight = 0;
};

// One flow's cumulative counters; columns of report.flows (PROTOCOL.md).
struct FlowStats {
  std::int64_t sent = 0, sent_bytes = 0, retransmitted = 0;
  std::int64_t acked = 0, acked_bytes = 0;
  std::int64_t delivered = 0, delivered_bytes = 0;
  std::int64_t ce = 0, ce_bytes = 0;
  std::int64_t ece = 0, lost = 0;
  std::int64_t delay_sum_ps = 0;
  std::int64_t timeouts = 0;
  std::int64_t saturated_ps = 0;
  std::int64_t control_ce = 0;

  std::int64_t under_way() const noexcept { return sent - delivered - lost; }
};

// Cumulative counters; columns of report.links (PROTOCOL.md). Bytes are IP bytes.
struct LinkStats {
  std::int64_t arrivals = 0, arrived_bytes = 0;
  std::int64_t marks = 0;
  std::int64_t drops = 0, dropped_bytes = 0, law_drops = 0, not_ect_drops = 0, ce_dropped = 0;
  std::int64_t departures = 0, departed_bytes = 0;
  std::int64_t queue_max = 0;
  double queue_integral_ps = 0;  // waiting packets x ps

  void dropped(std::int64_t bytes, bool by_law, bool ect, bool ce) noexcept {
    ++drops;
    dropped_bytes += bytes;
    law_drops += by_law ? 1 : 0;
    not_ect_drops += by_law && !ect ? 1 : 0;
    ce_dropped += ce ? 1 : 0;
  }
};

// A link's counters and states in a report.
struct LinkState {
  LinkStats stats;
  Time busy_ps;
  std::int64_t queue_packets, queue_bytes;
  double probability;
};

// Files of a flow, or of a row of flows; bytes are payload.
struct FileCounts {
  std::int64_t finished = 0, bytes = 0;  // bytes requested so far
  std::int64_t left = 0;                 // bytes of the current file, not yet acknowledged
};

// The bytes in the last `segments` segments of a file. The file is sent in segments of `payload` bytes, and the last
// one may be shorter.
constexpr std::int64_t file_end(std::int64_t bytes, std::int64_t payload,
                                std::int64_t segments) noexcept {
  const std::int64_t whole = (bytes + payload - 1) / payload;
  return segments <= 0 ? 0 : bytes - (whole - segments) * payload;
}

// States of a flow, or of a row of flows, as opposed to counters.
struct FlowState {
  std::int64_t in_flight, active;
  double cwnd, cwnd_integral, srtt_s, weight;
  FileCounts files;
};

// The part of a decision that concerns one flow (PROTOCOL.md, decide.flows).
struct FlowOrder {
  double mark_rate;       // marks/s; -1: unchanged
  double rate_cap_bps;    // -1: no cap
  std::int64_t mark_cap;  // -1: no cap
  bool active;
  double weight;  // in the law's own unit; -1: unchanged
};

// A finished file, for the transfers table.
struct Transfer {
  std::int64_t flow, number, start_ps, end_ps, bytes, retransmitted, ece, complete;
};

class TransferSink {
 public:
  virtual ~TransferSink() = default;
  virtual void add(const Transfer& transfer) = 0;
};

// A row of the calls table (PROTOCOL.md).
struct CallRecord {
  std::int64_t id, flow, user, start_ps, end_ps, accepted, complete;
  std::int64_t sent, delivered, late, ce, lost, delay_sum_ps;
};

// Numbers calls, requests admission for calls that need it, and keeps their records.
class CallRegister {
 public:
  virtual ~CallRegister() = default;
  virtual std::int64_t number() = 0;
  virtual bool admit(std::int64_t id, std::int64_t flow, Time now, Time duration) = 0;
  virtual void add(const CallRecord& call) = 0;
};

enum class TraceEvent : std::int64_t { send, enqueue, mark, drop, deliver, ack };

struct Trace {
  std::vector<std::int64_t> t_ps, event, link, flow, seq, bytes, ce;

  void add(Time now, TraceEvent what, std::int64_t at_link, std::int64_t of_flow,
           std::int64_t number, std::int64_t ip_bytes, bool marked) {
    t_ps.push_back(now);
    event.push_back(static_cast<std::int64_t>(what));
    link.push_back(at_link);
    flow.push_back(of_flow);
    seq.push_back(number);
    bytes.push_back(ip_bytes);
    ce.push_back(marked ? 1 : 0);
  }
  void clear() {
    for (auto* column : {&t_ps, &event, &link, &flow, &seq, &bytes, &ce}) column->clear();
  }
};

// All counters of one simulation.
struct Accounts {
  std::vector<Hop> hops;                 // every source's path, then its ack path
  std::vector<std::int32_t> hop_source;  // source of each hop
  std::vector<FlowStats> flows;
  std::vector<std::int64_t> late;  // flow * thresholds + threshold
  std::vector<Time> delay_thresholds;
  Trace* trace = nullptr;         // not owned; null without a trace
  Tally* tally = nullptr;         // not owned; null while histograms and counts are off
  ClassTally* classes = nullptr;  // not owned; null if classes are not recorded

  // Returns the index of the path's first hop. `classes` has one entry per link; it is empty if no link has a
  // scheduler.
  std::uint32_t add_path(const std::vector<std::int32_t>& path,
                         const std::vector<std::int32_t>& classes, std::int32_t source) {
    const std::uint32_t first = static_cast<std::uint32_t>(hops.size());
    for (std::size_t i = 0; i < path.size(); ++i) {
      const std::int32_t service = i < classes.size() ? classes[i] : -1;
      hops.push_back({path[i], false, static_cast<std::int16_t>(service)});
      hop_source.push_back(source);
    }
    if (!path.empty()) hops.back().last = true;
    return first;
  }

  void open(std::size_t flow_count) {
    flows.resize(flow_count);
    late.resize(flow_count * delay_thresholds.size());
  }

  // Counts a data packet that reaches its host. Duplicates count too.
  void count_delivery(std::int32_t flow, std::int64_t bytes, Time delay, bool ce,
                      Time now) noexcept {
    FlowStats& stats = flows[static_cast<std::size_t>(flow)];
    ++stats.delivered;
    stats.delivered_bytes += bytes;
    add_delay(stats.delay_sum_ps, delay);
    if (ce) {
      ++stats.ce;
      stats.ce_bytes += bytes;
    }
    const std::size_t count = delay_thresholds.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (delay > delay_thresholds[i]) ++late[static_cast<std::size_t>(flow) * count + i];
    }
    if (tally) tally->delivered(flow, delay, ce, now);
  }
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_ACCOUNTS_H_
