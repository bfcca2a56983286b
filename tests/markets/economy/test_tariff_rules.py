# SPDX-License-Identifier: Apache-2.0
"""Rules that hold for every kind of tariff, and those for a user's own tariff."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecnomy.agents.errors import LedgerError, TariffError
from ecnomy.markets.economy.tariff_accruers import ACCRUERS, MenuAccruer, accruer
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.terms.tariffs import (
    Block,
    Blocks,
    Flat,
    Limit,
    Menu,
    Own,
    Period,
    PerUnit,
    Posted,
    Tariff,
    TimeOfDay,
    TwoPart,
)
from ecnomy.markets.terms.unit_price import Price

HOUR = 3600 * 10**12


def ints(*values: int) -> Any:
    """An int64 column."""
    return np.array(values, dtype=np.int64)


KINDS: dict[str, tuple[Tariff, str]] = {
    "per-unit": (PerUnit(price=Price(333_333, 10**6, "byte")), "byte"),
    "posted": (Posted(per="MB"), "byte"),
    "flat": (Flat(price=Price(333_333, 60 * 10**12, "ps")), "byte"),
    "flat on a meter of time": (Flat(price=Price(333_333, 60 * 10**12, "ps")), "ps"),
    "two-part": (
        TwoPart(fee=Price(7, HOUR, "ps"), price=Price(333_333, 10**6, "byte")),
        "byte",
    ),
    "time-of-day": (
        TimeOfDay(
            day=7,
            periods=(Period(begin=2, end=5, price=Price(1, 3, "ps")),),
            price=Price(2, 7, "ps"),
        ),
        "ps",
    ),
    "blocks": (
        Blocks(
            blocks=(
                Block(up_to=Limit(10**6, "byte"), price=Price(1, 1000, "byte")),
                Block(price=Price(5, 1000, "byte")),
            )
        ),
        "byte",
    ),
    "menu": (Menu(choices={"own": PerUnit(price=Price(333_333, 10**6, "byte"))}), "byte"),
}


def test_every_kind_is_held_to_the_common_rules() -> None:
    """The table above has all kinds of tariffs, except custom ones."""
    assert {type(tariff) for tariff, _ in KINDS.values()} == set(ACCRUERS) - {Own}


@pytest.mark.parametrize("kind", KINDS)
@given(cuts=st.lists(st.integers(0, 10**13), min_size=1, max_size=9))
def test_charges_do_not_depend_on_the_epochs(kind: str, cuts: list[int]) -> None:
    """If metering is proportional to time, charges of slices add up to the charge of the whole."""
    tariff, unit = KINDS[kind]
    whole, cut, t_ps, paid = accruer(tariff, 1, unit), accruer(tariff, 1, unit), 0, 0
    for long_ps in cuts:
        paid += int(cut.due(t_ps, t_ps + long_ps, ints(long_ps), 12_345)[0])
        t_ps += long_ps
    at_once = int(whole.due(0, t_ps, ints(t_ps), 12_345)[0])
    assert paid == at_once
    assert at_once > 0 or t_ps < 10**12


@pytest.mark.parametrize("kind", KINDS)
def test_a_meter_that_runs_backwards_is_refused(kind: str) -> None:
    """The refusal is `negative-amount`; a flat rate checks only the time."""
    tariff, unit = KINDS[kind]
    backwards = () if kind == "flat" else ((ints(5, -1), ints(0, 0)),)
    by_time = (*backwards, (ints(0, 0), ints(5, -1))) if kind in ("flat", "two-part") else backwards
    assert by_time
    for quantity, active in by_time:
        with pytest.raises(LedgerError, match="negative-amount"):
            accruer(tariff, 2, unit).due(0, 10, quantity, 1, active)


@pytest.mark.parametrize("kind", KINDS)
def test_no_rows_owe_nothing(kind: str) -> None:
    """A contract without rows owes nothing."""
    tariff, unit = KINDS[kind]
    assert accruer(tariff, 0, unit).due(0, 10, ints(), 1).tolist() == []


@pytest.mark.parametrize("posted", [-1, ints(3, -1)])
def test_a_posted_price_below_zero_is_refused(posted: Any) -> None:
    """A price below 0 is refused for all rows and for a single one."""
    with pytest.raises(LedgerError, match="negative-amount"):
        accruer(Posted(), 2, "mark").due(0, 1, ints(1, 1), posted)


def test_a_posted_price_of_each_row() -> None:
    """Each row is charged at the price that its seller has posted."""
    assert accruer(Posted(), 2, "mark").due(0, 1, ints(3, 5), ints(10, 7)).tolist() == [30, 35]


def test_a_period_holds_from_its_first_picosecond() -> None:
    """Periods are [from, to): a quantity has the price at the moment of its metering."""
    tariff = TimeOfDay(
        day=10,
        periods=(Period(begin=8, end=2, price=Price(1, 1, "mark")),),
        price=Price(100, 1, "mark"),
    )
    charged = accruer(tariff, 1, "mark")
    paid = [int(charged.due(t, t, ints(1), 0)[0]) for t in (0, 1, 2, 7, 8, 9, 10)]
    assert paid == [1, 1, 100, 100, 1, 1, 1]


@pytest.mark.parametrize(
    ("offset", "from_ps", "to_ps", "within"),
    [
        (0, 0, 30, 12),
        (0, 5, 38, 12),
        (0, 5, 39, 13),
        (3, 0, 20, 8),
        (27, 1, 34, 15),
        (3, 95, 96, 1),
    ],
)
def test_an_epoch_of_several_days(offset: int, from_ps: int, to_ps: int, within: int) -> None:
    """Marks from 8 to 2 o'clock of a day of 10 cost 1, and the others 100, one per ps."""
    tariff = TimeOfDay(
        day=10,
        offset=offset,
        periods=(Period(begin=8, end=2, price=Price(1, 1, "mark")),),
        price=Price(100, 1, "mark"),
    )
    count = to_ps - from_ps
    due = accruer(tariff, 1, "mark").due(from_ps, to_ps, ints(count), 0)
    assert due.tolist() == [within + 100 * (count - within)]


