# SPDX-License-Identifier: Apache-2.0
"""Charges of each tariff against exact arithmetic in fractions, over any epochs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ecnomy.agents.errors import LedgerError
from ecnomy.markets.economy.exact_charges import MOST_DENOMINATOR, Exact, share
from ecnomy.markets.economy.tariff_accruers import MenuAccruer, accruer
from ecnomy.markets.inputs.units import PER
from ecnomy.markets.terms.tariffs import (
    Block,
    Blocks,
    Flat,
    Limit,
    Menu,
    Period,
    PerUnit,
    Posted,
    Simple,
    TimeOfDay,
    TwoPart,
)
from ecnomy.markets.terms.unit_price import Price
from oracle_tariffs import Epoch, bills

LARGEST = 2**62
HOUR = 3600 * 10**12


def ints(*values: int) -> Any:
    """An int64 column."""
    return np.array(values, dtype=np.int64)


@st.composite
def epochs(draw: st.DrawFn, longest: int = 40 * HOUR) -> list[Epoch]:
    """Up to eight epochs one after the other; quantities up to 2^40, small ones more often."""
    made = []
    for _ in range(draw(st.integers(1, 8))):
        long_ps = draw(st.one_of(st.integers(1, longest), st.integers(1, min(longest, 10**12))))
        quantity = draw(st.one_of(st.integers(0, 2**40), st.integers(0, 100)))
        posted = draw(st.one_of(st.integers(0, 10**12), st.integers(0, 10**4)))
        made.append(Epoch(long_ps, quantity, posted, draw(st.integers(0, long_ps))))
    return made


def micro() -> st.SearchStrategy[int]:
    """Micro-units of a price, from 0 to the highest."""
    return st.one_of(st.integers(0, 10**12), st.integers(0, 10**7), st.just(10**12))


def pers(unit: str) -> list[int]:
    """The numbers of units that a price may be for."""
    return [count for of, count in PER.values() if of == unit]


def price(unit: str) -> st.SearchStrategy[Price]:
    """A price as YAML gives it."""
    return st.builds(Price, micro(), st.sampled_from(pers(unit)), st.just(unit))


UNITS = st.sampled_from(["ps", "byte", "mark"])


def check(tariff: Simple, unit: str, history: list[Epoch]) -> None:
    """Charges of a row among idle ones are increments of its exact bill, or are refused."""
    charged, t_ps, before = accruer(tariff, 3, unit), 0, 0
    for epoch, bill in zip(history, bills(tariff, history), strict=True):
        quantity, active = ints(0, epoch.quantity, 0), ints(0, epoch.active_ps, 0)
        to_ps = t_ps + epoch.long_ps
        if bill - before >= LARGEST:
            with pytest.raises(LedgerError, match="overflow"):
                charged.due(t_ps, to_ps, quantity, epoch.posted, active)
            return
        due = charged.due(t_ps, to_ps, quantity, epoch.posted, active)
        assert due.dtype == np.int64
        assert due.tolist() == [0, bill - before, 0]
        t_ps, before = to_ps, bill


@given(UNITS.flatmap(price), epochs())
def test_per_unit_is_the_floor_of_the_product(paid: Price, history: list[Epoch]) -> None:
    """At a constant price for ps, bytes or marks, the charge is the floor of the product."""
    check(PerUnit(price=paid), paid.unit, history)


@given(micro(), st.integers(1, MOST_DENOMINATOR), epochs())
def test_per_unit_for_any_number_of_units(count: int, per: int, history: list[Epoch]) -> None:
    """A price made in Python may be for any number of metered units."""
    check(PerUnit(price=Price(count, per, "byte")), "byte", history)


@given(st.sampled_from(sorted(PER)), epochs())
def test_posted_carries_the_fraction_over_changes_of_price(per: str, history: list[Epoch]) -> None:
    """The price changes each epoch and may be for any number of units."""
    check(Posted(per=per), PER[per][0], history)


@given(price("ps"), epochs())
def test_flat_is_the_floor_of_price_times_time(paid: Price, history: list[Epoch]) -> None:
    """Only time under the tariff counts, not the meter's bytes."""
    check(Flat(price=paid), "byte", history)


