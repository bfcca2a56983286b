# SPDX-License-Identifier: Apache-2.0
"""Estimates the mean price of a call at which a provider's profit is 0, with an interval.

The model keeps calls and costs, and changes the price to x. For each run, or each block of time in
a single run,

    profit(x) = x m - c      m: calls whose price is kept,  c: all costs minus other income

If refunds are a fixed amount, m is the number of calls sold, and c includes refunds. If refunds
follow the price (tied), m is (revenue - refunds) divided by the mean price of all calls sold, and c
excludes refunds. The estimate is the ratio of the means of c and m. The 95 % interval contains the
prices that the data do not reject (Fieller 1954):

    x >= 0 with |mean(c - x m)| <= t s(c - x m) / sqrt(n)

The interval is cut at 0, because prices are not negative. It has no upper bound if the data do not
exclude that the mean of m is 0, so that even a high price may earn nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.gsp_report.database import Database
from ecnomy.analysis.gsp_report.estimates import (
    BLOCKS,
    IntervalEstimate,
    block_sums,
    by_run,
    student,
)
from ecnomy.analysis.gsp_report.opened_runs import ReportRun
from ecnomy.analysis.pages.parts import Cell, money

__all__ = ["BreakEven", "break_even", "fieller_prices"]

# A refund counts in the block of its call, which keeps neighbouring blocks independent.
_CALL_TIME: Final = "coalesce(start_ps, t_ps)"


class BreakEven(msgspec.Struct, frozen=True):
    """A break-even price with its interval.

    Attributes:
        estimate: the price; its text is "any price" if costs are not above 0, "no price" if they
            are and no part of a price is kept, and "-" if m is undefined without revenue.
        cut: whether the uncut interval extends below 0.
        open_ended: whether the interval has no upper bound.
    """

    estimate: IntervalEstimate
    cut: bool = False
    open_ended: bool = False

    @property
    def words(self) -> str:
        """Sentences about the interval; "" without an interval."""
        if self.estimate.low is None:
            return ""
        text = f" Its interval is {self.estimate.method}."
        if self.cut:
            text += " It is cut at 0 because a price is never negative."
        if self.open_ended:
            text += " It has no upper bound because nearly all charges are reimbursed."
        return text


def break_even(db: Database, provider: str, runs: Sequence[ReportRun], *, tied: bool) -> BreakEven:
    """Return the break-even price of a provider over the runs of one case.

    Args:
        db: the tables of the page.
        provider: the name of the provider.
        runs: runs of one case, which differ only in their seeds.
        tied: whether refunds follow the price.
    """
    sums = by_run(provider, runs)
    query = db.ask(f"select {_ratio()}\nfrom ({_terms(tied, sums)})")
    price, kept, costs = query.rows[0]
    if kept is None or (kept <= 0 and costs > 0):
        mean = query.cell(0, 0, "-" if kept is None else "no price")
    else:
        mean = query.cell(0, 0, money(price) if costs > 0 else "any price")
    if kept is None or (len(runs) == 1 and runs[0].run is None):
        return BreakEven(
            IntervalEstimate(
                mean, None, None, len(runs), "none, because there is one run only", query
            )
        )
    many = len(runs) > 1
    more = db.ask(_terms(tied, sums if many else block_sums(provider, runs[0], _CALL_TIME)))
    rows = np.array([[float(v) for v in row[1:]] for row in more.rows])
    low, high = fieller_prices(rows[:, 1], rows[:, 0], student(len(rows)))
    if math.isnan(low):
        return BreakEven(
            IntervalEstimate(mean, None, None, len(runs), "no price is left", query, more)
        )
    what = f"{len(runs)} seeds" if many else f"{BLOCKS} blocks of one run"
    cells = [Cell(_bound(v), "", more.id, value=v, by="Fieller") for v in (max(low, 0.0), high)]
    estimate = IntervalEstimate(
        mean, cells[0], cells[1], len(runs), f"Fieller's over {what}", query, more
    )
    return BreakEven(estimate, low < 0, math.isinf(high))


def fieller_prices(costs: Floats, kept: Floats, t: float) -> tuple[float, float]:
    """Return the lowest and highest price at which mean costs may equal mean income.

    Args:
        costs: costs of n runs or blocks [money], of shape (n,).
        kept: numbers of calls whose price is kept, of shape (n,).
        t: quantile of Student's t for n values.

    Returns:
        The lowest price is negative if the set of these prices extends below 0. The highest price
        is infinite if the set has no upper bound. Both are NaN if the set contains no price of at
        least 0.
    """
    n = len(costs)
    a, b = float(costs.mean()), float(kept.mean())
    v_a, both, _, v_b = (np.cov(costs, kept, ddof=1) / n).ravel().tolist()
    square, middle, rest = b * b - t * t * v_b, a * b - t * t * both, a * a - t * t * v_a
    root = math.sqrt(max(middle * middle - rest * square, 0.0))
    if square > 0:
        low, high = (middle - root) / square, (middle + root) / square
        return (math.nan, math.nan) if high < 0 else (low, high)
    if rest <= 0:  # a price of 0 is in the set, and so are all large ones
        return -math.inf, math.inf
    if square < 0:
        return (middle - root) / square, math.inf
    return (rest / (2 * middle), math.inf) if middle > 0 else (math.nan, math.nan)


def _ratio() -> str:
    return (
        "sum(costs) / nullif(greatest(sum(kept), 0), 0) as price, sum(kept) as kept, "
        "sum(costs) as costs"
    )


def _terms(tied: bool, sums: str) -> str:
    """Return SQL for m [calls] and c [money] of each run or block in the query `sums`."""
    if not tied:
        return f"select part, sold as kept, (revenue - profit) / 1e6 as costs\nfrom ({sums})"
    return (
        f"select part, (revenue - refunds) * (sum(sold) over () / nullif(sum(revenue) over (), 0)) "
        f"as kept,\n  (revenue - refunds - profit) / 1e6 as costs\nfrom ({sums})"
    )


def _bound(value: float) -> str:
    return "no upper bound" if math.isinf(value) else money(value)
