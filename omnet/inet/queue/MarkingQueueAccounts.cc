// SPDX-License-Identifier: LGPL-3.0-or-later
// A MarkingQueue's calls of its LinkQueue, in the same order as in engine/link.cc.
#include <algorithm>

#include "inet/common/Simsignals.h"
#include "queue/IpFrame.h"
#include "queue/MarkingQueue.h"

namespace ecnomy::omnet {

QueueView MarkingQueue::view(Time now) const {
  return {queue_.packets, queue_.bytes, plan_.rate_bps, busy(now) ? kNever : queue_.free_at};
}

PacketView MarkingQueue::view(const Slot& slot) const {
  return {slot.label.source < 0 ? kNoFlow : slot.label.flow, slot.wireBytes, slot.ect, slot.ce,
          slot.ect1};
}

PacketAccounts MarkingQueue::accounts(const Slot& slot) const {
  return market_ ? market_->accounts(slot.label, slot.hop) : PacketAccounts{};
}

// Begins at most the first packet's transmission, since the interface sends one packet at a time.
void MarkingQueue::catchUp(Time now) {
  if (begun_ || queue_.packets == 0 || queue_.free_at > now) return;
  const Time started = std::max(queue_.free_at, slots_.front().arrived);
  if (!choose(started, false)) return;
  begun_ = true;
  begin(slots_.front(), started);
}

void MarkingQueue::begin(Slot& slot, Time started) {
  queue_.account(started);
  queue_.leave(slot.wireBytes);
  queue_.depart(slot.bytes);
  const Time duration = transmission_ps(slot.wireBytes, plan_.rate_bps);
  queue_.work += duration - std::max<Time>(queue_.free_at - started, 0);
  queue_.free_at = started + duration;
  departing(slot, started);
}

void MarkingQueue::departing(Slot& slot, Time started) {
  if (!law_->watches_departures()) return;
  const QueueView queue{queue_.packets, queue_.bytes, plan_.rate_bps, kNever};
  const Decision decision = law_->on_departure(queue, view(slot), started);
  if (decision.action == ecnomy::Action::mark && slot.ect) mark(slot, started);
}

MarkingQueue::Slot MarkingQueue::look(inet::Packet* packet, Time now) const {
  const IpFrame frame = readFrame(packet);
  Slot slot{};
  slot.packet = packet;
  if (market_ && frame.ipv4) slot.label = market_->label(packet, frame.offset);
  slot.hop = market_ ? market_->hop(slot.label, link_) : nullptr;
  slot.bytes = frame.bytes;
  slot.wireBytes = std::max(frame.bytes + plan_.framing_bytes, shortest_);
  slot.ipv4 = frame.ipv4;
  slot.ect = frame.ect;
  slot.ce = frame.ce;
  slot.ect1 = frame.ect1;
  slot.arrived = now;
  return slot;
}

// A packet that is not admitted is deleted.
bool MarkingQueue::admitted(Slot& slot, Time now) {
  const Entry entry = queue_.admit(
      *law_, plan_, busy(now), slot.wireBytes, slot.ipv4, now, [&] { return view(slot); },
      [&](std::int32_t flow) { markWaiting(flow, now); });
  if (entry > Entry::mark) {
    if (entry == Entry::pair) dropWaiting(queue_.victim, now);
    const bool byLaw = entry != Entry::full;
    countDrop(slot, byLaw, now);
    dropPacket(slot.packet, byLaw ? inet::CONGESTION : inet::QUEUE_OVERFLOW);
    return false;
  }
  if (entry == Entry::mark) mark(slot, now);
  return true;
}

bool MarkingQueue::enter(Slot& slot, Time now) {
  if (!admitted(slot, now)) return false;
  accept(slot, now);
  return true;
}

void MarkingQueue::accept(const Slot& slot, Time now) {
  note(TraceEvent::enqueue, slot, now);
  const bool waits = busy(now);
  queue_.account(now);
  queue_.join(slot.wireBytes);
  if (waits) queue_.peak();
  storage_.insert(slot.packet);
  slots_.push_back(slot);
}

void MarkingQueue::mark(Slot& slot, Time now) {
  if (slot.ce) return;
  markFrame(slot.packet);
  slot.ce = true;
  queue_.marked(link_, accounts(slot), now);
  cSimpleModule::emit(markedSignal_, slot.packet);
  note(TraceEvent::mark, slot, now);
}

void MarkingQueue::markWaiting(std::int32_t flow, Time now) {
  for (std::size_t i = begun_ ? 1 : 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    const bool meant = flow == kAllFlows || view(slot).flow == flow;
    if (meant && slot.ect) mark(slot, now);
  }
}

void MarkingQueue::dropWaiting(std::int32_t position, Time now) {
  const auto at = static_cast<std::size_t>(position) + (begun_ ? 1 : 0);
  inet::Packet* packet = slots_.at(at).packet;
  forget(at, true, now);
  dropPacket(packet, inet::CONGESTION);
}

void MarkingQueue::countDrop(const Slot& slot, bool byLaw, Time now) {
  queue_.dropped(link_, slot.bytes, byLaw, slot.ect, slot.ce, accounts(slot), now);
  note(TraceEvent::drop, slot, now);
}

// Removes a packet that its law drops, or that a module other than the interface removes. The books count it as dropped.
void MarkingQueue::forget(std::size_t position, bool byLaw, Time now) {
  const Slot slot = slots_[position];
  if (position == 0 && begun_) {
    begun_ = false;
  } else {
    queue_.account(now);
    queue_.leave(slot.wireBytes);
  }
  countDrop(slot, byLaw, now);
  slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(position));
  storage_.remove(slot.packet);
}

void MarkingQueue::note(TraceEvent what, const Slot& slot, Time now) {
  if (!market_ || slot.label.source < 0) return;
  if (Trace* trace = market_->accounts().trace) {
    trace->add(now, what, link_, slot.label.flow, slot.label.seq, slot.bytes, slot.ce);
  }
}

void MarkingQueue::tellInFlight() {
  Enter_Method_Silent();
  underWay_.tell(now(), [this](auto wait) {
    for (const Slot& slot : slots_) {
      if (slot.ce && slot.hop) wait(slot.hop);
    }
  });
}

}  // namespace ecnomy::omnet
