// SPDX-License-Identifier: Apache-2.0
// State shared by the links and hosts of one simulation: events, packets, links and accounts.
#ifndef ECNOMY_ENGINE_CORE_H_
#define ECNOMY_ENGINE_CORE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/event_queue.h"
#include "engine/packet.h"
#include "host/accounts.h"
#include "host/queue/link_queue.h"

namespace ecnomy::engine {

class ClassLink;
class FarEnd;
class Link;

// The real hosts (linux/) that send the flows of datagrams.
class Hosts {
 public:
  virtual ~Hosts() = default;
  virtual void wake(std::int32_t flow, Time at) = 0;  // the flow acts at this time
  virtual void leave(PacketId id, Time now) = 0;      // the packet leaves through a socket
  // Asks the market to admit a call. The answer arrives later, by CallFlow::answer.
  virtual void ask(std::int64_t call, std::int32_t flow, Time now, Time duration) = 0;
};

struct Core : Accounts {
  EventQueue events;
  PacketPool packets;
  std::vector<Link> links;
  // Indexed by link. An entry is null if the link has no scheduler; otherwise the link's entry in `links` is unused.
  std::vector<std::unique_ptr<ClassLink>> class_links;
  std::vector<FarEnd> far_ends;  // by link
  Hosts* hosts = nullptr;        // not owned; null if hosts are simulated

  Core();
  ~Core();

  void add_link(const LinkPlan& plan, std::uint64_t seed);
  void enter(PacketId id, Time now);  // a packet enters the link of its current hop
  void settle_links(Time now);        // for a report
  void catch_up_links(Time now);
  std::vector<LinkState> link_states(Time now) const;
  std::int64_t transmissions() const;  // begun on all links
  // Schedules the time at which a flow of datagrams acts.
  void wake(std::int32_t flow, Time at) {
    if (hosts) return hosts->wake(flow, at);
    events.push(at, EventKind::application, static_cast<std::uint32_t>(flow));
  }
  void note(TraceEvent what, std::int32_t at_link, const Packet& packet, Time now) {
    trace->add(now, what, at_link, packet.flow, packet.seq, packet.bytes, packet.has(kCe));
  }
  void count_delivery(const Packet& packet, Time now) noexcept {
    Accounts::count_delivery(packet.flow, packet.bytes, now - packet.sent, packet.has(kCe), now);
    if (trace) note(TraceEvent::deliver, -1, packet, now);
  }

  // The accounts of a packet on its link. Only data counts for its flow.
  PacketAccounts accounts_of(const Packet& packet) noexcept {
    return {&hops[packet.hop], packet.is_data() ? &flows[packet.flow] : nullptr, tally};
  }
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_CORE_H_
