# SPDX-License-Identifier: Apache-2.0
"""The YAML under a source's `profile:` and a link's `delay_profile:`: values by time.

    profile: {steps: {0 h: 0.3, 8 h: 1.0, 12 h: 1.3, 18 h: 0.8}}       # factors on the load
    delay_profile: {period: 30 s, steps: {0 s: 0 ms, 15 s: 40 ms}}     # added to the link's delay

A value holds until the time of the next one. The last value holds until the first step of the next
period. Simulated time 0 is at `offset` within a period. omnet/laws/traffic/profile.h describes how
a factor changes the traffic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final

import msgspec

from ecnomy.agents.times import PS_PER_DAY, PS_PER_S
from ecnomy.markets.inputs.amounts import TIME, Amount, Number, TimePs
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.inputs.units import number
from ecnomy.markets.inputs.yamlfile import Node, child_path, show

__all__ = ["DelayProfile", "DelayStep", "Profile", "RateStep"]

PPM: Final = 10**6
_MOST: Final = 1000
_FACTOR: Final = Number(what="a factor", least=0, most=_MOST)
_Period = Annotated[int, Amount(what="a time", example="24 h", units=("ps",), above=True)]


class RateStep(msgspec.Struct, frozen=True):
    """A step: from `at_ps` within the period on, the rate is scaled by `factor_ppm` millionths."""

    at_ps: int
    factor_ppm: int


class _StepsReader(msgspec.Struct, frozen=True):
    """Reads times and their factors, sorted by time, with factors rounded to six decimals."""

    @property
    def expected(self) -> str:
        """Return the expected form."""
        return "a mapping of times to factors, such as {0 h: 0.3, 8 h: 1}"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        return {"type": "object", "minProperties": 1, "additionalProperties": _FACTOR.schema}

    def read(self, node: Node, path: str) -> tuple[RateStep, ...]:
        """See Reader."""
        return tuple(RateStep(*step) for step in _timed(node, path, self.expected, self._ppm))

    def write(self, value: tuple[RateStep, ...]) -> Any:
        """See Reader."""
        return {TIME.write(s.at_ps): s.factor_ppm / PPM for s in value}

    def _ppm(self, node: Node, path: str) -> int:
        factor = _FACTOR.read(node, path)
        ppm = round(number(node.text) * PPM)
        if factor > 0 and ppm == 0:
            raise node.place.error(path, show(node), f"0, or a factor from {1 / PPM:f} to {_MOST}")
        return ppm


class DelayStep(msgspec.Struct, frozen=True):
    """A step: from `at_ps` within the period on, the wire adds `delay_ps`."""

    at_ps: int
    delay_ps: int


class _DelayStepsReader(msgspec.Struct, frozen=True):
    """Reads times and their additional delays, sorted by time."""

    @property
    def expected(self) -> str:
        """Return the expected form."""
        return "a mapping of times to delays, such as {0 s: 0 ms, 15 s: 40 ms}"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        return {"type": "object", "minProperties": 1, "additionalProperties": TIME.schema}

    def read(self, node: Node, path: str) -> tuple[DelayStep, ...]:
        """See Reader."""
        return tuple(DelayStep(*step) for step in _timed(node, path, self.expected, TIME.read))

    def write(self, value: tuple[DelayStep, ...]) -> Any:
        """See Reader."""
        return {TIME.write(s.at_ps): TIME.write(s.delay_ps) for s in value}


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """A factor on a source's rate, constant between steps and repeated every `period`.

    Attributes:
        steps: times within the period, each with the factor that holds from then on.
        period: time after which the steps repeat.
        offset: time within the period at which simulated time 0 lies.
    """

    steps: Annotated[tuple[RateStep, ...], _StepsReader()]
    period: _Period = PS_PER_DAY
    offset: TimePs = 0

    def __post_init__(self) -> None:
        _check_period(self.steps[-1].at_ps, self.period)
        if not any(step.factor_ppm for step in self.steps):
            raise Misfit("steps", "no factor above 0", "at least one factor above 0")

    def from_zero(self) -> list[RateStep]:
        """Return the steps of a period that begins, with its first step, at simulated time 0."""
        steps = [(step.at_ps, step.factor_ppm) for step in self.steps]
        return [RateStep(*step) for step in _from_zero(steps, self.period, self.offset)]


class DelayProfile(msgspec.Struct, frozen=True, kw_only=True):
    """A delay in addition to a link's, constant between steps and repeated every `period`.

    Attributes:
        steps: times within the period, each with the additional delay that holds from then on.
        period: time after which the steps repeat.
        offset: time within the period at which simulated time 0 lies.
    """

    steps: Annotated[tuple[DelayStep, ...], _DelayStepsReader()]
    period: _Period = PS_PER_DAY
    offset: TimePs = 0

    def __post_init__(self) -> None:
        _check_period(self.steps[-1].at_ps, self.period)

    def from_zero(self) -> list[DelayStep]:
        """Return the steps of a period that begins, with its first step, at simulated time 0."""
        steps = [(step.at_ps, step.delay_ps) for step in self.steps]
        return [DelayStep(*step) for step in _from_zero(steps, self.period, self.offset)]


def _timed(
    node: Node, path: str, expected: str, read_value: Callable[[Node, str], int]
) -> list[tuple[int, int]]:
    """Read a mapping of times to values, in ascending order of time in ps."""
    if not node.mapping():
        raise node.place.error(path, show(node), expected)
    steps: dict[int, int] = {}
    for key, value in node.mapping().items():
        here = child_path(path, key)
        place = node.keys.get(key, node.place)
        at_ps = TIME.read(Node(key, place, key), here)
        if at_ps in steps:
            raise place.error(here, "two steps at the same time", "each time once")
        steps[at_ps] = read_value(value, here)
    return sorted(steps.items())


def _check_period(last_ps: int, period_ps: int) -> None:
    if last_ps >= period_ps:
        found = f"a step at {last_ps / PS_PER_S:g} s"
        expected = f"steps before the end of the period at {period_ps / PS_PER_S:g} s"
        raise Misfit("steps", found, expected)


def _from_zero(
    steps: Sequence[tuple[int, int]], period_ps: int, offset_ps: int
) -> list[tuple[int, int]]:
    offset = offset_ps % period_ps
    moved = sorted(((at_ps - offset) % period_ps, value) for at_ps, value in steps)
    if moved[0][0] > 0:
        moved.insert(0, (0, moved[-1][1]))
    return moved
