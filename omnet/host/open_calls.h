// SPDX-License-Identifier: Apache-2.0
// The calls of a telephone user that have begun and whose records are not handed in, in both engines.
//
// Calls may overlap in the network: a call's last packets may still be under way when the next call begins. Packets
// carry their call's number. A call is complete if no packet of its flow is under way, or if a packet of a later call
// has arrived. If wires of the path deliver packets late (laws/wire.h), it is complete only after the longest such
// delay has passed since then.
#ifndef ECNOMY_HOST_OPEN_CALLS_H_
#define ECNOMY_HOST_OPEN_CALLS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/accounts.h"
#include "host/delay_sum.h"
#include "laws/parameter.h"

namespace ecnomy {

class OpenCalls {
 public:
  struct Arrival {
    std::uint16_t number;
    Time delay;
    bool ce;
  };

  bool empty() const noexcept { return calls_.empty(); }
  // The number of the latest call in this flow, low bits.
  std::uint16_t number() const noexcept { return number_; }

  void begin(const CallRecord& call) {
    calls_.push_back({call});
    ++number_;
  }
  // The latest call sends a packet.
  void sent() noexcept { ++calls_.back().record.sent; }

  // A packet arrives. It counts as late if its delay exceeds `limit` (-1: no limit), and as lost if its call is handed
  // in. `latest` is latest_by() of the source.
  void delivered(const Arrival& packet, Time limit, Time latest, Time now,
                 CallRegister& call_register) {
    const std::size_t later = static_cast<std::uint16_t>(number_ - packet.number);
    if (later < calls_.size()) {
      const std::size_t at = calls_.size() - 1 - later;
      CallRecord& call = calls_[at].record;
      ++call.delivered;
      add_delay(call.delay_sum_ps, packet.delay);
      call.late += limit >= 0 && packet.delay > limit ? 1 : 0;
      call.ce += packet.ce ? 1 : 0;
      // NOLINTNEXTLINE(bugprone-inc-dec-in-conditions): && has an order of evaluation
      for (std::size_t i = at; i-- > 0 && calls_[i].overtaken == kNever;) calls_[i].overtaken = now;
    }
    hand_in(overtaken(latest, now), call_register);
  }

  // Hands in the calls that are complete. `quiet` is true if no packet of the flow is under way, and `talking` if the
  // latest call has not ended.
  void settle(bool quiet, bool talking, Time latest, Time now, CallRegister& call_register) {
    if (calls_.empty()) return;
    hand_in(quiet ? calls_.size() - (talking ? 1 : 0) : overtaken(latest, now), call_register);
  }

  // Hands in the calls that are not complete at the end of the run.
  void finish(Time now, CallRegister& call_register) {
    for (Open& call : calls_) {
      call.record.end_ps = std::min(call.record.end_ps, now);
      call_register.add(call.record);
    }
    calls_.clear();
  }

 private:
  struct Open {
    CallRecord record;
    Time overtaken = kNever;  // when the first packet of a later call arrived
  };

  // The number of calls that packets of later calls have made complete.
  std::size_t overtaken(Time latest, Time now) const noexcept {
    const auto open = std::find_if(calls_.begin(), calls_.end(), [&](const Open& call) {
      return call.overtaken == kNever || (latest > 0 && now - call.overtaken <= latest);
    });
    return static_cast<std::size_t>(open - calls_.begin());
  }

  void hand_in(std::size_t count, CallRegister& call_register) {
    const auto end = calls_.begin() + static_cast<std::ptrdiff_t>(count);
    for (auto call = calls_.begin(); call != end; ++call) {
      call->record.complete = 1;
      call->record.lost = call->record.sent - call->record.delivered;
      call_register.add(call->record);
    }
    calls_.erase(calls_.begin(), end);
  }

  std::vector<Open> calls_;  // oldest first
  std::uint16_t number_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_OPEN_CALLS_H_
