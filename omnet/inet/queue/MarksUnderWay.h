// SPDX-License-Identifier: LGPL-3.0-or-later
// CE packets that have left a queue but not reached the far end, for reports.
#ifndef ECNOMY_INET_QUEUE_MARKSUNDERWAY_H_
#define ECNOMY_INET_QUEUE_MARKSUNDERWAY_H_

#include <deque>
#include <map>
#include <unordered_set>

#include "host/accounts.h"

namespace ecnomy::omnet {

class MarksUnderWay {
 public:
  // Must be called at every departure. `hop` is the hop of a CE packet that belongs to a source, otherwise nullptr.
  void depart(Hop* hop, Time delivered, Time now) {
    forget(now);
    if (!hop) return;
    wire_.push_back({delivered, hop});
    hops_.insert(hop);
  }

  // Must be called at the end of a wire that holds a packet back, with the new time of its delivery.
  void late(Hop* hop, Time delivered) {
    if (hop) late_.emplace(delivered, hop);
  }

  // Sets ce_in_flight of all hops that have had a CE packet here. each(wait) calls wait(hop) for each waiting
  // CE packet of a source. A packet that is delivered at the time of a report counts as under way.
  template <class Each>
  void tell(Time now, Each&& each) {
    forget(now);
    for (Hop* hop : hops_) hop->ce_in_flight = 0;
    for (const Departed& packet : wire_) ++packet.hop->ce_in_flight;
    for (const auto& [delivered, hop] : late_) ++hop->ce_in_flight;
    each([this](Hop* hop) {
      hops_.insert(hop);
      ++hop->ce_in_flight;
    });
  }

 private:
  struct Departed {
    Time delivered;
    Hop* hop;
  };

  void forget(Time now) {
    while (!wire_.empty() && wire_.front().delivered < now) wire_.pop_front();
    late_.erase(late_.begin(), late_.lower_bound(now));
  }

  std::deque<Departed> wire_;
  std::multimap<Time, Hop*> late_;  // by delivery
  std::unordered_set<Hop*> hops_;
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_QUEUE_MARKSUNDERWAY_H_
