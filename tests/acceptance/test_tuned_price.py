# SPDX-License-Identifier: Apache-2.0
"""A newcomer's questions with the answers of configs/README.md, on runs of shipped sweeps.

What price maximises the carrier's income? Customers with U = a sqrt(x / x0) buy x0 (a / 2 q x0)^2
packets at a price q of one. On links that mark one packet in ten at any load, q is the
price of a mark times 0.19, and a packet costs the carrier c = 0.0018 money. (q - c) x is highest at
q = 2 c (Lerner 1934). Which three parameters matter?
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import pytest

from ecnomy.analysis.sensitivity import sensitivity_of
from ecnomy.analysis.tune import TuningAnswer, tuned
from ecnomy.markets.sweep.config import load_sweep
from sweep_world import Here, Watcher, go
from tiers import full

SWEEPS = Path(__file__).parents[2] / "configs" / "sweeps"
MARKED, OWED = 1 - 0.9 * 0.9, 0.9 * 0.1 * 0.02  # share of packets; money per packet
USERS, AMOUNT, X0_PPS = 2, 1.25, 125.0
BEST = 2 * OWED / MARKED  # money per mark


def left_at(price: float) -> float:
    """The carrier's theoretical profit at a price of a mark [money/s]."""
    packet = price * MARKED
    return (packet - OWED) * USERS * X0_PPS * (AMOUNT / (2 * packet * X0_PPS)) ** 2


@functools.cache
def answer() -> TuningAnswer:
    """The answer of the file's quick form."""
    sweep = load_sweep(SWEEPS / "best-price.yaml", quick=True)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        return tuned(sweep, out, Here(), lambda total, missing: Watcher())


@full
def test_tune_finds_the_price_of_the_closed_form() -> None:
    """Noisy runs in a sixfold range find a price near 0.01895, with at most 2 % lost by theory."""
    [price], [(low, high)] = answer().values, answer().same
    print(f"price {price}, as good {low} to {high}, closed form {BEST:.5f}", answer().outcome)
    assert answer().verdict == "found"
    assert left_at(price) > 0.98 * left_at(BEST)
    assert price == pytest.approx(BEST, rel=0.15)
    assert low <= BEST <= high


@full
def test_the_income_there_is_that_of_the_closed_form() -> None:
    """Income agrees within 5 % with new seeds, and half and twice the price are worse."""
    assert answer().outcome.mean == pytest.approx(left_at(BEST), rel=0.05)
    for each in answer().tried:
        if not 0.6 < each.values[0] / BEST < 1.7:
            assert not each.same and each.mean < 0.97 * left_at(BEST)


@full
def test_three_parameters_that_matter(tmp_path: Path) -> None:
    """In three lines of Python, price and fee decide gold's marks, and the threshold hardly."""
    file = SWEEPS / "morris.yaml"
    go(load_sweep(file, quick=True), tmp_path / "out")
    frame = sensitivity_of(tmp_path / "out", "gold.marks_per_s")
    three = list(frame["parameter"].head(3))
    assert set(three[:2]) == {"market.price_per_mark", "market.agents.shop.classes.gold.fee"}
    assert frame["matters"].head(2).all()
    assert frame["mu_star"].iloc[2] < 0.1 * frame["mu_star"].iloc[1]
    assert frame.attrs["noise"] < 0.05
