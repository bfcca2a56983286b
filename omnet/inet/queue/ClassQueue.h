// SPDX-License-Identifier: LGPL-3.0-or-later
// The queue of a sending interface under a class scheduler. It is a MarkingQueue whose scheduler chooses the next
// packet at the computed time at which the transmitter becomes free. Decisions have the same order as in
// engine/class_link.cc.
#ifndef ECNOMY_INET_QUEUE_CLASSQUEUE_H_
#define ECNOMY_INET_QUEUE_CLASSQUEUE_H_

#include <cstddef>
#include <optional>

#include "host/scheduler_host.h"
#include "queue/MarkingQueue.h"

namespace ecnomy::omnet {

class ClassQueue : public MarkingQueue {
 public:
  // Only the interface removes packets, since the scheduler relies on its own queues.
  void removePacket(inet::Packet* packet) override;
  inet::Packet* canPullPacket(QueueGate* gate) const override;
  bool canPullSomePacket(QueueGate* gate) const override { return canPullPacket(gate) != nullptr; }

 protected:
  void readLaw() override;
  void openLaw() override;
  bool enter(Slot& slot, Time now) override;
  bool choose(Time started, bool taken) override;
  void departing(Slot& slot, Time started) override;
  void updateLaw(Time now) override { scheduler_->pass_time(now); }
  double probability() const override { return scheduler_ ? scheduler_->probability() : 0.0; }

 private:
  std::size_t queueOf(const Slot& slot) const;
  void markIn(std::size_t queue, Slot& slot, Time now);
  void dropOf(std::size_t queue, bool byLaw, Time now);
  void drop(std::deque<Slot>::iterator position, bool byLaw, Time now);
  ClassTally* classes() const { return market_ ? market_->accounts().classes : nullptr; }

  std::optional<SchedulerHost> scheduler_;
  Service chosen_{};  // the first packet
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_QUEUE_CLASSQUEUE_H_
