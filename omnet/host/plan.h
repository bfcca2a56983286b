// SPDX-License-Identifier: Apache-2.0
// The Plan as the engine reads it. markets/ecnomy/markets/plan/structs.py defines each key and unit, and all
// defaults are resolved there. Here a missing key is an error.
#ifndef ECNOMY_HOST_PLAN_H_
#define ECNOMY_HOST_PLAN_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laws/parameter.h"
#include "laws/traffic/profile.h"
#include "laws/traffic/sizes.h"
#include "laws/wire.h"

namespace ecnomy {

class BadPlan : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct LawPlan {
  std::string law;
  std::vector<double> values;  // in the order of the law's parameter table
};

// A plan without classes is one FIFO queue.
struct SchedulerPlan {
  LawPlan law;
  std::vector<LawPlan> classes;
  std::vector<LawPlan> marking;  // one per class, under a scheduler by weights
};

// Packets that the wire delivers late.
struct ReorderingPlan {
  double probability = 0;
  Time delay_ps = 0;   // in addition to the link's delay
  std::string stream;  // stream of its draws
};

struct LinkPlan {
  std::string name;
  std::int32_t source, target;
  std::int64_t rate_bps;
  Time delay_ps;
  std::int64_t buffer_packets, buffer_bytes;  // -1: no limit
  std::int32_t framing_bytes;
  bool drop_not_ect;
  LawPlan marking;
  std::string stream;
  SchedulerPlan scheduler;
  double loss;              // probability that the wire loses a packet
  std::string loss_stream;  // stream of its draws
  ReorderingPlan reordering{};
  DelayProfile delay_profile{};  // in addition to delay_ps

  // True if every packet that enters the wire arrives after delay_ps.
  bool perfect() const noexcept {
    return loss == 0 && reordering.probability == 0 && delay_profile.none();
  }
  // The longest time by which the wire delivers a packet after delay_ps.
  Time latest() const noexcept { return reordering.delay_ps + delay_profile.largest(); }
};

enum class Echo { off, accurate, accecn, rfc3168 };

// True if an echo counts marks: exactly, or with the 3 bits of AccECN (host/tcp/ace_counter.h).
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
  bool ect_1;  // ECN-capable packets are sent as ECT(1), not ECT(0)
  std::int32_t payload_bytes, header_bytes, ack_bytes;
  LawPlan window;
  bool paced, slow_start;
  Echo echo;
  bool ect_all;  // not only data, but also SYNs, retransmissions and ACKs are ECN-capable (ECN++)
  bool sack;
  std::int32_t delayed_acks;     // packets per ACK; 1: no delayed ACKs
  Time delayed_ack;              // maximum delay of an ACK
  std::int64_t receiver_window;  // packets; -1: no limit
  double initial_window, min_window, max_window, initial_mark_rate;
  Time min_rto, max_rto, initial_rto;
  Time reference_rtt;      // -1: no reference
  bool rtt_mean;           // pacing uses a mean RTT over seconds, not SRTT
  ReduceFrom reduce_from;  // quantity that an ECN echo halves; `pipe`: also a fast retransmit
  bool repair;             // losses are repaired; otherwise they leave the window unchanged
};

struct SourcePlan {
  std::string name;
  std::int32_t count;
  std::vector<std::int32_t> path, ack_path;
  std::vector<std::int32_t> classes,
      ack_classes;  // the source's class on each of these links; -1: no scheduler
  Time start_at, start_stagger, start_spread, stop_ps;
  Profile profile;
  bool together;  // one row for all its flows
  LawPlan traffic;
  std::vector<LawPlan> parts;  // parts of the traffic: laws of the family `part`, each at most once
  SizeList sizes;              // sizes of files, if `size` is list
  TransportPlan transport;
  Time send_overhead_ps;
  bool calls_ask;        // each call needs the market's admission
  Time calls_max_delay;  // delay above which a call's packet is late; -1: no limit
  Time calls_longest;    // maximum duration of a call; -1: no limit
};

struct HistogramPlan {
  bool of_delay;             // true: one-way delays per source; false: waiting packets per link
  std::int64_t width, bins;  // ps or packets
};

inline constexpr std::initializer_list<const char*> kSeriesNames = {"cwnd", "rtt", "rate", "queue",
                                                                    "marking_probability"};
inline constexpr std::initializer_list<const char*> kCountNames = {"arrivals", "marks",     "drops",
                                                                   "sent",     "delivered", "ce"};

struct RecordPlan {
  std::vector<std::string> series;  // among kSeriesNames
  Time every_ps;
  std::vector<Time> delay_thresholds;
  bool trace, transfers, calls;
  std::vector<HistogramPlan> histograms;
  std::vector<std::string> counts;  // among kCountNames
  Time counts_every;
  Time classes_every;  // -1: classes are not recorded
};

struct Plan {
  std::string digest;
  std::uint64_t seed;
  Time duration, warmup, epoch;
  std::vector<LinkPlan> links;
  std::vector<SourcePlan> sources;
  RecordPlan record;

  // The first report after `now`: at the end of an epoch, of the warm-up or of the run.
  Time next_report(Time now) const noexcept {
    Time next = std::min((now / epoch + 1) * epoch, duration);
    if (warmup > now) next = std::min(next, warmup);
    return next;
  }
};

// The longest time by which the wires of a source's path deliver a packet after their delays.
inline Time latest_by(const std::vector<LinkPlan>& links, const SourcePlan& source) {
  Time sum = 0;
  for (const std::int32_t link : source.path) {
    sum += links.at(static_cast<std::size_t>(link)).latest();
  }
  return sum;
}

// Prepares a text of a plan for a message: in quotes, in ASCII and shortened, since it may come from a stranger.
std::string in_quotes(const std::string& text);

// Throws BadPlan, which names the place in the JSON text.
Plan parse_plan(const std::string& json_text);

}  // namespace ecnomy

#endif  // ECNOMY_HOST_PLAN_H_
