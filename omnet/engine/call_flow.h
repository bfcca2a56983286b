// SPDX-License-Identifier: Apache-2.0
// A telephone user's flow: calls, their packets, and a record of each call. If a guaranteed stream
// provider sells its calls, the flow sends a `request` to the market when a call begins. A refused call sends nothing.
// The flow obeys only `active` of a decision. With real hosts, time goes on while the market decides, and the call
// begins with the answer.
#ifndef ECNOMY_ENGINE_CALL_FLOW_H_
#define ECNOMY_ENGINE_CALL_FLOW_H_

#include <cstdint>
#include <memory>

#include "engine/core.h"
#include "engine/outbox.h"
#include "engine/source.h"
#include "host/open_calls.h"
#include "laws/traffic/speech.h"
#include "laws/traffic/voip.h"

namespace ecnomy::engine {

class CallFlow {
 public:
  CallFlow(const SourceConfig& source, std::int32_t flow, std::int32_t user, Outbox outbox,
           Stream traffic, Stream speech, CallRegister* call_register);

  void start(Core& core, Time now);
  void on_application(Core& core, Time now);         // a call begins or ends, or a packet is due
  void answer(Core& core, bool accepted, Time now);  // the answer to the request of a new call
  [[gnu::noinline]] void receive(Core& core, PacketId id, Time now);
  void order(const FlowOrder& order) noexcept { active_ = order.active; }
  bool active(Time now) const noexcept;

  void settle(Core& core, Time now);  // hands in the calls that are complete
  void finish(Core& core, Time now);  // hands in all calls at the end of the run

 private:
  enum class State : std::uint8_t { idle, asking, talking };

  // Silence suppression, with its own random stream.
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

  const SourceConfig* source_;
  std::int32_t flow_;
  std::int32_t user_;
  Outbox outbox_;
  Stream stream_;
  Voip law_;
  std::unique_ptr<Spoken> speech_;  // null if packets are also sent in silences
  CallRegister* call_register_;     // not owned
  State state_ = State::idle;
  bool started_ = false;
  bool active_ = true;
  Voip::Call next_{};
  Time due_ = 0;         // time of the next packet, without overhead
  Time end_ = 0;         // end of the current call
  Time left_ = 0;        // when the latest packet leaves, overhead included
  std::int64_t id_ = 0;  // of the latest call
  OpenCalls calls_;
};

}  // namespace ecnomy::engine

#endif  // ECNOMY_ENGINE_CALL_FLOW_H_
