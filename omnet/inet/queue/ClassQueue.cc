// SPDX-License-Identifier: LGPL-3.0-or-later
#include "queue/ClassQueue.h"

#include <algorithm>

#include "inet/common/Simsignals.h"
#include "parameters/Parameters.h"

namespace ecnomy::omnet {

using omnetpp::cRuntimeError;

Define_Module(ClassQueue);

void ClassQueue::readLaw() {
  plan_.marking = {DropTail::kName, {}};
  plan_.scheduler.law = lawParameters(this, "scheduling");
  readClasses(this, "classes", plan_.scheduler);
}

// Called when the rate is known. A scheduler's rate does not change.
void ClassQueue::openLaw() {
  MarkingQueue::openLaw();
  adoptRate();
  try {
    scheduler_.emplace(plan_, seed());
  } catch (const BadParameter& error) {
    throw cRuntimeError("%s", error.what());
  }
}

// Packets without a source are in the last class, unless the scheduler classifies by codepoint or flow.
std::size_t ClassQueue::queueOf(const Slot& slot) const {
  const bool known = slot.hop && slot.hop->service_class >= 0;
  return scheduler_->queue_of(view(slot), known ? static_cast<std::size_t>(slot.hop->service_class)
                                                : plan_.scheduler.classes.size() - 1);
}

bool ClassQueue::enter(Slot& slot, Time now) {
  const bool waits = busy(now);
  note(TraceEvent::enqueue, slot, now);
  queue_.account(now);
  queue_.join(slot.wireBytes);
  storage_.insert(slot.packet);
  const std::size_t queue = slot.service =
      scheduler_->arrive(queueOf(slot), view(slot), waits, now);
  slots_.push_back(slot);
  if (ClassTally* tally = classes()) {
    tally->arrived(link_, scheduler_->class_of(queue), slot.bytes, scheduler_->busy_period(queue),
                   now);
  }
  queue_.make_room(*scheduler_, plan_, waits, now,
                   [&](std::size_t victim, bool byLaw) { dropOf(victim, byLaw, now); });
  if (scheduler_->marks_arrival()) markIn(queue, slots_.back(), now);
  scheduler_->settle(now);
  if (waits) queue_.peak();
  return true;
}

void ClassQueue::dropOf(std::size_t queue, bool byLaw, Time now) {
  const auto own = [&](const Slot& slot) { return slot.service == queue; };
  const auto oldest = std::find_if(slots_.begin(), slots_.end(), own);
  if (oldest == slots_.end())
    throw cRuntimeError("the scheduler dropped a packet of a queue without packets");
  const auto last = std::prev(std::find_if(slots_.rbegin(), slots_.rend(), own).base());
  drop(scheduler_->drops_oldest() ? oldest : last, byLaw, now);
}

void ClassQueue::drop(std::deque<Slot>::iterator position, bool byLaw, Time now) {
  const Slot slot = *position;
  queue_.account(now);
  queue_.leave(slot.wireBytes);
  slots_.erase(position);
  storage_.remove(slot.packet);
  if (ClassTally* tally = classes()) {
    tally->dropped(link_, scheduler_->class_of(slot.service), slot.bytes,
                   scheduler_->busy_period(slot.service), now);
  }
  countDrop(slot, byLaw, now);
  dropPacket(slot.packet, byLaw ? inet::CONGESTION : inet::QUEUE_OVERFLOW);
}

// Moves the scheduler's choice to the front, and removes the packets that the scheduler drops.
bool ClassQueue::choose(Time started, bool taken) {
  while (!slots_.empty()) {
    chosen_ = scheduler_->next(started);
    const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
      return slot.service == chosen_.service;
    });
    if (found == slots_.end()) throw cRuntimeError("the scheduler chose a class without packets");
    if (!chosen_.drop || (taken && slots_.size() == 1)) {
      std::rotate(slots_.begin(), found, std::next(found));
      return true;
    }
    drop(found, true, started);
    tellListeners();
  }
  return false;
}

// The interface calls this function when its transmitter becomes idle. Packets that the scheduler then drops cannot be
// pulled.
inet::Packet* ClassQueue::canPullPacket(QueueGate* gate) const {
  Enter_Method_Silent();
  const_cast<ClassQueue*>(this)->catchUp(now());
  return MarkingQueue::canPullPacket(gate);
}

void ClassQueue::departing(Slot& slot, Time started) {
  if (ClassTally* tally = classes()) {
    tally->departed(link_, scheduler_->class_of(chosen_.service), slot.bytes, chosen_.waited,
                    started);
  }
  if (chosen_.mark) markIn(chosen_.service, slot, started);
}

void ClassQueue::markIn(std::size_t queue, Slot& slot, Time now) {
  if (!slot.ect || slot.ce) return;
  if (ClassTally* tally = classes()) tally->marked(link_, scheduler_->class_of(queue), now);
  mark(slot, now);
}

void ClassQueue::removePacket(inet::Packet*) {
  throw cRuntimeError("only the interface can remove packets from a class queue");
}

}  // namespace ecnomy::omnet
