# SPDX-License-Identifier: Apache-2.0
"""Hostile situations for callers' strategies, with unusual offers and outcomes of calls."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.calls import BEST_EFFORT, NO_CALLS, CallAsk, CallOffer, EndedCalls
from ecnomy.agents.money import DEAREST_MICRO
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.conformance.situations import HUGE

__all__ = ["ASKS", "AskCourse", "ask_of", "heard"]


class AskCourse(msgspec.Struct, frozen=True):
    """A series of calls. Before each new call, some earlier calls end.

    Attributes:
        name: name of the situation in messages.
        offers: number of providers.
        calls: number of successive calls.
        apart_s: time between successive calls [s].
        ended: number of ended calls reported before each call.
        odd: unusual values for columns of the ended calls, instead of ordinary values.
        price_micro: price of offer 0 [micro-units]; offer k costs k + 1 times as much.
        mark_price: price of a mark [micro-units].
        balance_micro: balance of the account [micro-units].
    """

    name: str
    offers: int = 2
    calls: int = 20
    apart_s: float = 5.0
    ended: int = 2
    odd: dict[str, object] = {}
    price_micro: int = 50_000
    mark_price: float = 1000.0
    balance_micro: int = 0


ASKS: Final = (
    AskCourse("calls: a plain market", calls=200),
    AskCourse("calls: one provider", 1),
    AskCourse("calls: 60 providers", 60),
    AskCourse("calls: none has ended yet", ended=0),
    AskCourse("calls: all bad", odd={"bad": 100}),
    AskCourse("calls: all without packets", odd={"sent": 0, "bad": 0, "marks": 0}),
    AskCourse("calls: each of length 0", odd={"start_ps": 0, "end_ps": 0}),
    AskCourse("calls: quality not seen", odd={"bad": -1}),
    AskCourse("calls: a price of 0", price_micro=0),
    AskCourse("calls: the highest price", price_micro=DEAREST_MICRO // 61),
    AskCourse("calls: marks cost nothing", mark_price=0.0),
    AskCourse("calls: marks cost most", mark_price=float(DEAREST_MICRO)),
    AskCourse("calls: all at the same time", apart_s=0.0),
    AskCourse("calls: a day apart", apart_s=86_400.0),
    AskCourse("calls: debts", balance_micro=-HUGE),
)


def ask_of(course: AskCourse, number: int) -> CallAsk:
    """Return the call with this number in a course."""
    t_ps = round(course.apart_s * number * PS_PER_S)
    offers = tuple(
        CallOffer(f"gsp-{k}", k, CallTariff((k + 1) * course.price_micro, 15 * 10**9, 0.01, 50_000))
        for k in range(course.offers)
    )
    return CallAsk(t_ps, number % 5, offers, course.mark_price)


def heard(course: AskCourse, number: int, draws: np.random.Generator) -> EndedCalls:
    """Return the calls that end just before the call with this number."""
    count = course.ended
    if not count or not number:
        return NO_CALLS
    end_ps = np.full(count, round(course.apart_s * number * PS_PER_S), dtype=np.int64)
    sent = draws.integers(1, 2000, count)
    columns: dict[str, Any] = {
        "flow": draws.integers(0, 5, count),
        "tariff": draws.integers(BEST_EFFORT, course.offers, count),
        "start_ps": np.maximum(end_ps - draws.integers(0, 600, count) * PS_PER_S, 0),
        "end_ps": end_ps,
        "sent": sent,
        "marks": sent // 20,
        "bad": sent // draws.integers(20, 500, count),
        "reimbursed": np.zeros(count, dtype=np.bool_),
        "charge_micro": np.full(count, 50_000, dtype=np.int64),
        "reimbursement_micro": np.zeros(count, dtype=np.int64),
    }
    for name, value in course.odd.items():
        columns[name] = np.full(count, value, dtype=np.int64)
    return EndedCalls(**columns)
