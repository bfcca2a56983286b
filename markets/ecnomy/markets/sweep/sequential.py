# SPDX-License-Identifier: Apache-2.0
"""Decides how many replicates each point needs: `until` in a sweep file.

    until: half-width 2 %                       # of the mean of the first outcome
    until: {outcome: gold.goodput_bps, half-width: 2 %, level: 95 %, most: 100}

Each point is examined after n_1 = `replicates` runs, again whenever the number of its runs has
grown by half, and finally at `most`. The number K of these looks is known before the first run. A
point ends at the first look at which its t interval at level 1 - (1 - level) / K is narrow enough,
or at the last look. The intervals of all looks contain the mean with a joint probability of at
least `level` (Bonferroni), and so does the final interval. Stopping early therefore keeps the
coverage, for any outcome. A plain 95 % interval would lose coverage, because runs end when the
interval happens to be narrow. Decisions depend only on recorded outcomes, in the order of
replicates.

Sources: Chow, Robbins 1965 (stopping at a width); Law, Simulation Modeling and Analysis, 9.4.1;
Dunn 1961 (split of the level). If the half-width is a share r of the estimate, and the
interval contains the true mean, the half-width is at most r / (1 - r) of the true mean.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import InputError
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.yamlfile import Node, show
from ecnomy.markets.sweep.keys import SWEEP, UNTIL

__all__ = [
    "LEAST",
    "Until",
    "chosen_outcome",
    "counts_of",
    "narrow",
    "next_count",
    "read_until",
]

LEAST: Final = 5  # runs before the first look; fewer runs tell little about the spread
_GROWTH: Final = 1.5
_WIDTH: Final = SWEEP["until"].takes


class Until(msgspec.Struct, frozen=True):
    """The stopping rule for a point's replicates.

    Attributes:
        outcome: outcome whose interval decides, or "" for the first outcome of the sweep.
        half_width: largest half-width at which replication stops, as a share of the mean if
            `relative`, otherwise in the outcome's unit.
        level: confidence level of the intervals of all looks together.
        most: maximum number of replicates of a point.
    """

    outcome: str
    half_width: float
    relative: bool
    level: float = 0.95
    most: int = 100

    def looks(self, first: int) -> tuple[int, ...]:
        """Return a point's number of replicates at each look, given the number at the first."""
        counts = [first]
        while counts[-1] < self.most:
            counts.append(min(self.most, math.ceil(counts[-1] * _GROWTH)))
        return tuple(counts)

    def level_of_look(self, first: int) -> float:
        """Return the confidence level of the interval at each look."""
        return 1 - (1 - self.level) / len(self.looks(first))


def narrow(values: Sequence[float], until: Until, first: int) -> bool:
    """Return whether the confidence interval for the mean of these values is narrow enough."""
    from scipy.stats import t

    n = len(values)
    if n < 2:
        return False
    mean = math.fsum(values) / n
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    quantile = float(t.ppf((1 + until.level_of_look(first)) / 2, n - 1))
    wanted = until.half_width * abs(mean) if until.relative else until.half_width
    return quantile * spread / math.sqrt(n) <= wanted


def next_count(values: Sequence[float | None], until: Until, first: int) -> tuple[int, bool]:
    """Return the number of replicates that a point needs, and whether they exist and suffice.

    Args:
        values: outcomes of the point's replicates in order; NaN for a run without a value (such as
            a failed run), None for a missing run.
        until: the stopping rule.
        first: replicates at the first look.
    """
    for look in until.looks(first):
        made = values[:look]
        if len(made) < look or any(value is None for value in made):
            return look, False
        known = [value for value in made if value is not None and math.isfinite(value)]
        if not known or look == until.most or narrow(known, until, first):
            return look, True
    raise AssertionError("the last look ends a point")


def counts_of(
    names: Sequence[Sequence[str]], known: dict[str, float], until: Until, first: int
) -> tuple[tuple[int, ...], int]:
    """Return the number of replicates that each point needs, and the number of complete points.

    Args:
        names: identities of all possible replicates of each point, in order.
        known: value of each recorded run, by identity.
        until: the stopping rule.
        first: replicates at the first look.
    """
    counts = [next_count([known.get(n) for n in row], until, first) for row in names]
    return tuple(count for count, _ in counts), sum(enough for _, enough in counts)


def read_until(node: Node, replicates: int, place: Any) -> Until:
    """Return the stopping rule under `until`.

    Args:
        node: the value of `until`.
        replicates: number of replicates at the first look.
        place: place of `replicates` in the file, for error messages.

    Raises:
        ScenarioError: the section is invalid.
    """
    if isinstance(node.value, dict):
        given = node.mapping()
        for key in given:
            if key not in UNTIL:
                expected = known_name(key, UNTIL)
                raise node.keys[key].error(f"until.{key}", f"the unknown key {key!r}", expected)
        if "half-width" not in given:
            raise node.place.error("until", "no 'half-width'", _WIDTH)
        outcome = _name(given["outcome"]) if "outcome" in given else ""
        width, relative = _width(given["half-width"], show(given["half-width"]))
        level = _level(given["level"]) if "level" in given else 0.95
        most = int(UNTIL["most"].read(given["most"], "until.most")) if "most" in given else 100
    else:
        text = str(node.value)
        if not text.startswith("half-width "):
            raise node.place.error("until", show(node), _WIDTH)
        outcome, level, most = "", 0.95, 100
        width, relative = _width(node, text.removeprefix("half-width "))
    if replicates < LEAST:
        found = f"{replicates} together with until"
        raise place.error("replicates", found, f"at least {LEAST}, the number of the first look")
    if most < replicates:
        expected = f"at least {replicates}, the value of replicates"
        raise node.place.error("until.most", str(most), expected)
    return Until(outcome, width, relative, level, most)


def _name(node: Node) -> str:
    if not isinstance(node.value, str) or not node.value:
        raise node.place.error("until.outcome", show(node), "the name of a column")
    return node.value


def _width(node: Node, text: str) -> tuple[float, bool]:
    number, _, percent = text.strip().strip("'\"").partition("%")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    relative = "%" in text
    if percent or not 0 < value < math.inf or (relative and value >= 100):
        raise node.place.error("until", show(node), _WIDTH)
    return (value / 100, True) if relative else (value, False)


def _level(node: Node) -> float:
    text = str(node.value).strip()
    with contextlib.suppress(ValueError):
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        if 0.5 <= value < 1:
            return value
    raise node.place.error("until.level", show(node), "a level from 50 % to below 100 %")


def chosen_outcome(file: str, until: Until, named: Sequence[str], columns: Sequence[str]) -> str:
    """Return the outcome whose interval decides.

    Raises:
        InputError: the runs do not have the outcome.
    """
    from ecnomy.markets.sweep.main_outcomes import main_outcomes

    outcome = until.outcome or next(iter(main_outcomes(columns, named)), "")
    if outcome not in columns:
        raise InputError(
            f"{file}: until.outcome: found {outcome!r}, expected a column of the runs "
            f"({known_name(outcome, columns)})"
        )
    return outcome
