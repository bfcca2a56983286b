// SPDX-License-Identifier: Apache-2.0
// One link's class scheduler, made from its plan, and its part of the law log.
#ifndef ECNOMY_HOST_SCHEDULER_HOST_H_
#define ECNOMY_HOST_SCHEDULER_HOST_H_

#include <cstdint>
#include <vector>

#include "host/law_log.h"
#include "host/plan.h"
#include "laws/scheduling/class_scheduler.h"

namespace ecnomy {

// Throws BadParameter naming law and parameter, or the unknown law.
ClassScheduler make_scheduler(const SchedulerPlan& plan, std::int64_t rate_bps);

class SchedulerHost {
 public:
  SchedulerHost(const SchedulerPlan& plan, std::int64_t rate_bps)
      : law_(make_scheduler(plan, rate_bps)) {}

  void arrive(std::size_t service, const PacketView& packet, bool busy, Time now) {
    law_.arrive(service, packet, busy, now);
    log_.joined(static_cast<int>(service), packet, busy, now);
  }
  int drop(bool overflow, Time now) noexcept {
    const int victim = law_.drop(overflow, now);
    log_.asked(overflow, now, victim);
    return victim;
  }
  void settle(Time now) noexcept {
    law_.settle(now);
    log_.settled(now, law_);
  }
  ClassScheduler::Service next(Time now) noexcept {
    const ClassScheduler::Service service = law_.next(now);
    log_.served(now, service);
    return service;
  }
  const ClassScheduler& law() const noexcept { return law_; }

 private:
  ClassScheduler law_;
  [[no_unique_address]] SchedulerLog log_;
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_SCHEDULER_HOST_H_
