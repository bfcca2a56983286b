// SPDX-License-Identifier: Apache-2.0
// The schedulers of links with classes that both engines host, and the laws of their classes.
#ifndef ECNOMY_HOST_SCHEDULING_LAWS_H_
#define ECNOMY_HOST_SCHEDULING_LAWS_H_

#include "host/law_family.h"
#include "laws/scheduling/class_scheduler.h"
#include "laws/scheduling/deficit_round_robin.h"
#include "laws/scheduling/docsis.h"
#include "laws/scheduling/dualpi2.h"
#include "laws/scheduling/fq_codel.h"

namespace ecnomy {

using SchedulingLaws = LawList<ClassScheduler, DeficitRoundRobin, DualPi2, FqCodel, Docsis>;
using SchedulerVariant = SchedulingLaws::Variant;
using ServiceLaws = LawList<ServiceClass, WeightedClass, CodepointClass, FlowClass>;

}  // namespace ecnomy

#endif  // ECNOMY_HOST_SCHEDULING_LAWS_H_
