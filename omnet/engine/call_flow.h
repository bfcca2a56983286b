// SPDX-License-Identifier: Apache-2.0
// A telephone user's flow: calls, the packets in them, and what became of each. Where its calls are
// sold by a guaranteed stream provider, the market is asked at the moment of the call (`request`), and
// a call that is refused sends nothing. Of a decision it heeds `active` only.
//
// Calls may overlap in the network: the last packets of one may still be under way when the next
// begins. Packets carry their call's number, and a path keeps their order, so a call is complete
// when nothing of the flow is under way or a packet of a later call has arrived.
#ifndef ECNOMY_ENGINE_CALL_FLOW_H_
#define ECNOMY_ENGINE_CALL_FLOW_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/core.h"
#include "engine/outbox.h"
#include "engine/source.h"
#include "laws/traffic/speech.h"
#include "laws/traffic/voip.h"

namespace ecnomy::engine {

class CallFlow {
 public:
  CallFlow(const SourceConfig& source, std::int32_t flow, std::int32_t user, Outbox outbox,
           Stream traffic, Stream speech, CallDesk* desk);

  void start(Core& core, Time now);
  void on_application(Core& core, Time now);  // a call begins or ends, or a packet is due
  void receive(Core& core, PacketId id, Time now);
  void order(const FlowOrder& order) noexcept { active_ = order.active; }
  bool active(Time now) const noexcept;

  void settle(Core& core);            // hands in the calls that are complete by now
  void finish(Core& core, Time now);  // the run ends: hands in all calls

 private:
  enum class State : std::uint8_t { idle, talking };

  // Silence suppression, with a stream of its own.
  struct Spoken {
    Speech law;
    Stream stream;
  };

  void await_call(Core& core, Time from, Time now);
  void pass_turn(Core& core, Time now);
  void begin(Core& core, Time now);
  void due_at(Time tick);
  void packet_or_end(Core& core);
  void send(Core& core, Time now);
  void end(Core& core, Time now);
  void wake(Core& core, Time at);
  bool quiet(const Core& core) const noexcept;
  void hand_in(CallRecord& call, bool complete);
  void hand_in_ended(std::size_t count);

  const SourceConfig* source_;
  std::int32_t flow_;
  std::int32_t user_;
  Outbox outbox_;
  Stream stream_;
  Voip law_;
  std::unique_ptr<Spoken> speech_;  // null where packets are sent in silences too
  CallDesk* desk_;                  // not owned
  State state_ = State::idle;
  bool started_ = false;
  bool active_ = true;
  Voip::Call next_{};
  Time due_ = 0;                  // of the next packet, without overhead
  Time end_ = 0;                  // of the present call
  Time left_ = 0;                 // when the last packet left, overhead included
  std::uint16_t number_ = 0;      // of the present call in this flow, low bits
  std::vector<CallRecord> open_;  // begun and not handed in, oldest first; the present one last
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_CALL_FLOW_H_
