# SPDX-License-Identifier: Apache-2.0
"""Reads the section `tune` of a sweep file: a search for the best parameter values.

    tune:
      over:                           # one or several
        market.price_per_mark: {from: 0.01 money, to: 0.1 money, scale: log}
        # fare: {paths: [a.path, another.path], from: ...}    one value for several paths
      maximise: profit.isp            # a column of the runs; or minimise: COLUMN, or
      # target: {outcome: callers.late_over_15ms, value: 1 %, within: 5 %}    # default 1 %
      constraints: {gold.goodput_bps: {at-least: 1e6}}      # or at-most; of means over seeds
      trials: 60                      # total number of assignments
      first: 15                       # initial assignments, spread over the ranges
      batch: 6                        # assignments chosen at a time, from earlier results
      check: 10                       # runs of the best assignment, with new seeds

This module defines the first runs of the search. ecnomy.analysis.tune continues it.
"""

from __future__ import annotations

import math
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.yamlfile import Node, child_path, show
from ecnomy.markets.sweep.blocks import number_with_unit, read_over, refuse_fixed
from ecnomy.markets.sweep.keys import TUNE
from ecnomy.markets.sweep.space import Assignment, Point, Range, latin_hypercube
from ecnomy.markets.sweep.ties import Ties, paths_under

__all__ = ["AIMS", "TARGET", "OutcomeBounds", "Tuning", "beginning", "read_tuning"]

TARGET: Final = "target"
AIMS: Final = ("maximise", "minimise", TARGET)
_BOUNDS: Final = ("at-least", "at-most")
_DIGITS: Final = 4
_WITHIN: Final = 0.01


class OutcomeBounds(msgspec.Struct, frozen=True):
    """Bounds on the mean of an outcome. A missing bound is infinite."""

    outcome: str
    least: float = -math.inf
    most: float = math.inf

    def excess(self, value: float) -> float:
        """Return the relative distance beyond the bounds, negative within them; inf for NaN."""
        if math.isnan(value):
            return math.inf
        size = max(abs(end) for end in (self.least, self.most) if math.isfinite(end))
        return max(self.least - value, value - self.most) / (size or 1.0)


class Tuning(msgspec.Struct, frozen=True):
    """A search for the parameter values that give the best outcome.

    Attributes:
        aim: maximise, minimise or target.
        outcome: the column of the runs to optimise.
        paths: the path of each parameter, or its name if it sets several paths.
        ranges: range of each parameter.
        target: the target of the outcome; NaN for the other aims.
        within: distance up to which the target counts as met, in the outcome's unit.
        bounds: bounds on the means of outcomes.
        trials: total number of assignments.
        first: number of initial assignments, spread over the ranges.
        batch: number of assignments chosen at a time.
        check: number of runs of the best assignment, with new seeds.
        ties: paths of each parameter in `paths` that sets several paths, by its name.
    """

    aim: str
    outcome: str
    paths: tuple[str, ...]
    ranges: tuple[Range, ...]
    target: float = math.nan
    within: float = 0.0
    bounds: tuple[OutcomeBounds, ...] = ()
    trials: int = 60
    first: int = 15
    batch: int = 6
    check: int = 10
    ties: Ties = {}

    def loss(self, outcome: float) -> float:
        """Return the loss of an outcome, which the search minimises."""
        if self.aim == TARGET:
            return abs(outcome - self.target)
        return -outcome if self.aim == "maximise" else outcome

    def rounded(self, values: tuple[float, ...]) -> tuple[float, ...]:
        """Return the nearest valid values in the ranges: integers, or four significant digits."""
        return tuple(
            min(max(round(v) if r.whole else float(f"{v:.{_DIGITS}g}"), r.low), r.high)
            for v, r in zip(values, self.ranges, strict=True)
        )

    def assignment(self, values: tuple[float, ...]) -> Assignment:
        """Return the changes that these parameter values make to the scenario."""
        shown = (r.shown(v) for v, r in zip(values, self.ranges, strict=True))
        return dict(zip(self.paths, shown, strict=True))

    def first_values(self, seed: int) -> list[tuple[float, ...]]:
        """Return the values of the first round in order. They form a Latin hypercube."""
        generator = np.random.Generator(np.random.Philox(seed))
        shares = latin_hypercube(self.first, len(self.paths), generator)
        return [self._at(tuple(float(share) for share in row)) for row in shares]

    def _at(self, shares: tuple[float, ...]) -> tuple[float, ...]:
        levels = []
        for share, r in zip(shares, self.ranges, strict=True):
            low, high = (r.low - 0.5, r.high + 0.5) if r.whole else (r.low, r.high)
            levels.append(low * (high / low) ** share if r.log else low + share * (high - low))
        return self.rounded(tuple(levels))

    @property
    def units(self) -> dict[str, str | None]:
        """Return the unit of each parameter."""
        return {path: r.unit for path, r in zip(self.paths, self.ranges, strict=True)}


