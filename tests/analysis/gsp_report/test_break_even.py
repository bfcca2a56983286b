# SPDX-License-Identifier: Apache-2.0
"""The break-even price of a provider: its interval is not below 0, and covers the truth."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from ecnomy.analysis.gsp_report.break_even import fieller_prices
from ecnomy.analysis.gsp_report.page import write_gsp_page
from guarantee_world import CALL_MICRO, write_run
from page_reader import PageReader

Array = npt.NDArray[np.float64]
WORLDS = 2000
FIVE = float(stats.t.ppf(0.975, 4))
PRICE, MARKS, FIXED = 0.15, 0.06, 0.5  # per call, its marks on average, per run or block [money]


def _not_rejected(costs: Array, kept: Array, price: float) -> bool:
    """Whether a t test of five lets mean profit at a price be 0."""
    profit = price * kept - costs
    return bool(abs(profit.mean()) <= FIVE * profit.std(ddof=1) / math.sqrt(5))


@pytest.mark.parametrize("broken", [0.1, 0.7, 0.93], ids=["few", "most", "nearly-all"])
@pytest.mark.parametrize("income", [0.0, 3.0], ids=["costs", "other-income"])
def test_the_set_is_that_of_t_tests_price_by_price(broken: float, income: float) -> None:
    """A t test accepts prices just inside the ends and rejects those just outside; all shapes."""
    rng = np.random.default_rng(5)
    shapes = set()
    for _ in range(150):
        sold = rng.poisson(20, 5)
        kept = sold - rng.binomial(sold, broken).astype(float)
        costs = FIXED - income + rng.gamma(sold, MARKS)
        low, high = fieller_prices(costs, kept, FIVE)
        tried = [x for x in (low, high) if math.isfinite(x) and x > 1e-6]
        for x in tried:
            sides = [_not_rejected(costs, kept, x * factor) for factor in (0.999, 1.001)]
            assert sides == ([False, True] if x == low else [True, False]), (low, high)
        if math.isnan(low):
            assert not any(_not_rejected(costs, kept, x) for x in (0.0, 0.1, 1.0, 10.0))
        else:
            assert (low <= 0) == _not_rejected(costs, kept, 0.0) or not tried
            assert math.isinf(high) == _not_rejected(costs, kept, 1e6)
        shapes.add((math.isnan(low), low <= 0, math.isinf(high)))
    assert len(shapes) >= (1 if broken < 0.9 and not income else 2)


def _seeds(rng: np.random.Generator, n: int, broken: float) -> tuple[Array, Array]:
    """Costs and kept calls of n runs with about forty calls each."""
    sold = rng.poisson(40, n)
    return FIXED + rng.gamma(sold, MARKS), (sold - rng.binomial(sold, broken)).astype(float)


def _blocks(rng: np.random.Generator, n: int, broken: float) -> tuple[Array, Array]:
    """Costs and kept calls of n blocks of one run; broken promises vary by block."""
    sold = rng.poisson(20, n)
    back = rng.binomial(sold, rng.beta(20 * broken, 20 * (1 - broken), n))
    return FIXED + rng.gamma(sold, MARKS), (sold - back).astype(float)


@pytest.mark.parametrize(
    ("world", "n", "calls"), [(_seeds, 8, 40), (_blocks, 20, 20)], ids=["seeds", "blocks"]
)
@pytest.mark.parametrize("broken", [0.1, 0.9])
def test_it_covers_the_price_that_leaves_nothing(
    world: Any, n: int, calls: int, broken: float
) -> None:
    """The interval covers the true price in 95 % of cases, with few or many broken promises."""
    truth = (FIXED + calls * MARKS) / (calls * (1 - broken))
    rng = np.random.default_rng(11)
    t = float(stats.t.ppf(0.975, n - 1))
    sets = [fieller_prices(*world(rng, n, broken), t) for _ in range(WORLDS)]
    covered = np.mean([low <= truth <= high for low, high in sets])
    assert 0.93 <= covered <= 0.975


def _page(folder: Path, ledger: list[Any], calls: list[Any]) -> PageReader:
    """The page on a provider that refunds the price; other postings are part of its balance."""
    received = sum(row[3] for row in ledger if row[2] == "gsp")
    paid = sum(row[3] for row in ledger if row[1] == "gsp")
    write_run(folder, ledger=ledger, calls=calls, balance_micro=received - paid)
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace("0.070001 money", "price"))
    write_gsp_page([folder], folder / "page.html", ["ecnomy"])
    return PageReader(folder / "page.html")


def _calls(kept: int, broken: int) -> tuple[list[Any], list[Any]]:
    """Ledger and calls, one per block of about 3 s; broken calls are refunded at their end."""
    ledger: list[Any] = []
    calls = []
    for i in range(kept + broken):
        start, end = 1 + 3 * i, 3 + 3 * i
        late = 0 if i < kept else 9
        ledger.append((start, "source:phones", "gsp", CALL_MICRO, "call", 0, 1))
        ledger.append((end, "gsp", "isp", 20_000, "marks", 0, 20))
        if late:
            ledger.append((end, "gsp", "source:phones", CALL_MICRO, "reimbursement", 0, 1))
        calls.append((0, start, end, 1, 1, 100, late, 20, 0))
    return ledger, calls


@pytest.mark.usefixtures("undrawn")
def test_a_page_names_no_price_below_zero(tmp_path: Path) -> None:
    """The interval of a price never goes below 0, and may have no upper bound."""
    read = _page(tmp_path, *_calls(1, 17))
    assert "breaks even at a tariff of 0.360" in read.words
    assert ", no upper bound]. Its interval is" in read.words
    assert "It has no upper bound because nearly all charges are reimbursed." in read.words
    bounds = [float(str(a.value)) for a in read.amounts if a.by == "Fieller"]
    assert len(bounds) == 2 and 0 < bounds[0] < 0.36 and math.isinf(bounds[1])


@pytest.mark.usefixtures("undrawn")
def test_a_price_of_which_nothing_is_kept_breaks_even_nowhere(tmp_path: Path) -> None:
    """If all promises are broken, no price pays for the marks."""
    assert "breaks even at no price." in _page(tmp_path, *_calls(0, 18)).words


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(("subsidy", "even"), [(2_000_000, "any price"), (340_000, "0.00111")])
def test_income_beside_calls_makes_prices_of_zero_likely(
    tmp_path: Path, subsidy: int, even: str
) -> None:
    """With a subsidy beyond all costs any price will do; just below, the interval starts at 0."""
    ledger, calls = _calls(18, 0)
    each = [(2 + 6 * i, "outside", "gsp", subsidy // 9, "subsidy", -1, 1) for i in range(9)]
    read = _page(tmp_path, sorted([*ledger, *each]), calls)
    assert f"breaks even at {even}" in read.words.replace("a tariff of ", "")
    cut = "It is cut at 0 because a price is never negative." in read.words
    assert cut == (even != "any price")
    assert all(float(str(a.value)) >= 0 for a in read.amounts if a.by == "Fieller")


@pytest.mark.usefixtures("undrawn")
def test_a_refund_counts_in_the_block_of_its_call(tmp_path: Path) -> None:
    """Calls of 7 s that begin one per block of 3 s: all amounts of a call are in its own block."""
    ledger: list[Any] = []
    calls = []
    kept, costs = np.zeros(20), np.zeros(20)
    for i in range(18):
        start, end, broken, marks = 1 + 3 * i, 8 + 3 * i, i % 5 == 2, 10 + 7 * i % 30
        ledger.append((start, "source:phones", "gsp", CALL_MICRO, "call", i % 3, 1))
        ledger.append((end, "gsp", "isp", 1_000 * marks, "marks", i % 3, marks))
        if broken:
            ledger.append((end, "gsp", "source:phones", CALL_MICRO, "reimbursement", i % 3, 1))
        calls.append((i % 3, start, end, 1, 1, 100, 9 * broken, marks, 0))
        kept[i], costs[i] = not broken, marks / 1_000
    read = _page(tmp_path, sorted(ledger), calls)
    bounds = [float(str(a.value)) for a in read.amounts if a.by == "Fieller"]
    expected = fieller_prices(costs, kept, float(stats.t.ppf(0.975, 19)))
    assert bounds == pytest.approx(expected, rel=1e-9)