@given(price("ps"), UNITS.flatmap(price), epochs())
def test_two_part_is_one_bill(fee: Price, paid: Price, history: list[Epoch]) -> None:
    """The charge is the floor of the sum of fee and price."""
    check(TwoPart(fee=fee, price=paid), paid.unit, history)


@st.composite
def times_of_day(draw: st.DrawFn, units: st.SearchStrategy[str] = UNITS) -> tuple[TimeOfDay, str]:
    """Up to five periods in a day of any length, with or without gaps. Some cross midnight."""
    unit, day = draw(units), draw(st.one_of(st.just(24 * HOUR), st.integers(8, 30 * HOUR)))
    cuts = sorted(draw(st.sets(st.integers(0, day - 1), min_size=2, max_size=5)))
    paid = price(unit)
    periods = [
        Period(begin=low, end=high, price=draw(paid))
        for low, high in pairwise(cuts)
        if draw(st.booleans())
    ]
    if cuts[0] > 0 and draw(st.booleans()):
        periods.append(Period(begin=cuts[-1], end=cuts[0], price=draw(paid)))
    periods = periods or [Period(begin=cuts[0], end=cuts[1], price=draw(paid))]
    offset = draw(st.integers(0, 2 * day))
    elsewhere = draw(paid)
    return TimeOfDay(day=day, offset=offset, periods=tuple(periods), price=elsewhere), unit


@given(times_of_day(), st.data())
def test_time_of_day_splits_in_proportion_to_time(
    made: tuple[TimeOfDay, str], data: st.DataObject
) -> None:
    """Charges of epochs of any length agree with a walk along the clock."""
    tariff, unit = made
    check(tariff, unit, data.draw(epochs(3 * tariff.day)))


@given(times_of_day(st.just("ps")), st.lists(st.integers(1, 40 * HOUR), min_size=1, max_size=9))
def test_time_by_the_clock_is_exact_however_it_is_cut(
    made: tuple[TimeOfDay, str], cuts: list[int]
) -> None:
    """If time is metered, charges of epochs add up to the charge for the whole time."""
    tariff = made[0]
    whole, cut, t_ps, paid = accruer(tariff, 1, "ps"), accruer(tariff, 1, "ps"), 0, 0
    try:
        for long_ps in cuts:
            paid += int(cut.due(t_ps, t_ps + long_ps, ints(long_ps), 0)[0])
            t_ps += long_ps
        assert paid == int(whole.due(0, t_ps, ints(t_ps), 0)[0])
    except LedgerError as refused:
        assert refused.name == "overflow"


@st.composite
def blocks(draw: st.DrawFn) -> tuple[Blocks, str]:
    """Up to four blocks, with a cap or without."""
    unit = draw(st.sampled_from(["byte", "mark"]))
    ends = sorted(draw(st.sets(st.integers(1, 2**41), max_size=3)))
    limits = [Limit(end, unit) for end in ends]
    made = tuple(Block(up_to=up_to, price=draw(price(unit))) for up_to in [*limits, None])
    cap = draw(st.one_of(st.none(), st.integers(1, 10**9), st.integers(1, 10**18)))
    return Blocks(blocks=made, cap_micro=cap), unit


@given(blocks(), epochs())
def test_blocks_and_a_cap_are_exact(made: tuple[Blocks, str], history: list[Epoch]) -> None:
    """The charge is the bill for the quantity so far, at most the cap."""
    check(*made, history)


def test_a_cap_is_reached_exactly_and_holds() -> None:
    """At 0.3 money per mark up to 1 money, the fourth mark costs the rest and the fifth 0."""
    tariff = Blocks(blocks=(Block(price=Price(300_000, 1, "mark")),), cap_micro=10**6)
    charged = accruer(tariff, 2, "mark")
    paid = [charged.due(t, t + 1, ints(1, 2**61 * (t == 0)), 0).tolist() for t in range(5)]
    assert paid == [[300_000, 10**6], [300_000, 0], [300_000, 0], [100_000, 0], [0, 0]]


