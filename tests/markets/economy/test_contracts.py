# SPDX-License-Identifier: Apache-2.0
"""Fees and mark charges against exact arithmetic in Python integers."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from ecnomy.agents.errors import LedgerError
from ecnomy.agents.money import DEAREST_MICRO
from ecnomy.markets.economy.charges import ClassFeeCharge, MarkCharge

PS = 10**12


def ints(*values: int) -> np.ndarray:
    """An int64 column."""
    return np.array(values, dtype=np.int64)


def total(fee: int, start: int, stop: int, times: list[int]) -> tuple[int, int]:
    """Amount and active time over these report times, from 0."""
    fees, amount, active, last = ClassFeeCharge(ints(start), ints(stop)), 0, 0, 0
    for t in times:
        due, active_ps = fees.accrue(last, t, ints(fee))
        amount, active, last = amount + int(due[0]), active + int(active_ps[0]), t
    return amount, active


def test_odd_fee_over_odd_epochs_is_exact() -> None:
    """At 333,333 micro-units/s and 0.1 s epochs, the sum is the floor of the product."""
    fees, paid = ClassFeeCharge(ints(0), ints(100 * PS)), 0
    for step in range(1, 301):
        t_ps = step * PS // 10
        due, _ = fees.accrue(t_ps - PS // 10, t_ps, ints(333_333))
        paid += int(due[0])
        assert paid == 333_333 * t_ps // PS


@given(
    fee=st.integers(0, DEAREST_MICRO),
    start=st.integers(0, 10**14),
    length=st.integers(0, 10**14),
    times=st.lists(st.integers(1, 3 * 10**14), min_size=1, max_size=8, unique=True),
)
def test_fee_is_the_floor_of_fee_times_active_time(
    fee: int, start: int, length: int, times: list[int]
) -> None:
    """For any fee, start, stop and epochs, the sum is exact to the micro-unit."""
    times.sort()
    active = max(0, min(times[-1], start + length) - start)
    assert total(fee, start, start + length, times) == (fee * active // PS, active)


@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(1, 10**13)), min_size=1, max_size=9))
def test_fraction_is_carried_when_the_fee_changes(spans: list[tuple[int, int]]) -> None:
    """The total over several fees is the floor of the exact sum."""
    fees, paid, exact, t_ps = ClassFeeCharge(ints(0), ints(2**62)), 0, 0, 0
    for fee, span in spans:
        due, _ = fees.accrue(t_ps, t_ps + span, ints(fee))
        paid, exact, t_ps = paid + int(due[0]), exact + fee * span, t_ps + span
    assert paid == exact // PS


def test_fee_above_the_limit_is_refused() -> None:
    """Beyond 10^12 micro-units a second the division would leave int64."""
    with pytest.raises(LedgerError, match="overflow"):
        ClassFeeCharge(ints(0), ints(PS)).accrue(0, PS, ints(DEAREST_MICRO + 1))


@pytest.mark.parametrize(("per", "amounts"), [("mark", [30, 0]), ("byte", [30_000, 0])])
def test_charge_per_mark_or_per_marked_byte(per: str, amounts: list[int]) -> None:
    """A price of 10 per mark or marked byte is charged for 3 marks of 1,000 bytes."""
    amount, quantity = MarkCharge(per).due(10, ints(3, 0), ints(3000, 0))
    assert amount.tolist() == amounts
    assert (quantity * 10).tolist() == amounts


def test_charge_beyond_int64_is_refused() -> None:
    """The amount never wraps around."""
    with pytest.raises(LedgerError, match="overflow"):
        MarkCharge().due(10**12, ints(10**7), ints(0))
