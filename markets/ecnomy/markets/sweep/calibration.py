# SPDX-License-Identifier: Apache-2.0
"""Reads the section `calibrate` of a sweep file: parameter, column and target.

    calibrate:
      figure: voice_late                  # a column of the runs
      target: 0.01                        # or a list with a target for each point of `parameters`
      parameter: network.links.bottleneck.marking.max_threshold
      from: 36 packets
      to: 1200 packets
      scale: log                          # or linear
      step: 6 packets                     # values are multiples of the step; by default any value,
                                          # or any integer if `from` and `to` are integers
      with: {network.links.bottleneck.marking.min_threshold: 0.1666666667}     # times the parameter
      figure_goes: up                     # or down, as the parameter rises
      first: 5                            # values of the first round, including both ends
      most: 12                            # maximum number of values
      within: 0.01                        # relative difference up to which values count as equal

This module defines the first runs of the search. ecnomy.analysis.calibrate continues the search.
"""

from __future__ import annotations

import math
from typing import Any, Final

import msgspec

from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.yamlfile import Node, show
from ecnomy.markets.sweep.blocks import number_with_unit, read_range, refuse_fixed
from ecnomy.markets.sweep.keys import CALIBRATE
from ecnomy.markets.sweep.space import Assignment, ParameterBlock, Point, Range, products

__all__ = ["Calibration", "beginning", "read_calibration"]

_NEEDED: Final = tuple(name for name, key in CALIBRATE.items() if key.default is None)
_TARGET: Final = CALIBRATE["target"]
_DIGITS: Final = 4


class Calibration(msgspec.Struct, frozen=True):
    """A search for the parameter value at which a column of the runs meets a target.

    Attributes:
        figure: a column of the runs, which increases or decreases with the parameter.
        targets: one target for all points of the sweep's blocks, or a target for each point.
        path: path of the parameter.
        range: range of the search.
        step: step of the values; 0 allows any value with four significant digits.
        shares: ratio of each parameter under `with` to the searched parameter, by path.
        up: whether the column increases with the parameter.
        first: number of values in the first round, evenly spaced on the range's scale.
        most: maximum number of values that the search tries.
        within: relative difference up to which two values count as equal.
    """

    figure: str
    targets: tuple[float, ...]
    path: str
    range: Range
    step: float = 0.0
    shares: dict[str, float] = {}
    up: bool = True
    first: int = 5
    most: int = 12
    within: float = 0.01

    def target(self, index: int) -> float:
        """Return the target of the point with this index."""
        return self.targets[index if len(self.targets) > 1 else 0]

    def rounded(self, value: float) -> float:
        """Return the nearest valid value within the range."""
        if self.step:
            value = float(f"{round(value / self.step) * self.step:.6g}")
        else:
            value = float(f"{value:.{_DIGITS}g}")
        return min(max(value, self.range.low), self.range.high)

    def around(self, low: float, high: float) -> tuple[float, float]:
        """Return the interval, extended to multiples of the step but not beyond the range.

        Without a step, or with an infinite end, the interval is unchanged.
        """
        if not self.step or not (math.isfinite(low) and math.isfinite(high)):
            return low, high
        ends = (math.floor(low / self.step), math.ceil(high / self.step))
        low, high = (self.rounded(count * self.step) for count in ends)
        return low, high

    def first_values(self) -> list[float]:
        """Return the values of the first round, including both ends, in ascending order."""
        low, high, last = self.range.low, self.range.high, self.first - 1
        shares = [number / last for number in range(1, last)]
        inner = [
            low * (high / low) ** share if self.range.log else low + share * (high - low)
            for share in shares
        ]
        return sorted({low, high, *map(self.rounded, inner)})

    def assignment(self, value: float) -> Assignment:
        """Return the changes to the scenario for a value of the parameter."""
        others = {path: self.range.shown(value * share) for path, share in self.shares.items()}
        return {self.path: self.range.shown(value), **others}

    @property
    def units(self) -> dict[str, str | None]:
        """Return the unit of each parameter that the search sets."""
        return dict.fromkeys((self.path, *self.shares), self.range.unit)


