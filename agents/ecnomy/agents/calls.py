# SPDX-License-Identifier: Apache-2.0
"""What a guaranteed stream provider sees: its test streams, and the call at hand.

Times are int64 picoseconds. Every field has its unit in brackets.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.call_tariff import FREE, CallTariff
from ecnomy.agents.observation import Integers
from ecnomy.agents.times import Timed

__all__ = ["NO_CALLS", "Call", "EndedCalls", "StreamObservation"]


class EndedCalls(msgspec.Struct, frozen=True, eq=False):
    """Calls of one tariff that ended since the last look, one value a call.

    Attributes:
        flow: whose it was [index of the flow in the run, as in the table `flows`].
        start_ps: when it asked, and began [ps].
        end_ps: when its last packet was accounted for [ps].
        sent: packets of the call [packets].
        marks: of these, what the provider paid for [packets].
        reimbursed: whether its promise was broken and it was paid back [truth value].
        charge_micro: what its customer paid [micro-units of money].
        reimbursement_micro: what was paid back [micro-units of money].
    """

    flow: Integers
    start_ps: Integers
    end_ps: Integers
    sent: Integers
    marks: Integers
    reimbursed: npt.NDArray[np.bool_]
    charge_micro: Integers
    reimbursement_micro: Integers


_NONE: Final = np.zeros(0, dtype=np.int64)
NO_CALLS: Final = EndedCalls(
    _NONE, _NONE, _NONE, _NONE, _NONE, _NONE.astype(np.bool_), _NONE, _NONE
)


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
        calls: of the provider's own calls, those that ended since the last look [EndedCalls].
        tariff: what calls are sold on now [CallTariff].
    """

    t_ps: int
    dt_ps: int
    price_micro: int
    sent: Integers
    delivered: Integers
    marks: Integers
    late: Integers
    lost: Integers
    calls: EndedCalls = NO_CALLS
    tariff: CallTariff = FREE


class Call(msgspec.Struct, frozen=True):
    """A call that asks to be let in; how long it will last nobody knows.

    Attributes:
        t_ps: when it asks [ps].
        flow: whose it is [index of the flow in the run, as in the table `flows`].
        tariff: in force at this moment [CallTariff].
        mark_price: what a mark costs the provider now [micro-units of money].
    """

    t_ps: int
    flow: int
    tariff: CallTariff = FREE
    mark_price: float = 0.0
