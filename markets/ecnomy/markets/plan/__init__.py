# SPDX-License-Identifier: Apache-2.0
"""Plans: the input of engines (structs), the table of their laws, and routes."""

from ecnomy.markets.plan.structs import (
    NO_PROFILE,
    NO_SIZES,
    PLAN_VERSION,
    Calls,
    Histogram,
    Law,
    Link,
    Plan,
    PlanRecord,
    Profile,
    ProfileStep,
    Reordering,
    Scheduler,
    Sizes,
    Source,
    Start,
    Tcp,
    Udp,
)

__all__ = [
    "NO_PROFILE",
    "NO_SIZES",
    "PLAN_VERSION",
    "Calls",
    "Histogram",
    "Law",
    "Link",
    "Plan",
    "PlanRecord",
    "Profile",
    "ProfileStep",
    "Reordering",
    "Scheduler",
    "Sizes",
    "Source",
    "Start",
    "Tcp",
    "Udp",
]
