# SPDX-License-Identifier: Apache-2.0
"""The exact amount that a row owes under a tariff, by the documentation, not the code."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ecnomy.markets.inputs.units import PER
from ecnomy.markets.terms.tariffs import Blocks, Flat, PerUnit, Posted, Simple, TimeOfDay, TwoPart
from ecnomy.markets.terms.unit_price import Price

__all__ = ["Epoch", "bills"]


class Epoch(NamedTuple):
    """One epoch of a row: its length, the metered quantity, the posted price, the active time."""

    long_ps: int
    quantity: int
    posted: int
    active_ps: int


def exact(paid: Price) -> Fraction:
    """The exact micro-units for one unit."""
    return Fraction(paid.micro, paid.per)


def owes(tariff: Simple, epoch: Epoch, from_ps: int) -> Fraction:
    """The exact amount of one epoch, for tariffs that do not depend on earlier epochs."""
    if isinstance(tariff, PerUnit):
        return exact(tariff.price) * epoch.quantity
    if isinstance(tariff, Posted):
        return Fraction(epoch.posted * epoch.quantity, PER[tariff.per][1])
    if isinstance(tariff, Flat):
        return exact(tariff.price) * epoch.active_ps
    if isinstance(tariff, TwoPart):
        return exact(tariff.fee) * epoch.active_ps + exact(tariff.price) * epoch.quantity
    assert isinstance(tariff, TimeOfDay)
    return owed_by_the_clock(tariff, epoch, from_ps)


def owed_by_the_clock(tariff: TimeOfDay, epoch: Epoch, from_ps: int) -> Fraction:
    """Walks through the epoch from boundary to boundary, then splits the quantity."""
    bounds = {0, *(p.begin for p in tariff.periods), *(p.end for p in tariff.periods)}
    clocks = sorted(bound % tariff.day for bound in bounds)
    times = [0] * (len(tariff.periods) + 1)
    t_ps, end = from_ps, from_ps + epoch.long_ps
    while t_ps < end:
        clock = (t_ps + tariff.offset) % tariff.day
        step = min([c for c in clocks if c > clock] or [tariff.day]) - clock
        step = min(step, end - t_ps)
        times[number_at(tariff, clock)] += step
        t_ps += step
    ends = [
        math.floor(Fraction(epoch.quantity * sum(times[:k]), epoch.long_ps))
        for k in range(len(times) + 1)
    ]
    prices = [p.price for p in tariff.periods] + [tariff.price or tariff.periods[0].price]
    return sum(
        (exact(prices[k]) * (ends[k + 1] - ends[k]) for k in range(len(times))), start=Fraction(0)
    )


def number_at(tariff: TimeOfDay, clock: int) -> int:
    """The index of the period in force at a time of the day, or the number of periods."""
    for number, period in enumerate(tariff.periods):
        if period.begin < period.end:
            if period.begin <= clock < period.end:
                return number
        elif clock >= period.begin or clock < period.end:
            return number
    return len(tariff.periods)


def owed_in_blocks(tariff: Blocks, quantity: int) -> int:
    """Return the whole micro-units owed for a quantity, from the first unit on."""
    bill, low = Fraction(0), 0
    for block in tariff.blocks:
        high = block.up_to.count if block.up_to else quantity
        bill += exact(block.price) * max(0, min(quantity, high) - low)
        low = high
    whole = math.floor(bill)
    return whole if tariff.cap_micro is None else min(whole, tariff.cap_micro)


def bills(tariff: Simple, epochs: list[Epoch]) -> list[int]:
    """The total charged to a row by the end of each epoch."""
    if isinstance(tariff, Blocks):
        totals = np.cumsum([e.quantity for e in epochs], dtype=object)
        return [owed_in_blocks(tariff, int(total)) for total in totals]
    sums, so_far, t_ps = [], Fraction(0), 0
    for epoch in epochs:
        so_far += owes(tariff, epoch, t_ps)
        t_ps += epoch.long_ps
        sums.append(math.floor(so_far))
    return sums
