# SPDX-License-Identifier: Apache-2.0
"""Ranks the points of a search (`tune`, `calibrate`) by the goal of the search.

A search concentrates on promising values, so its points are neither a grid nor random samples. They
are not compared in pairs, and give no shares of the variance. The best of many noisy means is
partly due to luck, so the verb of the search checks it with new seeds.
"""

from __future__ import annotations

import math

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.analysis.sweep_report.points import SearchGoal, Swept
from ecnomy.analysis.sweep_report.scales import scale_of
from ecnomy.analysis.sweeps.outcome_names import called
from ecnomy.markets.sweep.main_outcomes import better

__all__ = ["best_first", "search_words"]

_WORDS = {"maximise": "highest", "minimise": "lowest"}


def best_first(swept: Swept) -> Integers:
    """Return all points, the best first, by the goal of the search or by the main outcome.

    Points that violate the bounds of the search come last.
    """
    main, search = swept.outcomes[0], swept.search
    mean = swept.table(main)[0]
    if search is None or search.outcome != main:
        loss = -(better(main) or 1) * mean
    elif search.aim == "target":
        loss = abs(mean - search.target) if search.target is not None else 0 * mean
    else:
        loss = mean if search.aim == "minimise" else -mean
    loss = np.where(np.isfinite(loss), loss, np.inf)
    return np.lexsort((loss, _outside(swept)))


def _outside(swept: Swept) -> Floats:
    """Return how far each point violates the bounds of a search; 0 if it violates none."""
    excess = np.zeros(swept.points)
    for outcome, least, most in swept.search.bounds if swept.search else ():
        if outcome not in swept.outcomes:
            continue
        low, high = (math.inf if end is None else end for end in (least, most))
        mean = swept.table(outcome)[0]
        below = 0.0 if least is None else low - mean
        above = 0.0 if most is None else mean - high
        size = max(abs(end) for end in (least, most) if end is not None) or 1.0
        excess += np.nan_to_num(np.maximum(np.maximum(below, above), 0.0) / size, nan=np.inf)
    return excess


def search_words(swept: Swept, search: SearchGoal) -> tuple[str, str]:
    """Return a sentence on the best point, and one on its check or the next step, or ""."""
    main, again = swept.outcomes[0], f"Repeat ecnomy {search.verb}"
    if main != search.outcome or (search.aim == "target" and search.target is None):
        return f"{swept.points} points of a search for {called(search.outcome)}.", (
            f"{again} to print the result; no run is repeated."
        )
    best = int(best_first(swept)[0])
    if _outside(swept)[best] > 0:
        return f"All {swept.points} values tried violate the constraints.", ""
    scale = scale_of(main, swept.of(main))
    target = "" if search.target is None else scale.with_unit(f"{search.target * scale.by:.4g}")
    word = _WORDS.get(search.aim, f"nearest to {target}")
    kept = " among those that keep the constraints" if search.bounds else ""
    opens = f"Of {swept.points} values tried, {called(main)} is {word} at {swept.labels[best]}"
    if search.there is None or best not in search.checked:
        return f"{opens}{kept}.", f"The search is not over: {again[0].lower()}{again[1:]}."
    there = scale.with_unit(scale.between(search.there.mean, search.there.half_width))
    seeds = f"over {search.there.n} seeds not used in the search"
    what = "to see which values are as good" if search.verb == "tune" else "for its interval"
    more = f"{again} {what}; no run is repeated"
    return f"{opens}{kept}.", f"{there} there, {seeds}. {more}."