def beginning(
    calibration: Calibration, blocks: tuple[ParameterBlock, ...], replicates: int, seed: int
) -> list[Point]:
    """Return the runs of the first round: all replicates of every first value at each point."""
    points: list[Point] = []
    for params in products(blocks, seed):
        for value in calibration.first_values():
            whole = {**params, **calibration.assignment(value)}
            for replicate in range(replicates):
                points.append(Point(len(points), whole, replicate, seed + replicate))
    return points


def read_calibration(node: Node, points: int) -> Calibration:
    """Return the calibration under `calibrate`, for a sweep whose blocks have `points` points.

    Raises:
        ScenarioError: the section is invalid.
    """
    if not isinstance(node.value, dict):
        raise node.place.error("calibrate", show(node), f"a mapping with {', '.join(_NEEDED)}")
    given = node.mapping()
    for key in given:
        if key not in CALIBRATE:
            expected = known_name(key, CALIBRATE)
            raise node.keys[key].error(f"calibrate.{key}", f"the unknown key {key!r}", expected)
    if absent := [key for key in _NEEDED if key not in given]:
        lacking = f"no {', '.join(map(repr, absent))}"
        raise node.place.error("calibrate", lacking, f"{', '.join(_NEEDED)}")
    span = read_range(given["from"], given["to"], given.get("scale"), "calibrate")
    first = _read(given, "first", 5)
    most = _read(given, "most", 12)
    if most < first:
        raise given["most" if "most" in given else "first"].place.error(
            "calibrate.most",
            f"{most} values in total",
            f"at least {first}, the number of values in the first round",
        )
    calibration = Calibration(
        figure=_text(given, "figure"),
        targets=_targets(given["target"], points),
        path=_parameter(given),
        range=span,
        step=_step(given.get("step"), span),
        shares=_shares(given.get("with")),
        up=_read(given, "figure_goes", "up") == "up",
        first=first,
        most=most,
        within=_read(given, "within", 0.01),
    )
    if calibration.path in calibration.shares:
        raise given["with"].place.error(
            "calibrate.with", repr(calibration.path), "parameters other than calibrate.parameter"
        )
    return calibration


def _text(given: dict[str, Node], key: str) -> str:
    node = given[key]
    if not isinstance(node.value, str) or not node.value:
        expected = "the name of a column" if key == "figure" else "a path into the scenario"
        raise node.place.error(f"calibrate.{key}", show(node), expected)
    return node.value


def _parameter(given: dict[str, Node]) -> str:
    path = _text(given, "parameter")
    refuse_fixed(path, given["parameter"], "calibrate.parameter")
    return path


def _read(given: dict[str, Node], key: str, default: Any) -> Any:
    return CALIBRATE[key].read(given[key], f"calibrate.{key}") if key in given else default


def _targets(node: Node, points: int) -> tuple[float, ...]:
    if not isinstance(node.value, list):
        return (float(_TARGET.read(node, "calibrate.target")),)
    items = node.items()
    if len(items) != points:
        expected = f"{points} (one for each point of `parameters`), or one number for all"
        raise node.place.error("calibrate.target", f"{len(items)} targets", expected)
    return tuple(
        float(_TARGET.read(item, f"calibrate.target[{index}]")) for index, item in enumerate(items)
    )


def _step(node: Node | None, span: Range) -> float:
    if node is None:
        return 1.0 if span.whole else 0.0
    step, unit = number_with_unit(node, "calibrate.step")
    if unit != span.unit or not 0 < step < span.high - span.low:
        what = f"a step above 0 and below the width of the range, in {span.unit or 'plain numbers'}"
        raise node.place.error("calibrate.step", show(node), what)
    if span.whole and step != int(step):
        raise node.place.error("calibrate.step", show(node), "a whole number")
    return step


def _shares(node: Node | None) -> dict[str, float]:
    if node is None:
        return {}
    if not isinstance(node.value, dict):
        expected = "a mapping of paths to shares of the parameter's value"
        raise node.place.error("calibrate.with", show(node), expected)
    return {
        path: float(CALIBRATE["with"].read(value, f"calibrate.with.{path}"))
        for path, value in node.mapping().items()
    }
