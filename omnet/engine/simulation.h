// SPDX-License-Identifier: Apache-2.0
// A run. It is built from a Plan, advances event by event and pauses at every report.
#ifndef ECNOMY_ENGINE_SIMULATION_H_
#define ECNOMY_ENGINE_SIMULATION_H_

#include <cstdint>
#include <vector>

#include "bridge/client.h"
#include "engine/call_flow.h"
#include "engine/class_link.h"
#include "engine/core.h"
#include "engine/link.h"
#include "engine/tcp_flow.h"
#include "engine/udp_flow.h"
#include "host/class_tally.h"
#include "host/plan.h"
#include "host/recorder.h"
#include "host/tally.h"

namespace ecnomy::engine {

struct RunTotals {
  std::int64_t events = 0;
  std::int64_t data_packets = 0;  // delivered to receiving hosts
  std::int64_t packet_hops = 0;   // transmissions begun, ACKs included
};

class Simulation {
 public:
  // `plan` must outlive the simulation. If `client` is null, there is no market and nothing is recorded.
  Simulation(const Plan& plan, bridge::Client* client);

  RunTotals run();
  // Runs one epoch: reports, waits for the decision, and advances to the next report. Returns false after the last one.
  bool step();
  RunTotals totals() const;

  const Core& core() const noexcept { return core_; }

 private:
  enum class FlowKind : std::uint8_t { tcp, udp, call };
  struct FlowRef {
    FlowKind kind;
    std::uint32_t slot;
  };

  void make_room();
  void draw_rtt_errors(SourceConfig& source);
  void build_source(const SourcePlan& source);
  void start_flows();

  void run_until(Time end);
  void dispatch(const Event& event);
  void arrive(PacketId id, Time now);
  void deliver_other(const Event& event);  // from a link with classes, or late
  void host_receive(PacketId id, Time now);
  void application(const Event& event);
  void sample(Time now);
  void look_up(Time now);
  void begin_tally() noexcept;

  void settle_calls(Time now);
  void exchange(Time now, std::int64_t epoch);
  void order(std::size_t flow, const FlowOrder& order, Time now);
  FlowState state(std::size_t flow, Time now) const;
  std::vector<FlowState> states(Time now) const;  // by row
  static std::int64_t wall_ns();

  const Plan* plan_;
  bridge::Client* client_;
  Recorder recorder_;
  Tally tally_;
  ClassTally class_tally_;
  Core core_;
  std::vector<SourceConfig> sources_;
  std::vector<FlowRef> flows_;
  std::vector<TcpFlow> tcp_;
  std::vector<UdpFlow> udp_;
  std::vector<CallFlow> calls_;
  std::vector<bool> started_;
  std::int64_t events_ = 0;
  Time now_ = 0;
  std::int64_t epoch_ = 0;
  std::int64_t last_alive_ns_ = 0;
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_SIMULATION_H_
