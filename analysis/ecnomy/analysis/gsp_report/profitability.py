# SPDX-License-Identifier: Apache-2.0
"""Answers whether a provider's business earns money, and at which loads.

The answer is about the reference world. There, every varied key that the provider does not choose
has the scenario's value, or the first swept value if the scenario's value was not swept. If the
provider has several choices, the answer uses the one with the largest mean profit per hour in that
world.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import msgspec

from ecnomy.analysis.gsp_report.break_even import BreakEven, break_even
from ecnomy.analysis.gsp_report.database import Database
from ecnomy.analysis.gsp_report.estimates import (
    PER_CALL,
    PER_HOUR,
    IntervalEstimate,
    ProfitFigure,
    estimate,
    owned,
)
from ecnomy.analysis.gsp_report.opened_runs import Material, ReportRun, Value, VariedKey
from ecnomy.analysis.pages.parts import Cell, Query, money, number, percent

__all__ = ["Answer", "PositiveRange", "answer_of", "ranges_above_zero"]

_WORDS = {1: "profitable", -1: "loses money", 0: "not decided"}
_OPEN = {
    1: "Open the business: yes",
    -1: "Open the business: no",
    0: "Open the business: not decided; use more seeds or longer runs",
}
_UNSOLD = "Open the business: not decided; no call was sold"


class PositiveRange(msgspec.Struct, frozen=True):
    """A range of loads or prices in which a curve is above 0."""

    low: float
    high: float
    from_end: bool
    to_end: bool


class Answer(msgspec.Struct, frozen=True):
    """The result of one provider in the reference world.

    Attributes:
        choice: the value of each key that the provider chooses; None for other keys.
        runs: the runs with that choice in the reference world.
        verdict: 1 if the provider earns money, -1 if it loses money, 0 if not decided.
        words: the verdict in words; `opens` advises whether to open the business.
        loads: load -> estimate of `figure` with that choice; empty if no load is varied.
        facts: (label, value, source) of each fact on the first screen.
        by_files: whether the provider sells only files; its profit is then shown per hour instead
            of per call.
    """

    provider: str
    choice: tuple[Value | None, ...]
    choice_words: str
    runs: tuple[ReportRun, ...]
    verdict: int
    words: str
    opens: str
    per_call: IntervalEstimate
    per_hour: IntervalEstimate
    break_even: BreakEven
    factor: bool
    tied: bool
    by_files: bool
    where: str
    loads: dict[float, IntervalEstimate]
    up_to: tuple[str, ...]
    facts: tuple[tuple[str, Cell, str], ...]
    counts: Query
    measured: Cell | None
    measured_of: Query | None

    def plain(self) -> dict[str, Any]:
        """Return the main values for JSON, with amounts in money."""
        return {
            "provider": self.provider,
            "choice": self.choice_words,
            "verdict": self.words,
            "profitable": {1: True, -1: False}.get(self.verdict),
            "profit_per_call": self.per_call.plain(),
            "profit_per_hour": self.per_hour.plain(),
            "break_even": self.break_even.estimate.plain(),
            "advice": self.opens,
        }

    @property
    def unsold(self) -> bool:
        """Whether the profit per call is undefined because no call was sold."""
        return self.per_call.mean.value is None

    @property
    def figure(self) -> ProfitFigure:
        """The outcome used to compare loads and keys: profit per call, or per hour for files."""
        return PER_HOUR if self.by_files else PER_CALL

    @property
    def figure_words(self) -> str:
        """The name of `figure` on axes."""
        return "profit per hour" if self.by_files else "profit per call"

    @property
    def sentence(self) -> tuple[Cell, ...]:
        """The answer: `profitable: 0.031 money per call [0.027, 0.035], up to 78 users; ...`."""
        if self.unsold and not self.by_files:
            return (Cell("sold no call"),)
        mean, *ends = (self.per_hour if self.by_files else self.per_call).cells
        unit = " money per hour" if self.by_files else " money per call"
        cells = [Cell(f"{self.words}: "), mean, Cell(unit), *ends]
        if self.up_to:
            lead = "earns money " if self.verdict <= 0 else ""
            cells.append(Cell(f", {lead}{' and '.join(self.up_to)}"))
        if self.by_files:
            return (*cells, Cell("; the provider sells files, not calls"))
        even = self.break_even.estimate.mean if self.measured is None else self.measured
        what = "a mean price of " if self.factor else "a tariff of "
        at = "" if even.text.endswith("price") else what
        return (*cells, Cell(f"; breaks even at {at}"), even)

    @property
    def method(self) -> tuple[Cell, ...]:
        """The scope of the sentence, and the method of its intervals."""
        scope = [f"At {self.where}" if self.where else _as_it_is(len(self.runs))]
        if self.choice_words:
            scope.append(f"run with {self.choice_words}, the choice with the largest profit")
        seeds = f"95 % interval: {(self.per_hour if self.by_files else self.per_call).method}"
        profit = (
            "Profit is all money received minus all money paid, including marks of test streams "
            "and fixed costs"
        )
        cells = [Cell(f"{', '.join(scope)}. {seeds}. {profit}. ")]
        if self.unsold:
            return (*cells, Cell("Without calls there is no break-even price."))
        cells.append(Cell("The break-even price is "))
        if self.measured is not None:
            return (*cells, Cell("measured, between the prices that were swept."))
        mean, *ends = self.break_even.estimate.cells
        back = "follow the price" if self.tied else "stay unchanged"
        last = (
            f".{self.break_even.words} The price is counterfactual. It assumes the same calls, "
            f"admitted and carried as before. Reimbursements {back}. The promise of a call still "
            "in progress at the end counts as kept."
        )
        return (*cells, mean, *ends, Cell(last))

    @property
    def queries(self) -> tuple[Query, ...]:
        """The queries behind the sentence and the counts of calls."""
        estimates = [self.per_call, self.break_even.estimate, self.per_hour]
        each = [query for one in estimates for query in (one.query, one.more) if query is not None]
        return (*each, *((self.measured_of,) if self.measured_of is not None else ()), self.counts)


def answer_of(material: Material, db: Database, provider: str) -> Answer:
    """Return the answer for one provider."""
    best: tuple[float, tuple[Value | None, ...], IntervalEstimate] | None = None
    for choice in material.choices():
        runs = material.at(choice, material.world)
        if not runs:
            continue
        hourly = estimate(db, provider, runs, PER_HOUR)
        value = -math.inf if math.isnan(hourly.value) else hourly.value
        if best is None or value > best[0]:
            best = value, choice, hourly
    assert best is not None  # at least the first run matches
    _, choice, hourly = best
    runs = material.at(choice, material.world)
    per_call = estimate(db, provider, runs, PER_CALL)
    tariffs = db.tariffs(provider, runs)
    tied = all(tariff.tied for tariff in tariffs)
    even = break_even(db, provider, runs, tied=tied)
    by_files = not tariffs
    verdict = (hourly if by_files else per_call).sign
    loads = _along(material, db, provider, choice, PER_HOUR if by_files else PER_CALL)
    where, counts = _where(material), _counts(db, provider, runs)
    measured, measured_of = _measured_price(material, db, provider, choice)
    return Answer(
        provider=provider,
        choice=choice,
        choice_words=material.choice_words(choice),
        runs=runs,
        verdict=verdict,
        words=_WORDS[verdict],
        opens=_opens(verdict, per_call, where if verdict else "", by_files),
        per_call=per_call,
        per_hour=hourly,
        break_even=even,
        factor=len(tariffs) > 1,
        tied=tied,
        where=where,
        loads=loads,
        up_to=_up_to(material.load, loads),
        by_files=by_files,
        facts=_file_facts(db, provider, runs) if by_files else _facts(counts),
        counts=counts,
        measured=measured,
        measured_of=measured_of,
    )


def _measured_price(
    material: Material, db: Database, provider: str, choice: tuple[Value | None, ...]
) -> tuple[Cell | None, Query | None]:
    """Return the price above which calls earn money, interpolated between swept prices.

    The result is the lowest such price with its query, or (None, None) if no price was swept or the
    profit does not become positive between two swept prices.
    """
    price = next((key for key in material.keys if key.is_price), None)
    if price is None:
        return None, None
    place = material.keys.index(price)
    free = tuple(None if i == place else v for i, v in enumerate(choice))
    runs = material.at(free, material.world)
    query = db.ask(
        f"select k{place + 1} as price, avg(profit_micro / 1e6 / nullif(sold, 0)) as "
        f"profit_a_call\n"
        f"from accounts where {owned(provider, runs)} group by price order by price"
    )
    at = [float(row[0]) for row in query.rows]
    values = [math.nan if row[1] is None else float(row[1]) for row in query.rows]
    ranges = [one for one in ranges_above_zero(at, values) if not one.from_end]
    if not ranges:
        return None, None
    even = ranges[0].low
    return Cell(money(even), "", query.id, value=even, by="between measured prices"), query


def _opens(verdict: int, per_call: IntervalEstimate, where: str, by_files: bool) -> str:
    sold = by_files or per_call.mean.value is not None
    return f"{_OPEN[verdict] if sold else _UNSOLD}{f' (at {where})' if where else ''}."


def _as_it_is(runs: int) -> str:
    return "The runs as simulated" if runs > 1 else "The run as simulated"


def _where(material: Material) -> str:
    """Return the reference world in words; "" if only choices or no keys were varied."""
    varied = [
        f"{key.value_text(value)} {key.words}"
        if key.is_load
        else f"{key.words} {key.value_text(value)}"
        for key, value in zip(material.keys, material.world, strict=True)
        if value is not None
    ]
    return ", ".join(varied)


def _along(
    material: Material,
    db: Database,
    provider: str,
    choice: tuple[Value | None, ...],
    figure: ProfitFigure,
) -> dict[float, IntervalEstimate]:
    load = material.load
    if load is None:
        return {}
    place = material.keys.index(load)
    estimates = {}
    for value in sorted(float(v) for v in load.values):
        world = tuple(value if i == place else v for i, v in enumerate(material.world))
        if runs := material.at(choice, world):
            estimates[value] = estimate(db, provider, runs, figure)
    return estimates


def ranges_above_zero(at: Sequence[float], values: Sequence[float]) -> list[PositiveRange]:
    """Return the ranges in which a piecewise linear curve is above 0; NaN counts as not above."""
    crossings: list[tuple[float, bool]] = []  # (crossing, whether above 0 after it)
    above = values[0] > 0
    if above:
        crossings.append((at[0], True))
    for (x0, x1), (y0, y1) in zip(itertools.pairwise(at), itertools.pairwise(values), strict=True):
        if (y0 > 0) != (y1 > 0):
            known = math.isfinite(y0) and math.isfinite(y1)
            crossings.append((x0 + (x1 - x0) * y0 / (y0 - y1) if known else x0, y1 > 0))
    if values[-1] > 0:
        crossings.append((at[-1], False))
    pairs = zip(crossings[::2], crossings[1::2], strict=True)
    return [PositiveRange(a, b, a == at[0], b == at[-1]) for (a, _), (b, _) in pairs]


def _up_to(load: VariedKey | None, loads: dict[float, IntervalEstimate]) -> tuple[str, ...]:
    """Return in words, with bounds, the loads at which the provider earns money."""
    if load is None or len(loads) < 2:
        return ()
    at, curve = list(loads), [one.value for one in loads.values()]
    ranges = ranges_above_zero(at, curve)
    tried = f"{at[0]:g} to {at[-1]:g} {load.words}"
    if not ranges:
        return (f"at none of the loads tried ({tried})",)
    if len(ranges) == 1 and ranges[0].from_end and ranges[0].to_end:
        return (f"at all loads tried ({tried})",)
    return tuple(_range_words(one, load, loads) for one in ranges)


def _range_words(one: PositiveRange, load: VariedKey, loads: dict[float, IntervalEstimate]) -> str:
    if one.from_end:
        return f"up to {one.high:.3g} {load.words}{_bounds(one.high, loads)}"
    if one.to_end:
        return f"from {one.low:.3g} {load.words} on{_bounds(one.low, loads)}"
    return f"from {one.low:.3g} to {one.high:.3g} {load.words}"


def _bounds(crossing: float, loads: dict[float, IntervalEstimate]) -> str:
    """Return where both ends of the confidence interval cross 0 near a load, or ""."""
    crossings = []
    for side in (0, 1):
        curve = [one.bounds[side] for one in loads.values()]
        ends = [x for r in ranges_above_zero(list(loads), curve) for x in (r.low, r.high)]
        inside = [x for x in ends if x not in (min(loads), max(loads))]
        if not inside:
            return ""
        crossings.append(min(inside, key=lambda x: abs(x - crossing)))
    return f" [{min(crossings):.3g}, {max(crossings):.3g}]"


def _counts(db: Database, provider: str, runs: Sequence[ReportRun]) -> Query:
    return db.ask(
        f"select sum(asked), sum(sold), sum(blocked), sum(broken), sum(ended), "
        f"sum(revenue_micro), sum(profit_micro)\nfrom accounts where {owned(provider, runs)}"
    )


def _facts(counts: Query) -> tuple[tuple[str, Cell, str], ...]:
    requested, sold, blocked, broken = (int(v or 0) for v in counts.rows[0][:4])
    ended = counts.rows[0][4]  # None in a sweep without results

    def share(part: int, whole: int) -> str:
        return percent(part / whole) if whole else "-"

    return (
        ("calls sold, of those requested", Cell(f"{number(sold)} of {number(requested)}"), "calls"),
        ("callers turned away", Cell(share(blocked, requested)), "calls"),
        (
            "promises broken, of calls sold, ended or not"
            if ended is None
            else "promises broken, of calls that ended",
            Cell(share(broken, sold if ended is None else int(ended))),
            "calls",
        ),
    )


def _file_facts(
    db: Database, provider: str, runs: Sequence[ReportRun]
) -> tuple[tuple[str, Cell, str], ...]:
    """Return the facts of a provider that sells only files; empty if the sweep kept no results."""
    if runs[0].run is None:
        return ()
    query = db.ask(
        f"select sum(quantity) filter (line = 'files'),\n"
        f"  sum(quantity) filter (line = 'reimbursements of files')\n"
        f"from postings where {owned(provider, runs)}"
    )
    sold, late = (int(v or 0) for v in query.rows[0])
    share = percent(late / sold) if sold else "-"
    return (
        ("files paid for", Cell(number(sold)), "ledger"),
        ("reimbursed because late", Cell(share), "ledger"),
    )
