// SPDX-License-Identifier: LGPL-3.0-or-later
// What a MarkingQueue counts and decides, in the order of engine/link.cc.
#include <algorithm>

#include "inet/common/Simsignals.h"
#include "queue/IpFrame.h"
#include "queue/MarkingQueue.h"

namespace ecnomy::omnet {

QueueView MarkingQueue::view(Time now) const {
  return {waitingPackets_, waitingBytes_, plan_.rate_bps, busy(now) ? kNever : freeAt_};
}

PacketView MarkingQueue::view(const Slot& slot) const {
  return {slot.label.source < 0 ? kNoFlow : slot.label.flow, slot.wireBytes, slot.ect, slot.ce};
}

Time MarkingQueue::transmission(std::int32_t wireBytes) const {
  const std::int64_t bitPs = std::int64_t{wireBytes} * 8'000'000'000'000;
  return (bitPs + plan_.rate_bps / 2) / plan_.rate_bps;
}

void MarkingQueue::accountQueue(Time now) {
  stats_.queue_integral_ps +=
      static_cast<double>(waitingPackets_) * static_cast<double>(now - queueChanged_);
  queueChanged_ = now;
}

// At most the first packet: the interface sends one at a time.
void MarkingQueue::catchUp(Time now) {
  if (begun_ || waitingPackets_ == 0 || freeAt_ > now) return;
  const Time started = std::max(freeAt_, slots_.front().arrived);
  choose(started);
  begun_ = true;
  begin(slots_.front(), started);
}

void MarkingQueue::begin(Slot& slot, Time started) {
  accountQueue(started);
  --waitingPackets_;
  waitingBytes_ -= slot.wireBytes;
  ++stats_.departures;
  stats_.departed_bytes += slot.bytes;
  const Time duration = transmission(slot.wireBytes);
  work_ += duration - std::max<Time>(freeAt_ - started, 0);
  freeAt_ = started + duration;
  departing(slot, started);
}

void MarkingQueue::departing(Slot& slot, Time started) {
  if (!law_->watches_departures()) return;
  const QueueView queue{waitingPackets_, waitingBytes_, plan_.rate_bps, kNever};
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
  slot.arrived = now;
  return slot;
}

void MarkingQueue::countArrival(const Slot& slot, Time now) {
  ++stats_.arrivals;
  stats_.arrived_bytes += slot.bytes;
  if (slot.hop) ++slot.hop->arrivals;
  if (!market_) return;
  if (Tally* tally = market_->accounts().tally) tally->arrived(link_, waitingPackets_, now);
}

// What is not admitted is deleted.
bool MarkingQueue::admitted(Slot& slot, Time now) {
  bool toMark = false;
  if (!law_->drop_tail()) {
    const Decision decision = law_->on_arrival(view(now), view(slot), now);
    if (decision.mark_queued != kNoFlow) markWaiting(decision.mark_queued, now);
    toMark = decision.action == ecnomy::Action::mark && slot.ect;
    const bool notEct =
        decision.action == ecnomy::Action::mark && slot.ipv4 && !slot.ect && plan_.drop_not_ect;
    if (decision.action == ecnomy::Action::drop || notEct) {
      countDrop(slot, true, now);
      dropPacket(slot.packet, inet::CONGESTION);
      return false;
    }
  }
  const bool full =
      busy(now) &&
      ((plan_.buffer_packets >= 0 && waitingPackets_ >= plan_.buffer_packets) ||
       (plan_.buffer_bytes >= 0 && waitingBytes_ + slot.wireBytes > plan_.buffer_bytes));
  if (full) {
    if (!law_->drop_tail()) law_->on_drop(view(slot), now);
    countDrop(slot, false, now);
    dropPacket(slot.packet, inet::QUEUE_OVERFLOW);
    return false;
  }
  if (toMark) mark(slot, now);
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
  accountQueue(now);
  ++waitingPackets_;
  waitingBytes_ += slot.wireBytes;
  if (waits) stats_.queue_max = std::max(stats_.queue_max, waitingPackets_);
  storage_.insert(slot.packet);
  slots_.push_back(slot);
}

void MarkingQueue::mark(Slot& slot, Time now) {
  if (slot.ce) return;
  markFrame(slot.packet);
  slot.ce = true;
  ++stats_.marks;
  if (slot.hop) ++slot.hop->marks;
  cSimpleModule::emit(markedSignal_, slot.packet);
  note(TraceEvent::mark, slot, now);
  if (!market_) return;
  if (Tally* tally = market_->accounts().tally) tally->marked(link_, now);
}

void MarkingQueue::markWaiting(std::int32_t flow, Time now) {
  for (std::size_t i = begun_ ? 1 : 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    const bool meant = flow == kAllFlows || view(slot).flow == flow;
    if (meant && slot.ect) mark(slot, now);
  }
}

void MarkingQueue::countDrop(const Slot& slot, bool byLaw, Time now) {
  stats_.dropped(slot.bytes, byLaw, slot.ect, slot.ce);
  if (slot.hop) {
    ++slot.hop->drops;
    slot.hop->ce_dropped += slot.ce ? 1 : 0;
  }
  note(TraceEvent::drop, slot, now);
  if (!market_) return;
  if (slot.label.data) ++market_->flow(slot.label.flow).lost;
  if (Tally* tally = market_->accounts().tally) tally->dropped(link_, now);
}

// A waiting packet is taken out by others than the interface: to the books it is dropped.
void MarkingQueue::forget(std::size_t position, Time now) {
  const Slot slot = slots_[position];
  if (position == 0 && begun_) {
    begun_ = false;
  } else {
    accountQueue(now);
    --waitingPackets_;
    waitingBytes_ -= slot.wireBytes;
  }
  countDrop(slot, false, now);
  slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(position));
  storage_.remove(slot.packet);
}

void MarkingQueue::note(TraceEvent what, const Slot& slot, Time now) {
  if (!market_ || slot.label.source < 0) return;
  if (Trace* trace = market_->accounts().trace) {
    trace->add(now, what, link_, slot.label.flow, slot.label.seq, slot.bytes, slot.ce);
  }
}

// What is delivered at the time of a report comes after it and is still under way.
void MarkingQueue::tellInFlight() {
  Enter_Method_Silent();
  while (!departed_.empty() && departed_.front().delivered < now()) departed_.pop_front();
  for (Hop* hop : marked_) hop->ce_in_flight = 0;
  for (const Departed& packet : departed_) ++packet.hop->ce_in_flight;
  for (const Slot& slot : slots_) {
    if (!slot.ce || !slot.hop) continue;
    marked_.insert(slot.hop);
    ++slot.hop->ce_in_flight;
  }
}

}  // namespace ecnomy::omnet