def day_of(*spans: tuple[int, int], elsewhere: bool = False) -> TimeOfDay:
    """A day of 100 with these periods, and perhaps a price for the rest of it."""
    price = Price(1, 1, "mark")
    periods = tuple(Period(begin=begin, end=end, price=price) for begin, end in spans)
    return TimeOfDay(day=100, periods=periods, price=price if elsewhere else None)


@pytest.mark.parametrize(
    ("spans", "elsewhere", "refused"),
    [
        (((0, 100),), False, ""),
        (((0, 40), (40, 100)), False, ""),
        (((60, 20), (20, 60)), False, ""),
        (((99, 1),), True, ""),
        (((0, 40), (50, 100)), True, ""),
        ((), True, "periods"),
        (((0, 99),), False, "price"),
        (((1, 40), (40, 100)), False, "price"),
        (((0, 40), (39, 100)), False, "periods[1]"),
        (((60, 20), (19, 60)), False, "periods[1]"),
        (((50, 60), (99, 51)), True, "periods[0]"),
        (((100, 50),), True, "periods[0].from"),
        (((0, 10), (50, 101)), True, "periods[1].to"),
        (((0, 10), (50, 50)), True, "periods[1].to"),
    ],
)
def test_periods_fit_into_the_day(
    spans: tuple[tuple[int, int], ...], elsewhere: bool, refused: str
) -> None:
    """Periods must not overlap; if they cover the day, no other price is needed."""
    if not refused:
        assert len(day_of(*spans, elsewhere=elsewhere).periods) == len(spans)
        return
    with pytest.raises(Misfit) as caught:
        day_of(*spans, elsewhere=elsewhere)
    assert caught.value.key == refused


