# SPDX-License-Identifier: Apache-2.0
"""Tests whether the means of two engines agree within a bound, given one value per seed.

For a relative bound e, the two null hypotheses are linear in the means of both engines:

    H1: mean(b) - (1 + e) mean(a) >= 0        H2: mean(b) - (1 - e) mean(a) <= 0

The tests therefore allow for noise in the reference's mean. For an absolute bound d, the hypotheses
are mean(b) - mean(a) >= d and mean(b) - mean(a) <= -d. Each is tested by a one-sided t test of size
(1 - level) / 2 (0.05 at level 0.90). If both are rejected, the engines are equivalent (Schuirmann
1987, J. Pharmacokinet. Biopharm. 15:657; for ratios Sasabuchi 1988). If the means are shown to
differ by more than a bound, the engines are different. Otherwise, the interval contains a bound,
and the row is undecided.

Runs with the same seed draw the same files, calls and starts on both engines. If both engines have
the same seeds, values are paired by seed (n - 1 degrees of freedom). Otherwise, the samples are
independent (Welch). Ratios have Fieller's interval rather than that of the delta method. Each row
is judged separately, so one in twenty of the rows just outside their bounds is judged equivalent.

The bounds are 5 % for goodput shares, 10 % for marking probabilities, and 15 % or 1 packet for mean
queues. They are 5 % for all money, and 5 % or 1 % of all money for each kind of posting. Where two
bounds are given, the wider one at the reference's mean applies. With the Linux engine, the bounds
are 15 % for marking probabilities, and 20 % or 1 packet for mean queues. All other quantities are
shown without a verdict.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.errors import InputError
from ecnomy.analysis.compare.figures import (
    ALL_MONEY,
    LINK,
    MONEY,
    SOURCE,
    Figures,
    Row,
    filled,
    rows_of_money,
)
from ecnomy.analysis.statistics.intervals import (
    Interval,
    check_paired,
    ratio_of_means,
    t_interval,
    tost,
)

__all__ = [
    "BOUNDS",
    "DIFFERENT",
    "EQUIVALENT",
    "IN_REAL_TIME",
    "LEVEL",
    "NOT_JUDGED",
    "UNDECIDED",
    "Bound",
    "Compared",
    "ComparisonVerdict",
    "compared",
    "judge",
]

LEVEL: Final = 0.90
EQUIVALENT: Final = "equivalent"
DIFFERENT: Final = "different"
UNDECIDED: Final = "undecided"
NOT_JUDGED: Final = ""
FEWEST: Final = 2  # seeds needed for a variance


class Bound(msgspec.Struct, frozen=True):
    """A bound on the difference of means: the wider of `relative` x reference and `absolute`."""

    relative: float
    absolute: float = 0.0

    def is_absolute(self, reference: float) -> bool:
        """Return whether the absolute bound is the wider one at a mean of the reference."""
        return self.absolute > self.relative * abs(reference)


BOUNDS: Final[dict[tuple[str, str], Bound]] = {
    (SOURCE, "goodput_share"): Bound(0.05),
    (SOURCE, "marking_probability"): Bound(0.10),
    (LINK, "marking_probability"): Bound(0.10),
    (LINK, "mean_queue_packets"): Bound(0.15, absolute=1.0),
    (MONEY, "money_share"): Bound(0.05, absolute=0.01),
}
# The kernel has another implementation of TCP, and real time adds noise.
IN_REAL_TIME: Final = BOUNDS | {
    (SOURCE, "marking_probability"): Bound(0.15),
    (LINK, "marking_probability"): Bound(0.15),
    (LINK, "mean_queue_packets"): Bound(0.20, absolute=1.0),
}
OF_ALL_MONEY: Final = Bound(0.05)


class ComparisonVerdict(msgspec.Struct, frozen=True):
    """The verdict of both tests; `p` is the larger p-value, or None without tests."""

    verdict: str
    p: float | None = None


class Compared(msgspec.Struct, frozen=True):
    """One row of a comparison.

    Attributes:
        row: the compared quantity.
        seeds: number of seeds with a value, for each engine.
        means: mean of each engine, reference first; None for fewer than two values.
        ratio: mean(other) / mean(reference); None if the reference's mean may be zero, or if an
            engine has fewer than two values.
        bound: the bound for the verdict; None for a row without a verdict.
    """

    row: Row
    seeds: tuple[int, int]
    means: tuple[Interval | None, Interval | None]
    ratio: Interval | None
    bound: Bound | None
    verdict: str
    p: float | None


def judge(
    reference: Sequence[float],
    other: Sequence[float],
    bound: Bound,
    *,
    paired: bool,
    level: float = LEVEL,
) -> ComparisonVerdict:
    """Return the verdict on two samples.

    Args:
        reference: one value per seed.
        other: one value per seed; if `paired`, for the same seeds in the same order.
        bound: the bound within which the means count as equal.
        paired: whether value i of both samples belongs to the same seed.
        level: 1 - 2 x size of each one-sided test.

    Raises:
        InputError: there are fewer than two values, or a value is not finite.
    """
    a, b = np.asarray(reference, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if bound.is_absolute(float(a.mean()) if a.size else 0.0):
        above, below, upper, lower = a, a, bound.absolute, -bound.absolute
    else:
        above, below, upper, lower = (1 + bound.relative) * a, (1 - bound.relative) * a, 0.0, 0.0
    if paired:
        check_paired(a, b)
    alpha = (1 - level) / 2
    if paired:
        high = tost(b - above, -math.inf, upper, alpha=alpha)
        low = tost(b - below, lower, math.inf, alpha=alpha)
    else:
        high = tost(b, -math.inf, upper, against=above, alpha=alpha)
        low = tost(b, lower, math.inf, against=below, alpha=alpha)
    p = max(_p(high.p_high, high.estimate == upper), _p(low.p_low, low.estimate == lower))
    if p < alpha:
        return ComparisonVerdict(EQUIVALENT, p)
    return ComparisonVerdict(DIFFERENT if p > 1 - alpha else UNDECIDED, p)


def _p(p: float, on_bound: bool) -> float:
    """Return the p-value; without spread, a mean on the bound counts as within it."""
    return 0.0 if on_bound and p == 1.0 else p


def compared(
    rows: Sequence[Row],
    reference: Mapping[int, Figures],
    other: Mapping[int, Figures],
    level: float = LEVEL,
    bounds: Mapping[tuple[str, str], Bound] = BOUNDS,
) -> list[Compared]:
    """Compare the outcomes of two engines: the given rows, and the rows of money.

    Args:
        rows: rows of sources and links.
        reference: seed -> outcomes by row key.
        other: seed -> outcomes by row key.
        level: 1 - 2 x size of each one-sided test.
        bounds: (kind, quantity) -> bound.

    Raises:
        KeyError: the outcomes of a run lack a row.
    """
    both = filled([*reference.values(), *other.values()])
    money = rows_of_money(both)
    reference = dict(zip(reference, both, strict=False))
    other = dict(zip(other, both[len(reference) :], strict=True))
    return [_compared(row, reference, other, level, bounds) for row in (*rows, *money)]


def _compared(
    row: Row,
    reference: Mapping[int, Figures],
    other: Mapping[int, Figures],
    level: float,
    bounds: Mapping[tuple[str, str], Bound],
) -> Compared:
    a, b = _values(row, reference), _values(row, other)
    paired = list(a) == list(b)
    first, second = list(a.values()), list(b.values())
    bound = OF_ALL_MONEY if row == ALL_MONEY else bounds.get((row.kind, row.quantity))
    enough = min(len(first), len(second)) >= FEWEST
    verdict = ComparisonVerdict(NOT_JUDGED)
    if bound is not None:
        verdict = ComparisonVerdict(UNDECIDED)
        if enough:
            verdict = judge(first, second, bound, paired=paired, level=level)
        elif not first or not second:  # one engine has no runs with values to average
            verdict = ComparisonVerdict(NOT_JUDGED if not first and not second else DIFFERENT)
    return Compared(
        row=row,
        seeds=(len(first), len(second)),
        means=(_interval(first, level), _interval(second, level)),
        ratio=_ratio(first, second, paired, level) if enough else None,
        bound=bound,
        verdict=verdict.verdict,
        p=verdict.p,
    )


def _values(row: Row, runs: Mapping[int, Figures]) -> dict[int, float]:
    values = ((seed, runs[seed][row.key]) for seed in sorted(runs))
    return {seed: value for seed, value in values if value is not None}


def _interval(values: list[float], level: float) -> Interval | None:
    return t_interval(values, level) if len(values) >= FEWEST else None


def _ratio(a: list[float], b: list[float], paired: bool, level: float) -> Interval | None:
    try:
        return ratio_of_means(b, a, level, paired=paired)
    except InputError:  # Fieller's interval is unbounded: the reference's mean may be zero
        return None
