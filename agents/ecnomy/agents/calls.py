# SPDX-License-Identifier: Apache-2.0
"""Observations of a guaranteed stream provider and of callers: test streams, calls, offers.

Times are int64 picoseconds. Every field has its unit in brackets.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.arrays import Integers
from ecnomy.agents.call_tariff import FREE, CallTariff
from ecnomy.agents.observation import Truths
from ecnomy.agents.times import Timed

__all__ = [
    "BEST_EFFORT",
    "NO_CALLS",
    "Call",
    "CallAsk",
    "CallOffer",
    "EndedCalls",
    "StreamObservation",
]

BEST_EFFORT: Final = -1  # in place of an offer: no guarantee, who calls pays for its marks


class EndedCalls(msgspec.Struct, frozen=True, eq=False):
    """Calls that ended since the last look, one value a call, in the order they ended.

    Attributes:
        flow: whose each was [index of the flow in the run].
        tariff: the row of the market's list of tariffs it was sold on [index], or BEST_EFFORT.
        start_ps: when it began [ps].
        end_ps: when it ended [ps].
        sent: left the sender [packets].
        marks: CE packets that reached the receiver: what was charged [packets].
        bad: lost, or later than the tariff's `max_delay` [packets]; -1 where the one who is told
            does not see it.
        reimbursed: whether something was paid back [truth value].
        charge_micro: what it cost who called, marks aside [micro-units of money].
        reimbursement_micro: what was paid back [micro-units of money].
    """

    flow: Integers
    tariff: Integers
    start_ps: Integers
    end_ps: Integers
    sent: Integers
    marks: Integers
    bad: Integers
    reimbursed: Truths
    charge_micro: Integers
    reimbursement_micro: Integers

    def __len__(self) -> int:
        return len(self.flow)


_NONE: Final = np.zeros(0, dtype=np.int64)
NO_CALLS: Final = EndedCalls(*(_NONE,) * 7, np.zeros(0, dtype=np.bool_), _NONE, _NONE)


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
        calls: its calls of this tariff that ended meanwhile [EndedCalls].
        tariff: what is sold, at the price in force [CallTariff].
        agent: its money, random numbers and notes [AgentView]; None outside a market.
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
    agent: AgentView | None = None


class Call(msgspec.Struct, frozen=True):
    """A call that asks for admission; its duration is not known.

    Attributes:
        t_ps: when it asks [ps].
        flow: whose it is [index of the flow in the run, as in the table `flows`].
        tariff: what it would be sold on, at the price in force [CallTariff].
        mark_price: what a mark of it would cost now [micro-units of money].
        under_way: calls of its tariff that were let in and have not ended, as of this moment
            [calls].
    """

    t_ps: int
    flow: int
    tariff: CallTariff = FREE
    mark_price: float = 0.0
    under_way: int = 0


class CallOffer(msgspec.Struct, frozen=True):
    """A guaranteed call on offer.

    Attributes:
        provider: who sells it [name of the agent].
        number: the row of the market's list of tariffs [index].
        tariff: what it costs now, and promises [CallTariff].
    """

    provider: str
    number: int
    tariff: CallTariff


class CallAsk(msgspec.Struct, frozen=True, eq=False):
    """A call that is about to be made, and who would carry it.

    Attributes:
        t_ps: when [ps].
        flow: whose call it is [index of the flow in the run].
        offers: guaranteed calls on offer, as providers stand in the scenario [CallOffer].
        mark_price: what a mark costs who calls at best effort now [micro-units of money].
        agent: money, random numbers and notes of who decides [AgentView].
    """

    t_ps: int
    flow: int
    offers: tuple[CallOffer, ...]
    mark_price: float
    agent: AgentView | None = None
