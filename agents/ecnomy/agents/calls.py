# SPDX-License-Identifier: Apache-2.0
"""Observations of guaranteed stream providers and callers: test streams, calls and offers.

Times are int64 picoseconds.
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

BEST_EFFORT: Final = -1  # instead of an offer: no guarantee, and the caller pays for marks


class EndedCalls(msgspec.Struct, frozen=True, eq=False):
    """Calls that ended since the last observation, one value per call, ordered by end time.

    Attributes:
        flow: flow of the call [index of the flow in the run].
        tariff: the call's tariff [index in the market's list of tariffs], or BEST_EFFORT.
        start_ps: start of the call [ps].
        end_ps: end of the call [ps].
        sent: packets that left the sender [packets].
        marks: packets marked CE that reached the receiver and were charged [packets].
        bad: packets lost, or with a delay above the tariff's `max_delay` [packets]; -1 if unknown
            to the observer.
        reimbursed: whether a refund was paid [Boolean].
        charge_micro: cost of the call to the caller, excluding marks [micro-units of money].
        reimbursement_micro: the refund [micro-units of money].
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
    """Test streams during the time `dt_ps` since the last observation, one value per stream.

    Attributes:
        t_ps: time of the report [ps].
        dt_ps: time since the last observation, which all changes cover [ps]; 0 at the first one.
        price_micro: the current price of a mark [micro-units of money per mark].
        sent: packets that left the sender [packets].
        delivered: packets that reached the receiver [packets].
        marks: delivered packets marked CE, which are charged [packets].
        late: delivered packets with a delay above the tariff's `max_delay` [packets].
        lost: packets lost in the network [packets].
        calls: calls on the tariff that ended since the last observation [EndedCalls].
        tariff: the tariff on sale, at the price in force [CallTariff].
        agent: money, random numbers and notes of the provider [AgentView]; None outside a market.
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
    """A request for the admission of a call, whose duration is not known yet.

    Attributes:
        t_ps: time of the request [ps].
        flow: flow of the call [index of the flow in the run, as in the table `flows`].
        tariff: tariff of the call, at the price in force [CallTariff].
        mark_price: the current price of a mark on the call's packets [micro-units of money].
        under_way: admitted calls of the provider that are still in progress [calls]. Calls on a
            tariff with its own strategy are counted separately.
    """

    t_ps: int
    flow: int
    tariff: CallTariff = FREE
    mark_price: float = 0.0
    under_way: int = 0


class CallOffer(msgspec.Struct, frozen=True):
    """A guaranteed call on offer.

    Attributes:
        provider: the seller [name of the agent].
        number: number of the tariff [index in the market's list of tariffs].
        tariff: the current price and the promise [CallTariff].
    """

    provider: str
    number: int
    tariff: CallTariff


class CallAsk(msgspec.Struct, frozen=True, eq=False):
    """A call before it begins, and the offers for it.

    Attributes:
        t_ps: time of the request [ps].
        flow: flow of the call [index of the flow in the run].
        offers: guaranteed calls on offer, in the scenario's order of providers [CallOffer].
        mark_price: the current price of a mark for a best-effort caller [micro-units of money].
        agent: money, random numbers and notes of the caller [AgentView].
    """

    t_ps: int
    flow: int
    offers: tuple[CallOffer, ...]
    mark_price: float
    agent: AgentView | None = None
