# SPDX-License-Identifier: Apache-2.0
"""Finds the Pareto front of two outcomes: the points that no other point dominates.

Means determine which points are on the front. A point is `beaten` if another point is better in
both outcomes by more than the sum of the half-widths of both points.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.analysis.sweep_report.points import Swept, half_widths
from ecnomy.markets.sweep.main_outcomes import better

__all__ = ["Front", "front_of", "pair_of"]

_WELFARE: Final = ("welfare", "consumer_surplus")
_PROFIT: Final = re.compile(r"profit\..+|.+\.profit|balance\..+")


class Front(msgspec.Struct, frozen=True):
    """The means of all points in two outcomes, and their Pareto front.

    Attributes:
        x, y: names of the two outcomes.
        means, halves: means and half-widths of their intervals, of shape (points, 2).
        on: whether each point is on the front.
        beaten: for each point, whether another point is better in both outcomes by more than the
            sum of the half-widths of both points.
    """

    x: str
    y: str
    means: Any
    halves: Any
    on: Any
    beaten: Any


def pair_of(swept: Swept) -> tuple[str, str] | None:
    """Return welfare and a profit, or the first two outcomes with a better direction, or None."""
    welfare = [name for name in swept.outcomes if name in _WELFARE]
    profit = [name for name in swept.outcomes if _PROFIT.fullmatch(name)]
    if welfare and profit:
        return welfare[0], profit[0]
    known = [name for name in swept.outcomes if better(name)]
    return (known[0], known[1]) if len(known) > 1 else None


def front_of(swept: Swept) -> Front | None:
    """Return the front; None for fewer than three points or fewer than two outcomes to rank."""
    pair = pair_of(swept)
    if pair is None or swept.points < 3:
        return None
    tables = [swept.table(name) for name in pair]
    means = np.column_stack([mean for mean, _, _ in tables])
    halves = np.column_stack([half_widths(s, n, swept.level) for _, s, n in tables])
    signs = np.array([better(name) for name in pair])
    if not np.isfinite(means).any():
        return None
    return Front(*pair, means, halves, _undominated(signs * means), _beaten(signs * means, halves))


def _undominated(values: Any) -> Any:
    """Return for each row whether no other row is as good in both columns and better in one."""
    order = np.lexsort((-values[:, 1], -values[:, 0]))
    on = np.zeros(len(values), dtype=bool)
    best, at = -np.inf, np.nan
    for i in order:
        a, b = values[i]
        if not (np.isfinite(a) and np.isfinite(b)):
            continue
        if b > best or (b == best and a == at):
            on[i], best, at = True, b, a
    return on


def _beaten(values: Any, halves: Any) -> Any:
    """Return for each row whether another row beats it, beyond the half-widths of both."""
    low, high = values - np.nan_to_num(halves), values + np.nan_to_num(halves)
    order = np.argsort(-low[:, 0])
    best = np.maximum.accumulate(np.where(np.isnan(low[order, 1]), -np.inf, low[order, 1]))
    before = np.searchsorted(-low[order, 0], -high[:, 0], side="left")
    reach = np.where(before > 0, best[np.maximum(before - 1, 0)], -np.inf)
    return reach > high[:, 1]
