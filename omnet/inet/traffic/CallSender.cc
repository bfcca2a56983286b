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
    ++one.open.back().sent;
    sendDatagram(member, one.number, plan().transport.payload_bytes);
  }
  dueAt(member, later(one.due, law_->interval()));
  packetOrEnd(member);
}

void CallSender::beginCall(int member) {
  if (callers_) callers_->come();
  if (!active(member)) return awaitCall(member, now());
  CallDesk& desk = market_->recorder();
  User& one = user(member);
  CallRecord call{};
  call.id = desk.number();
  call.flow = flowOf(member);
  call.user = member;
  call.start_ps = call.end_ps = now();
  if (plan().calls_ask && !desk.admit(call.id, call.flow, now(), one.next.holding)) {
    emit(kCallRefused, ++refused_);
    handIn(call, true);
    return awaitCall(member, now());
  }
  call.accepted = 1;
  one.end = later(now(), one.next.holding);
  if (plan().stop_ps >= 0) one.end = std::min(one.end, plan().stop_ps);
  call.end_ps = one.end;
  one.open.push_back(call);
  ++one.number;
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
  const std::size_t later = static_cast<std::uint16_t>(one.number - number);
  if (later >= one.open.size()) {
    throw cRuntimeError("source '%s': a packet arrived after a packet of a later call",
                        plan().name.c_str());
  }
  const std::size_t at = one.open.size() - 1 - later;
  CallRecord& call = one.open[at];
  const Time limit = plan().calls_max_delay;
  ++call.delivered;
  add_delay(call.delay_sum_ps, delay);
  call.late += limit >= 0 && delay > limit ? 1 : 0;
  call.ce += ce ? 1 : 0;
  handInEnded(member, at);
  if (!one.talking) settle(member);
}

void CallSender::settle(int member) {
  const User& one = user(member);
  if (one.open.empty() || stats(member).under_way() != 0) return;
  handInEnded(member, one.open.size() - (one.talking ? 1 : 0));
}

void CallSender::handInEnded(int member, std::size_t count) {
  std::vector<CallRecord>& open = user(member).open;
  for (std::size_t i = 0; i < count; ++i) handIn(open[i], true);
  open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(count));
}

void CallSender::settleCalls(bool end) {
  Enter_Method_Silent();
  if (callers_) callers_->lose(now(), market_->recorder());
  for (int member = 0; member < plan().count; ++member) {
    settle(member);
    if (!end) continue;
    for (CallRecord& call : user(member).open) {
      call.end_ps = std::min(call.end_ps, now());
      handIn(call, false);
    }
    user(member).open.clear();
  }
}

void CallSender::handIn(CallRecord& call, bool complete) {
  call.complete = complete ? 1 : 0;
  if (complete) call.lost = call.sent - call.delivered;
  market_->recorder().add(call);
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
