# SPDX-License-Identifier: Apache-2.0
"""Charges by time that users know in advance: class fees and tariffs, by hand and against bills."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.economy.standing_charges import StandingCharges, standing_rate
from ecnomy.markets.terms.tariffs import (
    Block,
    Blocks,
    Flat,
    Limit,
    Menu,
    Period,
    PerUnit,
    Posted,
    Tariff,
    TimeOfDay,
    TwoPart,
)
from ecnomy.markets.terms.unit_price import Price

HOUR_PS = 3600 * PS_PER_S
PER_S, PER_MINUTE = Price(7, PS_PER_S, "ps"), Price(90_000_000, 60 * PS_PER_S, "ps")
PER_BYTE = Price(3, 1, "byte")
DAY = TimeOfDay(
    day=HOUR_PS, periods=(Period(begin=0, end=HOUR_PS // 2, price=PER_MINUTE),), price=PER_S
)


@pytest.mark.parametrize(
    ("tariff", "meter", "rates"),
    [
        (Flat(price=PER_MINUTE), "bytes", (1_500_000, 1_500_000)),
        (Flat(price=PER_MINUTE), "time", (1_500_000, 1_500_000)),
        (Flat(price=PER_MINUTE), "weight", (0, 0)),
        (PerUnit(price=PER_S), "time", (7, 7)),
        (PerUnit(price=PER_BYTE), "bytes", (0, 0)),
        (TwoPart(fee=PER_MINUTE, price=PER_BYTE), "bytes", (1_500_000, 1_500_000)),
        (TwoPart(fee=PER_MINUTE, price=PER_S), "time", (1_500_007, 1_500_007)),
        (TwoPart(fee=PER_MINUTE, price=PER_S), "weight", (1_500_000, 1_500_000)),
        (DAY, "time", (1_500_000, 7)),
        (DAY, "weight", (0, 0)),
        (Posted(), "marks", (0, 0)),
        (
            Blocks(blocks=(Block(price=PER_S, up_to=Limit(9, "ps")), Block(price=PER_MINUTE))),
            "time",
            (0, 0),
        ),
    ],
)
def test_the_charge_of_a_second_is_posted(
    tariff: Tariff, meter: str, rates: tuple[int, int]
) -> None:
    """In the first and in the second half of the second day; without use and weight."""
    at = (HOUR_PS, HOUR_PS + HOUR_PS // 2)
    assert tuple(standing_rate(tariff, meter, t_ps) for t_ps in at) == rates


def contract(tariff: Tariff, rows: list[int], choice: list[int] | None = None) -> Any:
    """A contract on time for these rows, whose users picked these choices of a menu."""
    menu = None if choice is None else SimpleNamespace(choice=np.array(choice))
    return SimpleNamespace(tariff=tariff, meter="time", rows=np.array(rows), menu=menu)


def parties(fees: tuple[float, ...]) -> Any:
    """Three flows, and classes with these fees [micro-units/s]."""
    columns = np.array([*fees, 0.0])
    return SimpleNamespace(users=np.zeros(3), offers=fees, fees=lambda offer: columns[offer])


def test_fees_and_contracts_of_a_flow_add_up() -> None:
    """Flow 0 is in a class; flows 1 and 2 have picked from a menu, flow 2 also pays by the hour."""
    menu = Menu(choices={"cheap": PerUnit(price=PER_S), "dear": Flat(price=PER_MINUTE)})
    sold = [contract(menu, [1, 2], [0, 1]), contract(DAY, [2])]
    posted = StandingCharges(parties((11.0, 13.0)), sold)
    assert posted.at(0, np.array([1, -1, -1])).tolist() == [13.0, 7.0, 3_000_000.0]
    assert posted.at(HOUR_PS // 2, np.array([0, -1, -1])).tolist() == [11.0, 7.0, 1_500_007.0]
    by_use = contract(PerUnit(price=PER_BYTE), [0, 1, 2])
    by_use.meter = "bytes"
    assert StandingCharges(parties(()), [by_use]).at(0, np.full(3, -1)).tolist() == [0.0] * 3
