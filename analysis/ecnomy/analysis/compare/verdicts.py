# SPDX-License-Identifier: Apache-2.0
"""Tests whether the means of two engines agree within a bound, given one value per seed.

For a relative bound e the two null hypotheses are linear in the means of both engines,

    H1: mean(b) - (1 + e) mean(a) >= 0        H2: mean(b) - (1 - e) mean(a) <= 0

so the tests allow for noise in the reference's mean. For an absolute bound d they are mean(b) -
mean(a) >= d and <= -d. Each is tested by a one-sided t test at size (1 - level) / 2: at level 0.90,
0.05 each. If both are rejected, the engines are equivalent (Schuirmann 1987, J. Pharmacokinet.
Biopharm. 15:657; as a statement on a ratio Sasabuchi 1988). If the mean is shown to lie beyond a
bound, the engines are different. Otherwise the row is undecided: its interval straddles a bound.

Runs of equal seed draw the same files, calls and starts in both engines. If both engines have the
same seeds, values are paired by seed (n - 1 degrees of freedom). Otherwise, samples are independent
(Welch). Ratios have Fieller's interval, not the delta method's. Because rows are judged one by one,
one in twenty of the rows just outside their bounds is judged equivalent.

Bounds: goodput shares 5 %, marking probabilities 10 %, mean queues 15 % or 1 packet, whichever is
wider at the reference's mean; all money 5 %, each kind of posting 5 % or 1 % of all money,
whichever is wider. With the Linux engine, marking probabilities 15 % and mean queues 20 % or 1
packet. All other quantities are shown without a verdict.
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
    "Verdict",
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
    """A bound for equal means: `relative` x reference, or `absolute` if that is wider."""

    relative: float
    absolute: float = 0.0

    def is_absolute(self, reference: float) -> bool:
        """Return whether the absolute bound is the wider bound at this mean of the reference."""
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


class Verdict(msgspec.Struct, frozen=True):
    """Outcome of the pair of tests; `p` is the larger p-value, None if the row is not judged."""

    verdict: str
    p: float | None = None


class Compared(msgspec.Struct, frozen=True):
    """One row of a comparison.

    Attributes:
        row: the compared quantity.
        seeds: the number of seeds with a value, per engine.
        means: mean of each engine, reference first; None if an engine has fewer than two values.
        ratio: mean(other) / mean(reference); None if the reference may be zero.
        bound: the bound of the verdict; None for a row without a verdict.
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
) -> Verdict:
    """Judge two samples.

    Args:
        reference: one value per seed.
        other: one value per seed; with `paired`, of the same seeds in the same order.
        bound: the bound within which means count as the same.
        paired: whether value i of both belongs to the same seed.
        level: 1 - 2 x size of each one-sided test.

    Raises:
        InputError: fewer than two values, or a value that is not finite.
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
        return Verdict(EQUIVALENT, p)
    return Verdict(DIFFERENT if p > 1 - alpha else UNDECIDED, p)


def _p(p: float, on_bound: bool) -> float:
    """Return the p-value; without spread (0 against 0), a mean on a bound counts as within it."""
    return 0.0 if on_bound and p == 1.0 else p


def compared(
    rows: Sequence[Row],
    reference: Mapping[int, Figures],
    other: Mapping[int, Figures],
    level: float = LEVEL,
    bounds: Mapping[tuple[str, str], Bound] = BOUNDS,
) -> list[Compared]:
    """Compare all rows and the money of both engines; outcomes are by seed, then by row key.

    Args:
        rows: rows of sources and links.
        reference: outcomes of each seed.
        other: outcomes of each seed.
        level: 1 - 2 x size of each one-sided test.
        bounds: bounds by kind and quantity.

    Raises:
        KeyError: a run lacks a row.
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
    verdict = Verdict(NOT_JUDGED)
    if bound is not None:
        verdict = Verdict(UNDECIDED)
        if enough:
            verdict = judge(first, second, bound, paired=paired, level=level)
        elif not first or not second:  # one engine has no runs with values to average
            verdict = Verdict(NOT_JUDGED if not first and not second else DIFFERENT)
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
    return {seed: found for seed, found in values if found is not None}


def _interval(values: list[float], level: float) -> Interval | None:
    return t_interval(values, level) if len(values) >= FEWEST else None


def _ratio(a: list[float], b: list[float], paired: bool, level: float) -> Interval | None:
    try:
        return ratio_of_means(b, a, level, paired=paired)
    except InputError:  # Fieller's interval is unbounded: the reference's mean may be zero
        return None
