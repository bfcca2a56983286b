// SPDX-License-Identifier: Apache-2.0
// The Plan as the engine reads it: see markets/ecnomy/markets/plan/structs.py, which states each key and unit.
// Everything is resolved there; a missing key is an error here, never a default.
#ifndef ECNOMY_HOST_PLAN_H_
#define ECNOMY_HOST_PLAN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laws/parameter.h"
#include "laws/traffic/profile.h"
#include "laws/traffic/sizes.h"

namespace ecnomy {

class BadPlan : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct LawPlan {
  std::string law;
  std::vector<double> values;  // in the order of the law's parameter table
};

// Without classes: one queue, first in first out.
struct SchedulerPlan {
  LawPlan law;
  std::vector<LawPlan> classes;
  std::vector<LawPlan> marking;  // of each class, under a scheduler by weights
};

struct LinkPlan {
  std::string name;
  std::int32_t source, target;
  std::int64_t rate_bps;
  Time delay_ps;
  std::int64_t buffer_packets, buffer_bytes;  // -1 none
  std::int32_t framing_bytes;
  bool drop_not_ect;
  LawPlan marking;
  std::string stream;
  SchedulerPlan scheduler;
  double loss;              // probability that the wire loses a packet
  std::string loss_stream;  // of its draws
};

enum class Echo { off, accurate, accecn, rfc3168 };

// Whether an echo counts marks: exactly, or by the 3 bits of AccECN (host/tcp/ace_counter.h).
constexpr bool counts_marks(Echo echo) noexcept {
  return echo == Echo::accurate || echo == Echo::accecn;
}

inline constexpr std::array<std::pair<std::string_view, Echo>, 4> kEchoes{{
    {"off", Echo::off},
    {"accurate", Echo::accurate},
    {"accecn", Echo::accecn},
    {"rfc3168", Echo::rfc3168},
}};

constexpr std::optional<Echo> echo_named(std::string_view name) noexcept {
  for (const auto& [known, echo] : kEchoes) {
    if (known == name) return echo;
  }
  return std::nullopt;
}

enum class ReduceFrom { window, flight, pipe };

inline ReduceFrom reduce_from(std::string_view name) {
  return name == "pipe"     ? ReduceFrom::pipe
         : name == "flight" ? ReduceFrom::flight
                            : ReduceFrom::window;
}

struct TransportPlan {
  bool tcp;
  bool ect;    // udp: as planned; tcp: echo is not off
  bool ect_1;  // what is ECN-capable is sent as ECT(1), not ECT(0)
  std::int32_t payload_bytes, header_bytes, ack_bytes;
  LawPlan window;
  bool paced, slow_start;
  Echo echo;
  bool ect_all;  // SYNs, retransmissions and ACKs too (ECN++), not data alone
  bool sack;
  std::int32_t delayed_acks;     // packets an ACK; 1: one each
  Time delayed_ack;              // the longest that one waits
  std::int64_t receiver_window;  // packets; -1 none
  double initial_window, min_window, max_window, initial_mark_rate;
  Time min_rto, max_rto, initial_rto;
  Time reference_rtt;      // -1 none
  bool rtt_mean;           // the RTT that paces is a mean over seconds, not SRTT
  ReduceFrom reduce_from;  // what an ECN echo halves, and, if it is the pipe, a fast retransmit too
  bool repair;             // of losses; without it the window survives them
};

struct SourcePlan {
  std::string name;
  std::int32_t count;
  std::vector<std::int32_t> path, ack_path;
  std::vector<std::int32_t> classes,
      ack_classes;  // its class on each of these links; -1: no scheduler
  Time start_at, start_stagger, start_spread, stop_ps;
  Profile profile;
  bool together;  // one row for all its flows
  LawPlan traffic;
  std::vector<LawPlan> parts;  // of the traffic: laws of the family `part`, each at most once
  SizeList sizes;              // that files are drawn from, where its size is list
  TransportPlan transport;
  Time send_overhead_ps;
  bool calls_ask;        // each call asks the market first
  Time calls_max_delay;  // packets of a call later than this count as late; -1 none
  Time calls_longest;    // no call lasts longer; -1 none
};

struct HistogramPlan {
  bool of_delay;             // one-way delays of a source, or else packets waiting at a link
  std::int64_t width, bins;  // ps or packets
};

struct RecordPlan {
  std::vector<std::string> series;
  Time every_ps;
  std::vector<Time> delay_thresholds;
  bool trace, transfers, calls;
  std::vector<HistogramPlan> histograms;
  std::vector<std::string> counts;
  Time counts_every;
  Time classes_every;  // -1: nothing is recorded of classes
};

struct Plan {
  std::string digest;
  std::uint64_t seed;
  Time duration, warmup, epoch;
  std::vector<LinkPlan> links;
  std::vector<SourcePlan> sources;
  RecordPlan record;
};

// Throws BadPlan naming the place.
Plan parse_plan(const std::string& json_text);

}  // namespace ecnomy

#endif  // ECNOMY_HOST_PLAN_H_
