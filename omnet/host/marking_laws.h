// SPDX-License-Identifier: Apache-2.0
// The marking laws that both engines host.
#ifndef ECNOMY_HOST_MARKING_LAWS_H_
#define ECNOMY_HOST_MARKING_LAWS_H_

#include "host/law_family.h"
#include "laws/marking/adaptive_threshold.h"
#include "laws/marking/adaptive_virtual_queue.h"
#include "laws/marking/blue.h"
#include "laws/marking/choke.h"
#include "laws/marking/codel.h"
#include "laws/marking/drop_tail.h"
#include "laws/marking/fixed.h"
#include "laws/marking/flow_projection.h"
#include "laws/marking/flow_projection_heuristic.h"
#include "laws/marking/load_based.h"
#include "laws/marking/pi.h"
#include "laws/marking/pie.h"
#include "laws/marking/red.h"
#include "laws/marking/rem.h"
#include "laws/marking/self_configuring_red.h"
#include "laws/marking/sfb.h"
#include "laws/marking/sred.h"
#include "laws/marking/threshold.h"
#include "laws/marking/virtual_queue.h"

namespace ecnomy {

using MarkingLaws =
    LawList<DropTail, FixedMarking, Red, VirtualQueue, LoadBased, Threshold, Rem, Pi,
            AdaptiveVirtualQueue, AdaptiveThreshold, FlowProjection, FlowProjectionHeuristic, Codel,
            Pie, Blue, SelfConfiguringRed, Sred, Sfb, Choke>;
using MarkingVariant = MarkingLaws::Variant;

}  // namespace ecnomy

#endif  // ECNOMY_HOST_MARKING_LAWS_H_
