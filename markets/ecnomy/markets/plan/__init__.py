# SPDX-License-Identifier: Apache-2.0
"""Plans: what engines get (structs), and how a scenario becomes one (make)."""

from ecnomy.markets.plan.structs import (
    PLAN_VERSION,
    Calls,
    Histogram,
    Law,
    Link,
    Plan,
    Record,
    Source,
    Start,
    Tcp,
    Udp,
)

__all__ = [
    "PLAN_VERSION",
    "Calls",
    "Histogram",
    "Law",
    "Link",
    "Plan",
    "Record",
    "Source",
    "Start",
    "Tcp",
    "Udp",
]