def beginning(tuning: Tuning, replicates: int, seed: int) -> list[Point]:
    """Return the runs of the first round in order."""
    points: list[Point] = []
    for values in dict.fromkeys(tuning.first_values(seed)):
        params = tuning.assignment(values)
        for replicate in range(replicates):
            points.append(Point(len(points), params, replicate, seed + replicate))
    return points


def read_tuning(node: Node) -> Tuning:
    """Return the tuning under `tune`.

    Raises:
        ScenarioError: the section is invalid.
    """
    if not isinstance(node.value, dict):
        raise node.place.error("tune", show(node), f"a mapping with over and {_aims()}")
    given = node.mapping()
    for key in given:
        if key not in TUNE:
            expected = known_name(key, TUNE)
            raise node.keys[key].error(f"tune.{key}", f"the unknown key {key!r}", expected)
    if not given.get("over", Node(None, node.place)).mapping():
        raise node.place.error("tune", "no 'over'", "over: {path: {from: A, to: B}}")
    paths, ranges, ties = read_over(given["over"], "tune.over")
    for path in paths_under(paths, ties):
        refuse_fixed(path, given["over"], "tune.over")
    aim, outcome, target, within = _aim(node)
    trials = _read(given, "trials", 60)
    first = _read(given, "first", max(2, trials // 4))
    if first > trials:
        expected = f"at most {trials}, the number of trials"
        raise given["first"].place.error("tune.first", f"{first}", expected)
    return Tuning(
        aim=aim,
        outcome=outcome,
        paths=paths,
        ranges=ranges,
        ties=ties,
        target=target,
        within=within,
        bounds=_bounds(given.get("constraints")),
        trials=trials,
        first=first,
        batch=_read(given, "batch", max(1, trials // 10)),
        check=_read(given, "check", 10),
    )


def _aims() -> str:
    return f"one of {', '.join(AIMS)}"


def _aim(node: Node) -> tuple[str, str, float, float]:
    given = node.mapping()
    named = [key for key in given if key in AIMS]
    if len(named) != 1:
        raise node.place.error("tune", " and ".join(named) or "no aim", _aims())
    aim, body = named[0], given[named[0]]
    if aim != TARGET:
        return aim, _column(body, f"tune.{aim}"), math.nan, 0.0
    inside = body.mapping() if isinstance(body.value, dict) else {}
    if not {"outcome", "value"} <= set(inside) or set(inside) - {"outcome", "value", "within"}:
        expected = "{outcome: a column, value: a number}, and within: 1 %"
        raise body.place.error("tune.target", show(body), expected)
    outcome = _column(inside["outcome"], "tune.target.outcome")
    target, share = _figure(inside["value"], "tune.target.value"), _WITHIN
    if "within" in inside:
        share = _figure(inside["within"], "tune.target.within")
        if not 0 <= share < 1:
            found = show(inside["within"])
            raise inside["within"].place.error("tune.target.within", found, "a share below 1")
    return aim, outcome, target, share * abs(target)


def _column(node: Node, path: str) -> str:
    if not isinstance(node.value, str) or not node.value:
        raise node.place.error(path, show(node), "the name of a column of the runs")
    return node.value


def _figure(node: Node, path: str) -> float:
    expected = "a number, such as 0.01 or 1 %"
    try:
        value, unit = number_with_unit(node, path)
    except ScenarioError:
        raise node.place.error(path, show(node), expected) from None
    if unit not in ("", "%") or not math.isfinite(value):
        raise node.place.error(path, show(node), expected)
    return value / 100 if unit else value


def _bounds(node: Node | None) -> tuple[OutcomeBounds, ...]:
    if node is None:
        return ()
    if not isinstance(node.value, dict):
        expected = "a mapping of columns to {at-least: A, at-most: B}"
        raise node.place.error("tune.constraints", show(node), expected)
    bounds = []
    for outcome, body in node.mapping().items():
        here = child_path("tune.constraints", outcome)
        given = body.mapping() if isinstance(body.value, dict) else {}
        if not given or set(given) - set(_BOUNDS):
            raise body.place.error(here, show(body), "{at-least: A, at-most: B}, or one of them")
        ends = [
            _figure(given[key], f"{here}.{key}") if key in given else default
            for key, default in zip(_BOUNDS, (-math.inf, math.inf), strict=True)
        ]
        if ends[0] > ends[1]:
            raise body.place.error(here, show(body), "at-least below at-most")
        bounds.append(OutcomeBounds(outcome, ends[0], ends[1]))
    return tuple(bounds)


def _read(given: dict[str, Node], key: str, default: Any) -> Any:
    return TUNE[key].read(given[key], f"tune.{key}") if key in given else default
