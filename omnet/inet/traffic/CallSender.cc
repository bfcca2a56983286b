// SPDX-License-Identifier: LGPL-3.0-or-later
#include "traffic/CallSender.h"

#include <algorithm>

#include "host/traffic_parts.h"

namespace ecnomy::omnet {

using omnetpp::cComponent;
using omnetpp::cRuntimeError;
using omnetpp::simsignal_t;

Define_Module(CallSender);

namespace {

const simsignal_t kTalking = cComponent::registerSignal("talking");
const simsignal_t kCallBegun = cComponent::registerSignal("callBegun");
const simsignal_t kCallRefused = cComponent::registerSignal("callRefused");

}  // namespace

void CallSender::openMembers() {
  DatagramSender::openMembers();
  if (plan().traffic.law != Voip::kName) {
    throw cRuntimeError("source '%s': its traffic is '%s', expected voip", plan().name.c_str(),
                        plan().traffic.law.c_str());
  }
  law_ = std::make_unique<Voip>(plan().traffic.values.data());
  latest_ = latest_by(market_->plan().links, market_->sourcePlan(index()));
  if (law_->pooled()) {
    callers_.emplace(plan(), stream(0, "arrivals"), flowOf(0));
  }
  for (int member = 0; member < plan().count; ++member) {
    users_.push_back(
        User{stream(member, "traffic"), stream(member, "speech"), make_speech(plan())});
  }
}

void CallSender::begin(int member) {
  user(member).left = now();
  awaitCall(member, now());
}

// `from` is the time at which the user became idle. It is in the past if the send overhead delayed a call's last
// packet. The next call begins after this packet.
void CallSender::awaitCall(int member, Time from) {
  User& one = user(member);
  if (one.talking) countTalking(-1);
  one.talking = false;
  one.next = law_->next(one.traffic, plan().calls_longest);
  if (callers_) {
    callers_->free(member, now());
    return passTurn();
  }
  const Time at = std::max(now(), later(from, plan().profile.stretch(from, one.next.idle)));
  if (plan().stop_ps < 0 || at < plan().stop_ps) wake(member, at);
}

// Schedules the source's next call on the line that takes it.
void CallSender::passTurn() {
  const auto turn = callers_->turn(now(), market_->recorder());
  if (turn) wake(turn->line, turn->at);
}

void CallSender::due(int member) {
  User& one = user(member);
  if (!one.talking) return beginCall(member);
  if (one.due >= one.end) return endCall(member);
  if (active(member)) {
    one.calls.sent();
    sendDatagram(member, one.calls.number(), plan().transport.payload_bytes);
  }
  dueAt(member, later(one.due, law_->interval()));
  packetOrEnd(member);
}

void CallSender::beginCall(int member) {
  if (callers_) callers_->come();
  if (!active(member)) return awaitCall(member, now());
  CallRegister& callRegister = market_->recorder();
  User& one = user(member);
  CallRecord call{};
  call.id = callRegister.number();
  call.flow = flowOf(member);
  call.user = member;
  call.start_ps = call.end_ps = now();
  if (plan().calls_ask && !callRegister.admit(call.id, call.flow, now(), one.next.holding)) {
    emit(kCallRefused, ++refused_);
    call.complete = 1;
    callRegister.add(call);
    return awaitCall(member, now());
  }
  call.accepted = 1;
  one.end = later(now(), one.next.holding);
  if (plan().stop_ps >= 0) one.end = std::min(one.end, plan().stop_ps);
  call.end_ps = one.end;
  one.calls.begin(call);
  one.talking = true;
  if (one.speech) one.speech->begin(now(), one.speechDraws);
  dueAt(member, later(now(), one.next.phase));
  emit(kCallBegun, ++begun_);
  countTalking(1);
  packetOrEnd(member);
  if (callers_) passTurn();
}

// Schedules the next packet for this tick, or for the first later tick with speech.
void CallSender::dueAt(int member, Time tick) {
  User& one = user(member);
  one.due =
      one.speech ? one.speech->spoken(tick, law_->interval(), one.end, one.speechDraws) : tick;
}

// The call ends at `end`, or when its last packet departs, if the send overhead delays the packet beyond `end`.
void CallSender::packetOrEnd(int member) {
  User& one = user(member);
  const bool packet = one.due < one.end;
  if (packet) one.left = std::max(one.left, later(one.due, drawOverhead(member)));
  wake(member, packet ? one.left : std::max(one.left, one.end));
}

void CallSender::endCall(int member) {
  awaitCall(member, user(member).end);
  settle(member);
}

void CallSender::delivered(int member, std::uint16_t number, Time delay, bool ce) {
  Enter_Method_Silent();
  User& one = user(member);
  one.calls.delivered({number, delay, ce}, plan().calls_max_delay, latest_, now(),
                      market_->recorder());
  if (!one.talking) settle(member);
}

void CallSender::settle(int member) {
  User& one = user(member);
  const bool quiet = stats(member).under_way() == 0;
  one.calls.settle(quiet, one.talking, latest_, now(), market_->recorder());
}

void CallSender::settleCalls(bool end) {
  Enter_Method_Silent();
  if (callers_) callers_->lose(now(), market_->recorder());
  for (int member = 0; member < plan().count; ++member) {
    settle(member);
    if (end) user(member).calls.finish(now(), market_->recorder());
  }
}

void CallSender::countTalking(int change) {
  talking_ += change;
  emit(kTalking, talking_);
}

// The mean includes calls that are under way when the measured time begins.
void CallSender::sample(const Sample& sample) {
  Enter_Method_Silent();
  SourceBase::sample(sample);
  if (sample.begins()) emit(kTalking, talking_);
}

std::string CallSender::display() const {
  std::string text = std::to_string(talking_) + " of " + std::to_string(plan().count) +
                     " in a call\n" + std::to_string(begun_) + " calls";
  if (refused_ > 0) text += ", " + std::to_string(refused_) + " refused";
  return text;
}

}  // namespace ecnomy::omnet
