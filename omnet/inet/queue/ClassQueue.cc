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

// The rate is known by now; a scheduler's does not change.
void ClassQueue::openLaw() {
  MarkingQueue::openLaw();
  adoptRate();
  try {
    scheduler_.emplace(plan_, seed());
  } catch (const BadParameter& error) {
    throw cRuntimeError("%s", error.what());
  }
}

// What belongs to no source is in the last class.
std::size_t ClassQueue::classOf(const Slot& slot) const {
  if (slot.hop && slot.hop->service_class >= 0) {
    return static_cast<std::size_t>(slot.hop->service_class);
  }
  return plan_.scheduler.classes.size() - 1;
}

bool ClassQueue::enter(Slot& slot, Time now) {
  const std::size_t service = classOf(slot);
  const bool waits = busy(now);
  note(TraceEvent::enqueue, slot, now);
  queue_.account(now);
  queue_.join(slot.wireBytes);
  storage_.insert(slot.packet);
  slots_.push_back(slot);
  scheduler_->arrive(service, view(slot), waits, now);
  if (ClassTally* tally = classes()) {
    tally->arrived(link_, service, slot.bytes, scheduler_->queue(service), now);
  }
  queue_.make_room(*scheduler_, plan_, waits, now,
                   [&](std::size_t victim, bool byLaw) { dropLastOf(victim, byLaw, now); });
  if (scheduler_->marks_arrival()) markIn(service, slots_.back(), now);
  scheduler_->settle(now);
  if (waits) queue_.peak();
  return true;
}

void ClassQueue::dropLastOf(std::size_t service, bool byLaw, Time now) {
  const auto last = std::find_if(slots_.rbegin(), slots_.rend(),
                                 [&](const Slot& slot) { return classOf(slot) == service; });
  const Slot slot = *last;
  queue_.account(now);
  queue_.leave(slot.wireBytes);
  slots_.erase(std::next(last).base());
  storage_.remove(slot.packet);
  if (ClassTally* tally = classes()) {
    tally->dropped(link_, service, slot.bytes, scheduler_->queue(service), now);
  }
  countDrop(slot, byLaw, now);
  dropPacket(slot.packet, byLaw ? inet::CONGESTION : inet::QUEUE_OVERFLOW);
}

// The scheduler's choice becomes the first packet.
void ClassQueue::choose(Time started) {
  chosen_ = scheduler_->next(started);
  const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return classOf(slot) == chosen_.service;
  });
  std::rotate(slots_.begin(), found, std::next(found));
}

void ClassQueue::departing(Slot& slot, Time started) {
  if (ClassTally* tally = classes()) {
    tally->departed(link_, chosen_.service, slot.bytes, chosen_.waited, started);
  }
  if (chosen_.mark) markIn(chosen_.service, slot, started);
}

void ClassQueue::markIn(std::size_t service, Slot& slot, Time now) {
  if (!slot.ect || slot.ce) return;
  if (ClassTally* tally = classes()) tally->marked(link_, service, now);
  mark(slot, now);
}

void ClassQueue::removePacket(inet::Packet*) {
  throw cRuntimeError("a class queue's packets go to its interface or are dropped");
}

}  // namespace ecnomy::omnet
