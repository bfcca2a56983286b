# SPDX-License-Identifier: Apache-2.0
"""What a guaranteed stream provider sees: its test streams, and the call at hand.

Times are int64 picoseconds.
"""

from __future__ import annotations

import msgspec

from ecnomy.agents.observation import Integers

__all__ = ["Call", "StreamObservation"]


class StreamObservation(msgspec.Struct, frozen=True, eq=False):
    """The test streams over the `dt_ps` since the last look; one row per stream."""

    t_ps: int
    dt_ps: int  # 0 at the first look, when all changes are 0
    price_micro: int  # per mark
    sent: Integers  # packets sent
    delivered: Integers  # packets delivered
    marks: Integers  # CE packets delivered: what is charged
    late: Integers  # delivered, but later than the tariff's largest delay
    lost: Integers


class Call(msgspec.Struct, frozen=True):
    """A call that asks to be let in; how long it will last nobody knows."""

    t_ps: int
    flow: int
