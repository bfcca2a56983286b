# SPDX-License-Identifier: Apache-2.0
"""What a guaranteed stream provider sees: its test streams, and the call at hand.

Times are int64 picoseconds. Every field has its unit in brackets.
"""

from __future__ import annotations

import msgspec

from ecnomy.agents.observation import Integers
from ecnomy.agents.times import Timed

__all__ = ["Call", "StreamObservation"]


class StreamObservation(Timed, msgspec.Struct, frozen=True, eq=False):
    """The test streams over the `dt_ps` since the last look, one value a stream.

    Attributes:
        t_ps: time of the report [ps].
        dt_ps: since the last look, which all changes are over [ps]; 0 at the first one.
        price_micro: what a mark costs now [micro-units of money per mark].
        sent: left the sender [packets].
        delivered: reached the receiver [packets].
        marks: CE packets among `delivered`: what is charged [packets].
        late: delivered, but later than the tariff's `max_delay` [packets].
        lost: on the way [packets].
    """

    t_ps: int
    dt_ps: int
    price_micro: int
    sent: Integers
    delivered: Integers
    marks: Integers
    late: Integers
    lost: Integers


class Call(msgspec.Struct, frozen=True):
    """A call that asks to be let in; how long it will last nobody knows.

    Attributes:
        t_ps: when it asks [ps].
        flow: whose it is [index of the flow in the run, as in the table `flows`].
    """

    t_ps: int
    flow: int