def test_odd_marks_of_an_epoch_over_a_boundary() -> None:
    """Of five marks in 4 ps, of which the first costs 10, one costs 10 and four cost 1000."""
    tariff = TimeOfDay(
        day=100,
        periods=(Period(begin=0, end=11, price=Price(10, 1, "mark")),),
        price=Price(1000, 1, "mark"),
    )
    assert accruer(tariff, 1, "mark").due(10, 14, ints(5), 0).tolist() == [4010]


def test_prices_without_a_common_fraction_are_refused() -> None:
    """Prices per two primes whose product is beyond int64 are refused."""
    tariff = TwoPart(fee=Price(1, 2**31 - 1, "ps"), price=Price(1, 2**61 - 1, "byte"))
    with pytest.raises(LedgerError, match="overflow"):
        accruer(tariff, 1, "byte")


@pytest.mark.parametrize("bad", [(-1, 1, "byte"), (10**12 + 1, 1, "byte"), (1, 0, "byte")])
def test_a_price_out_of_range_is_refused(bad: tuple[int, int, str]) -> None:
    """A price for a unit that no meter counts is refused too."""
    with pytest.raises(ValueError, match="a price"):
        Price(*bad)
    with pytest.raises(ValueError, match="expected at least one unit, such as"):
        Price(1, 1, "apple")


def test_a_tariff_of_a_users_own() -> None:
    """A custom tariff rounds each row's bytes up to megabytes, over any epochs."""
    charged = accruer(Own(path="lab_tariffs:StartedMegabytes", params={"price": 0.5}), 2, "byte")
    paid = [charged.due(t, t + 1, ints(600_000, 10**6), 0).tolist() for t in range(3)]
    assert paid == [[500_000, 500_000], [500_000, 500_000], [0, 500_000]]


def test_a_users_tariff_gets_the_active_time_of_rows() -> None:
    """Without `active_ps` the whole epoch counts; in a menu, only rows that chose the tariff."""
    active = Own(path="lab_tariffs:Active")
    assert accruer(active, 2, "mark").due(0, 3 * 10**12, ints(0, 0), 0).tolist() == [3, 3]
    menu = MenuAccruer(Menu(choices={"posted": Posted(), "active": active}), 2, "mark")
    menu.choose(ints(1), 1)
    assert menu.due(0, 3 * 10**12, ints(4, 4), 10).tolist() == [40, 3]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("list", "returned no array"),
        ("float", "returned float64 numbers"),
        ("length", r"returned an array of shape \(3,\)"),
        ("negative", "returned -3, expected 2 integers"),
        ("huge", "returned 4611686018427387904"),
        ("crash", r"failed: KeyError: 'crash' \(.*lab_tariffs.py:\d+\)"),
    ],
)
def test_a_users_tariff_is_held_to_what_can_be_booked(fault: str, message: str) -> None:
    """The error is one line that names the class and its fault."""
    charged = accruer(Own(path="lab_tariffs:Faulty", params={"fault": fault}), 2, "byte")
    with pytest.raises(TariffError, match=f"lab_tariffs:Faulty.*{message}"):
        charged.due(0, 1, ints(1, 1), 0)


# The rules tested above for one row hold for ten thousand rows.


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "menu"])
def test_many_rows_are_as_one_each(kind: str) -> None:
    """Columns of 200 rows are charged like 200 accruers of one row."""
    tariff, unit = KINDS[kind]
    draw: Callable[..., Any] = np.random.default_rng(7).integers
    together, alone = accruer(tariff, 200, unit), [accruer(tariff, 1, unit) for _ in range(200)]
    for step in range(5):
        quantity, active = draw(0, 2**40, 200), draw(0, 10**12, 200)
        span = (step * 10**12, (step + 1) * 10**12)
        due = together.due(*span, quantity, 99, active)
        each = [
            int(one.due(*span, quantity[i : i + 1], 99, active[i : i + 1])[0])
            for i, one in enumerate(alone)
        ]
        assert due.tolist() == each
