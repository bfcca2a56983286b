# SPDX-License-Identifier: Apache-2.0
"""Estimates values of an account with 95 % intervals, each with its query.

For several runs that differ only in their seeds, the value is the mean over runs, with an interval
by Student's t. For one run, it is computed from the sums of the run, with a percentile bootstrap
interval over 20 blocks of time. Blocks are drawn 2,000 times with replacement, with fixed random
numbers. Source: Efron 1979; Kunsch 1989 for blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.gsp_report.database import Database
from ecnomy.analysis.gsp_report.opened_runs import ReportRun
from ecnomy.analysis.pages.parts import Cell, Query, money
from ecnomy.analysis.statistics.intervals import LEVEL, bootstrap
from ecnomy.analysis.support.first_use import scipy_part

__all__ = [
    "BLOCKS",
    "PER_CALL",
    "PER_HOUR",
    "IntervalEstimate",
    "ProfitFigure",
    "block_sums",
    "by_run",
    "difference",
    "estimate",
    "owned",
    "student",
]

BLOCKS: Final = 20


class ProfitFigure(msgspec.Struct, frozen=True):
    """A function of the profit [micro-units], the calls sold, and the hours of a run.

    Attributes:
        sql: SQL expression in the columns profit, sold and hours.
        of: the same function, for arrays of profit, sold and hours.
    """

    sql: str
    of: Callable[[Floats, Floats, Floats], Floats]


PER_CALL: Final = ProfitFigure("profit / nullif(sold, 0) / 1e6", lambda p, n, h: p / n / 1e6)
PER_HOUR: Final = ProfitFigure("profit / nullif(hours, 0) / 1e6", lambda p, n, h: p / h / 1e6)
_SUMS: Final = (
    "revenue_micro::double as revenue, refunds_micro::double as refunds, "
    "profit_micro::double as profit, sold, hours"
)


class IntervalEstimate(msgspec.Struct, frozen=True):
    """A value with its interval, if one can be computed.

    Attributes:
        mean, low, high: cells with the mean and both ends of its 95 % interval.
        query: the query of the mean.
        more: the query of the interval, if it is not `query`.
    """

    mean: Cell
    low: Cell | None
    high: Cell | None
    n: int
    method: str
    query: Query
    more: Query | None = None

    def plain(self) -> dict[str, Any]:
        """Return mean and interval for JSON; a mean without a value is given by its text."""
        ends = {"low": self.low, "high": self.high}
        limits = {name: None if cell is None else cell.value for name, cell in ends.items()}
        mean = self.mean.text if self.mean.value is None else self.mean.value
        return {"mean": mean, **limits, "n": self.n, "method": self.method}

    @property
    def value(self) -> float:
        """The mean; NaN if unknown."""
        return math.nan if self.mean.value is None else float(self.mean.value)

    @property
    def bounds(self) -> tuple[float, float]:
        """Both ends of the interval; NaN if unknown."""
        if self.low is None or self.high is None or self.low.value is None:
            return math.nan, math.nan
        return float(self.low.value), float(self.high.value)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of a phrase such as `0.031 [0.027, 0.035]`."""
        if self.low is None or self.high is None or math.isnan(self.bounds[0]):
            return (self.mean,)
        return (self.mean, Cell(" ["), self.low, Cell(", "), self.high, Cell("]"))

    @property
    def sign(self) -> int:
        """1 if the whole interval is above 0, -1 if it is below 0, otherwise 0."""
        low, high = self.bounds
        return 1 if low > 0 else -1 if high < 0 else 0


def student(n: int) -> float:
    """Return the quantile of Student's t for the interval of a mean of n values at LEVEL."""
    return float(scipy_part("special").stdtrit(n - 1, (1 + LEVEL) / 2))


def owned(provider: str, runs: Sequence[ReportRun]) -> str:
    """Return the SQL condition that a row belongs to a provider in the given runs."""
    name = provider.replace("'", "''")
    listed = ", ".join(str(made.number) for made in runs)
    return f"provider = '{name}' and run in ({listed})"


def estimate(
    db: Database, provider: str, runs: Sequence[ReportRun], figure: ProfitFigure
) -> IntervalEstimate:
    """Estimate a value of a provider over the runs of one case."""
    own = owned(provider, runs)
    values = (
        f"select seed, {figure.sql} as x\n  from (select seed, {_SUMS} from accounts where {own})"
    )
    if len(runs) > 1:
        return _by_seeds(db, values, len(runs), "Student's t over {} seeds")
    query = db.ask(f"select x from ({values})")
    mean = query.cell(0, 0, money(_or_nan(query.rows[0][0])))
    if runs[0].run is None or mean.value is None:
        return IntervalEstimate(mean, None, None, 1, "none, because there is one run only", query)
    return _by_blocks(db, provider, runs[0], figure, query)


