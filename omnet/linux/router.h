// SPDX-License-Identifier: Apache-2.0
// A run on the kernel's TCP and UDP. Packets leave real sockets, pass the plan's links here and reach real
// sockets.
//
//   socket ── kernel ── TUN ──► links of the plan ──► TUN ── kernel ── socket
//
// The links are those of the built-in engine (engine/link.h), with their marking laws, schedulers,
// delays and accounts. Only the time differs: the router takes it from the wall clock when a packet
// arrives, and carries out an event as soon as the wall clock reaches its time. Links compute with
// the times of events, not with the times at which the router carries them out. So a late departure does not delay
// later ones, and errors do not accumulate.
//
//   router.cc          a run and its loop
//   router_packets.cc  packets between the hosts and the links
//   router_rows.cc     reports to the market and its decisions
#ifndef ECNOMY_LINUX_ROUTER_H_
#define ECNOMY_LINUX_ROUTER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bridge/client.h"
#include "engine/class_link.h"
#include "engine/core.h"
#include "engine/link.h"
#include "host/class_tally.h"
#include "host/plan.h"
#include "host/recorder.h"
#include "host/tally.h"
#include "linux/lateness.h"
#include "linux/market_desk.h"
#include "linux/network.h"
#include "linux/packet_header.h"
#include "linux/wall_clock.h"

namespace ecnomy::kernel {

struct RunTotals {
  std::int64_t events = 0;
  std::int64_t data_packets = 0;  // delivered to receiving hosts
  std::int64_t packet_hops = 0;   // transmissions begun, ACKs included
};

class Router : private engine::Hosts {
 public:
  // `plan` must outlive this object. If `client` is null, there is no market and nothing is recorded.
  Router(const Plan& plan, bridge::Client* client);

  RunTotals run();
  const Lateness& lateness() const noexcept { return lateness_; }  // of packets that reach hosts
  KernelCounts kernel_counts();                                    // lets the receivers read first
  double slowest_decision_s() const noexcept { return seconds(slowest_decision_); }

 private:
  // router.cc
  void make_links();
  void make_paths();
  void wait();
  void turn();
  Time next_action() const noexcept;
  Time next_time() const noexcept;
  void advance(Time now);
  void run_until(Time end);
  void dispatch(const engine::Event& event);
  void act(Time now);
  void wake_flows(Time now);
  void watch(std::size_t index);
  void look(Time now);
  void wake(std::int32_t flow, Time at) override;

  // router_packets.cc
  bool take_packets(bool forward);
  void enter(const PacketHeader& header, bool forward, Time now);
  engine::PacketId packet_of(const PacketHeader& header, std::int32_t flow, bool forward, Time now);
  engine::PacketId datagram_of(const PacketHeader& header, std::size_t flow, Time now);
  void leave(engine::PacketId id, Time now) override;
  void fill_packet(engine::Packet& packet, const PacketHeader& header, bool forward);
  void arrive(engine::PacketId id, Time now);
  void host_receive(engine::PacketId id, Time now);
  void acknowledged(std::size_t flow, const PacketHeader& header, Time now);

  // router_rows.cc
  // A report or a request whose answer has not arrived.
  struct PendingQuestion {
    Question question;
    Time at;
    std::int32_t flow;  // the flow of the call; -1: a report
  };
  void end_epoch(Time now);
  void ask(std::int64_t call, std::int32_t flow, Time now, Time duration) override;
  void submit(PendingQuestion pending);
  void submit_first();
  void send_records(Time now);
  void apply(const bridge::Decide& decide, Time now);
  void collect_answer(Time now);
  void take_answer(const Answer& answer, Time now);
  void sample(Time now);
  EpochReport report(Time now);
  std::vector<FlowState> states(Time now) const;
  void finish();
  RunTotals totals() const;

  const Plan* plan_;
  bridge::Client* client_;
  Recorder recorder_;
  Tally tally_;
  ClassTally class_tally_;
  engine::Core core_;
  Network network_;
  WallClock clock_;
  Descriptor poll_, timer_;
  std::unique_ptr<MarketDesk> desk_;

  std::vector<std::uint32_t> first_hop_, first_ack_hop_;  // by source
  std::vector<std::uint16_t> watched_;                    // the polled connection, by flow
  std::vector<Time> law_timers_;                          // by link
  std::unordered_map<const engine::Packet*, std::vector<std::uint8_t>>
      frames_;  // by the packet's place in the pool
  std::vector<std::uint8_t> buffer_;
  std::deque<PendingQuestion> pending_;  // the first one is at the market, the others wait

  Time now_ = 0;  // time of the last event
  Time boundary_ = 0, next_sample_ = kFarthest, next_look_ = 0, next_alive_ = 0;
  std::int64_t looks_ = 0, epoch_ = 0, events_ = 0;
  Lateness lateness_;
  Time slowest_decision_ = 0;
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_ROUTER_H_
