// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tcp/TcpMember.h"

#include <algorithm>
#include <string>
#include <type_traits>

#include "inet/common/packet/Packet.h"
#include "inet/common/packet/chunk/ByteCountChunk.h"

namespace ecnomy::omnet {

using omnetpp::cContextSwitcher;
using omnetpp::cMessage;
using omnetpp::cRuntimeError;

TcpMember::TcpMember(const Place& place, const FlowSender::Identity& identity, FlowStats& stats,
                     Outbox outbox, Stream traffic, const WebTraffic* web)
    : place_(place),
      sender_(identity.plan->transport, stats, outbox,
              {identity.plan, identity.member, identity.flow, identity.accounts, this,
               identity.rttError}),
      stream_(traffic),
      due_("due"),
      step_("step") {
  const LawPlan& law = identity.plan->traffic;
  if (web) files_.emplace<WebUser>(web);
  if (law.law == OneFile::kName) files_.emplace<OneFile>(law.values.data());
  if (law.law == OnOff::kName) files_.emplace<OnOff>(law.values.data());
  due_.setContextPointer(this);
  step_.setContextPointer(this);
  socket_.setOutputGate(place.module->gate("socketOut"));
}

TcpMember::~TcpMember() {
  for (cMessage* timer : {&due_, &step_}) place_.module->cancelEvent(timer);
}

void TcpMember::schedule(cMessage& timer, Time at) {
  if (timer.isScheduled()) place_.module->cancelEvent(&timer);
  place_.module->scheduleAt(simtime(at), &timer);
}

void TcpMember::start(Time now) {
  sender_.begin(now);
  if (sendsFiles()) return awaitFile(now);
  const std::optional<Time> lifted = sender_.capLifted();
  if (lifted && *lifted > now) schedule(due_, *lifted);
  if (!plan().profile.none()) onStep(now);
  if (sender_.active(now)) connect(-1, now);
}

// Called at a step of the profile: a greedy flow starts or stops, or a cap changes.
void TcpMember::onStep(Time now) {
  const Profile& profile = plan().profile;
  const Time next = profile.next_step(now);
  sender_.setProfile(profile.on(now, sender_.member(), plan().count), profile.at(now), next);
  schedule(step_, next);
}

void TcpMember::onTimer(const cMessage* timer, Time now) {
  if (sendsFiles()) return sender_.idle() ? nextFile(now) : endFile(false, now);
  if (timer == &step_) {
    onStep(now);
    if (sender_.closed() && sender_.active(now)) return connect(-1, now);
  }
  sender_.resume(now);
}

void TcpMember::order(const FlowOrder& order, Time now) {
  sender_.order(order, now);
  if (!sendsFiles() && sender_.closed() && sender_.active(now)) connect(-1, now);
}

// Schedules the next file after its pause, if a file follows.
void TcpMember::awaitFile(Time now) {
  const Time pause = std::visit(
      [&](auto& law) -> Time {
        if constexpr (std::is_same_v<std::decay_t<decltype(law)>, std::monostate>)
          return kNever;
        else
          return law.pause(stream_);
      },
      files_);
  if (pause == kNever) return;
  schedule(due_, now + plan().profile.stretch(now, pause));
}

// On INET's wire, a segment has the plan's size with 40 bytes of headers. The last segment has at least one byte of
// payload.
void TcpMember::nextFile(Time now) {
  const std::int64_t mss = plan().transport.payload_bytes;
  const std::int64_t bytes = std::visit(
      [&](auto& law) -> std::int64_t {
        if constexpr (std::is_same_v<std::decay_t<decltype(law)>, std::monostate>)
          return 0;
        else
          return law.file_bytes(stream_, plan().transport.payload_bytes);
      },
      files_);
  if (!sender_.active(now)) {
    giveUpPage();
    return awaitFile(now);
  }
  const WebUser* web = std::get_if<WebUser>(&files_);
  if (web && web->patience() != kNever) schedule(due_, now + web->patience());
  const std::int64_t segments = (bytes + mss - 1) / mss;
  const std::int64_t more = plan().transport.header_bytes - std::int64_t{FlowSender::kHeaders};
  const std::int64_t last = std::max<std::int64_t>(1, bytes - (segments - 1) * mss + more);
  left_ = (segments - 1) * sender_.plannedMss() + last;
  const FlowStats& stats = sender_.stats();
  file_ = {sender_.flow(), file_.number + 1, now, 0, bytes, -stats.retransmitted, -stats.ece, 0};
  counts_.bytes += bytes;
  connect(segments, now);
}

FlowState TcpMember::state(Time now) const {
  FlowState flow = sender_.state(now);
  if (!sendsFiles()) return flow;
  flow.files = counts_;
  flow.files.left = file_end(file_.bytes, plan().transport.payload_bytes, sender_.segmentsLeft());
  return flow;
}

void TcpMember::giveUpPage() {
  if (WebUser* user = std::get_if<WebUser>(&files_)) user->give_up();
}

bool TcpMember::lasting() const {
  return std::visit(
      [](const auto& law) {
        if constexpr (std::is_same_v<std::decay_t<decltype(law)>, std::monostate>)
          return false;
        else
          return law.lasting();
      },
      files_);
}

// Uses the lasting connection, if there is one. Local ports are reused so late that no peer still has an old
// connection with the same port.
void TcpMember::connect(std::int64_t segments, Time now) {
  if (segments < 0) left_ = -1;
  if (!sender_.closed()) {
    sender_.extend(segments);
    return handOver();
  }
  const int port = kFirstPort + static_cast<int>(connections_++ % kPorts);
  socket_.renewSocket();
  socket_.bind(place_.local, port);
  socket_.setTCPAlgorithmClass("ecnomy::omnet::TcpMarketFlavour");
  sender_.open(segments, lasting(), now);
  place_.tcp->expect(socket_.getSocketId(), &sender_);
  socket_.connect(place_.remote, place_.port);
  handOver();
}

void TcpMember::handOver() {
  if (left_ == 0) return;
  const std::int64_t portion = kPortion / sender_.plannedMss() * sender_.plannedMss();
  const std::int64_t bytes = left_ < 0 ? portion : std::min(left_, portion);
  if (left_ > 0) left_ -= bytes;
  auto* packet = new inet::Packet("data");
  packet->insertAtBack(inet::makeShared<inet::ByteCountChunk>(inet::B(bytes)));
  socket_.send(packet);
}

void TcpMember::endFile(bool complete, Time now) {
  const FlowStats& stats = sender_.stats();
  if (!complete || !lasting()) {
    sender_.close(now);
    socket_.destroy();
  }
  file_.end_ps = now;
  file_.complete = complete ? 1 : 0;
  file_.retransmitted += stats.retransmitted;
  file_.ece += stats.ece;
  counts_.finished += file_.complete;
  if (!complete) giveUpPage();
  place_.market->recorder().add(file_);
  if (due_.isScheduled()) place_.module->cancelEvent(&due_);
  awaitFile(now);
}

void TcpMember::allAcked() {
  const cContextSwitcher context(place_.module);
  endFile(true, now());
}

void TcpMember::gaveUp() {
  const cContextSwitcher context(place_.module);
  if (due_.isScheduled()) place_.module->cancelEvent(&due_);
  awaitFile(now());
}

void TcpMember::wantsData() {
  const cContextSwitcher context(place_.module);
  handOver();
}

void TcpMember::lost(const char* how) {
  throw cRuntimeError(place_.module, "The connection to %s, port %d, was %s: is there a TcpSink?",
                      place_.remote.str().c_str(), place_.port, how);
}

}  // namespace ecnomy::omnet