def difference(
    db: Database,
    provider: str,
    runs: Sequence[ReportRun],
    others: Sequence[ReportRun],
    figure: ProfitFigure,
) -> IntervalEstimate | None:
    """Return the mean difference (runs - others) over common seeds; None for fewer than two."""
    shared = {made.seed for made in runs} & {made.seed for made in others}
    if len(shared) < 2:
        return None
    parts = [
        f"(select seed, {figure.sql} as x from (select seed, {_SUMS} from accounts\n"
        f"    where {owned(provider, each)}))"
        for each in (runs, others)
    ]
    values = (
        f"select seed, a.x - b.x as x\n  from {parts[0]} as a\n  join {parts[1]} as b using (seed)"
    )
    return _by_seeds(db, values, len(shared), "Student's t over {} paired seeds", "+")


def _by_seeds(db: Database, values: str, n: int, method: str, sign: str = "") -> IntervalEstimate:
    half = f"{student(n)!r} * stddev_samp(x) / sqrt(count(x))"
    query = db.ask(f"select avg(x), avg(x) - {half}, avg(x) + {half}\nfrom ({values})")
    cells = [query.cell(0, i, money(_or_nan(query.rows[0][i]), sign)) for i in range(3)]
    return IntervalEstimate(cells[0], cells[1], cells[2], n, method.format(n), query)


def by_run(provider: str, runs: Sequence[ReportRun]) -> str:
    """Return SQL for each run's seed (as `part`), revenue, refunds, profit [micro], calls sold."""
    return (
        f"select seed as part, revenue_micro::double as revenue, refunds_micro::double as refunds,"
        f"\n    profit_micro::double as profit, coalesce(sold, 0) as sold\n"
        f"  from accounts where {owned(provider, runs)} order by seed"
    )


def block_sums(provider: str, made: ReportRun, at: str = "t_ps") -> str:
    """Return SQL for the columns of by_run in each of BLOCKS blocks of a run's time.

    The SQL expression `at` gives the time that assigns a posting to a block. Blocks without
    postings count as 0.
    """
    own, length = owned(provider, [made]), made.seconds * PS_PER_S / BLOCKS
    block = f"least(greatest({at} - 1, 0) // {round(length)}, {BLOCKS - 1})"
    return (
        f"select part, coalesce(sum(micro) filter (line = 'calls'), 0) as revenue,\n"
        f"  -coalesce(sum(micro) filter (line = 'reimbursements'), 0) as refunds,\n"
        f"  coalesce(sum(micro), 0) as profit, coalesce(sum(sold), 0) as sold\n"
        f"from (select unnest(range({BLOCKS})) as part) left join\n"
        f"  (select {block} as part, line, micro, 0 as sold from postings where {own}\n"
        f"  union all select {block.replace(at, 'start_ps')}, '', 0, 1 from calls where "
        f"{own} and accepted) using (part)\n"
        f"group by part order by part"
    )


def _by_blocks(
    db: Database, provider: str, made: ReportRun, figure: ProfitFigure, query: Query
) -> IntervalEstimate:
    sums = db.ask(block_sums(provider, made))
    mean = query.cell(0, 0, money(query.rows[0][0]))
    if not any(any(row[1:]) for row in sums.rows):
        return IntervalEstimate(mean, None, None, 1, "none: one run without bookings", query)
    rows = np.array([[float(v) for v in row[3:]] for row in sums.rows])
    hours = np.full(BLOCKS, made.seconds / 3600 / BLOCKS)

    def of_sums(drawn: list[Floats]) -> Floats:
        return figure.of(*(row.sum(axis=-1) for row in drawn))

    interval = bootstrap(of_sums, [*rows.T, hours], LEVEL)
    how = "block bootstrap"
    low, high = (
        Cell(money(v), "", sums.id, value=v, by=how) for v in (interval.low, interval.high)
    )
    minutes = made.seconds / 60 / BLOCKS
    method = f"bootstrap over {BLOCKS} blocks of {minutes:.3g} min of one run"
    return IntervalEstimate(mean, low, high, 1, method, query, sums)


def _or_nan(value: Any) -> float:
    return math.nan if value is None else float(value)