@given(epochs(), st.data())
def test_a_menu_keeps_the_bill_of_each_choice(history: list[Epoch], data: st.DataObject) -> None:
    """Each choice has charged the floor for the epochs in which it was the row's."""
    choices: dict[str, Simple] = {
        "flat": Flat(price=data.draw(price("ps"))),
        "paid": PerUnit(price=data.draw(price("byte"))),
        "block": data.draw(blocks().map(lambda made: made[0])),
        "posted": Posted(per="GB"),
    }
    menu = accruer(Menu(choices=choices), 2, "byte")
    assert isinstance(menu, MenuAccruer)
    picks = [data.draw(st.integers(0, 3)) for _ in history]
    idle = [e._replace(quantity=0, active_ps=0) for e in history]
    each = []
    for number, tariff in enumerate(choices.values()):
        of = [e if pick == number else i for e, i, pick in zip(history, idle, picks, strict=True)]
        each.append(bills(tariff, of))
    assume(max(max(bill) for bill in each) < LARGEST)
    t_ps, before = 0, 0
    for number, (epoch, pick) in enumerate(zip(history, picks, strict=True)):
        menu.choose(ints(1), pick)
        quantity, active = ints(0, epoch.quantity), ints(0, epoch.active_ps)
        due = menu.due(t_ps, t_ps + epoch.long_ps, quantity, epoch.posted, active)
        total = sum(bill[number] for bill in each)
        assert due.tolist() == [0, total - before]
        t_ps, before = t_ps + epoch.long_ps, total


def test_a_menu_refuses_a_choice_that_is_not_on_it() -> None:
    """The error names the choice, and the previous choice stays."""
    menu = MenuAccruer(Menu(choices={"a": Posted(), "b": Posted()}), 2, "mark")
    menu.choose(ints(0), 1)
    for wrong in (2, -1):
        with pytest.raises(LedgerError, match="unknown-choice"):
            menu.choose(ints(1), wrong)
    assert menu.choice.tolist() == [1, 0]


@given(
    st.integers(1, MOST_DENOMINATOR),
    st.lists(st.tuples(st.integers(0, 2**62), st.integers(0, 2**62)), min_size=1, max_size=5),
)
def test_every_row_has_its_price_and_its_fraction(per: int, rows: list[tuple[int, int]]) -> None:
    """Any prices and quantities in int64 give the charges of Python's integers, or a refusal."""
    charged = Exact(len(rows), [Price(1, per, "byte")])
    products = [many * each for many, each in rows]
    quantity, posted = ints(*(r[0] for r in rows)), ints(*(r[1] for r in rows))
    before = [0] * len(rows)
    for times in (1, 2):
        after = [times * product // per for product in products]
        wanted = [b - a for a, b in zip(before, after, strict=True)]
        if max(wanted) >= LARGEST:
            with pytest.raises(LedgerError, match="overflow"):
                charged.due(quantity, posted)
            return
        assert charged.due(quantity, posted).tolist() == wanted
        before = after


def test_the_largest_fraction_leaves_a_radix() -> None:
    """At the largest denominator long division still works; above it a price is refused."""
    charged = Exact(1, [Price(1, MOST_DENOMINATOR, "byte")])
    many, each = 2**62, 2**59
    assert charged.due(ints(many), ints(each)).tolist() == [many * each // MOST_DENOMINATOR]
    with pytest.raises(LedgerError, match="no common denominator"):
        Exact(1, [Price(1, 2**61, "byte")])


@given(
    st.lists(st.integers(0, LARGEST - 1), max_size=4), st.integers(0, 2**62), st.integers(1, 2**62)
)
def test_a_share_is_the_floor(quantity: list[int], part: int, whole: int) -> None:
    """Shares are exact for epochs up to the longest possible."""
    part = min(part, whole)
    assert share(ints(*quantity), part, whole).tolist() == [q * part // whole for q in quantity]
