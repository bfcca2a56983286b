# SPDX-License-Identifier: Apache-2.0
"""The YAML under a source's `profile:`, which varies its load over the day.

    profile: {steps: {0 h: 0.3, 8 h: 1.0, 12 h: 1.3, 18 h: 0.8}}

A factor holds until the time of the next one. The last factor holds until the first step of the
next period. Simulated time 0 is at `offset` within a period. omnet/laws/traffic/profile.h describes
how a factor changes the traffic.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.inputs.amounts import TIME, Amount, Number, TimePs
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.inputs.units import number
from ecnomy.markets.inputs.yamlfile import Node, child_path, show

__all__ = ["DAY_PS", "Profile", "Step"]

DAY_PS: Final = 86_400 * PS_PER_S
PPM: Final = 10**6
_MOST: Final = 1000
_FACTOR: Final = Number(what="a factor", least=0, most=_MOST)
_Period = Annotated[int, Amount(what="a time", example="24 h", units=("ps",), above=True)]


class Step(msgspec.Struct, frozen=True):
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

    def read(self, node: Node, path: str) -> tuple[Step, ...]:
        """See Reader."""
        if not node.mapping():
            raise node.place.error(path, show(node), self.expected)
        steps: dict[int, Step] = {}
        for key, value in node.mapping().items():
            here = child_path(path, key)
            place = node.keys.get(key, node.place)
            at_ps = TIME.read(Node(key, place, key), here)
            if at_ps in steps:
                raise place.error(here, "two steps at the same time", "each time once")
            steps[at_ps] = Step(at_ps, self._ppm(value, here))
        return tuple(steps[at_ps] for at_ps in sorted(steps))

    def write(self, value: tuple[Step, ...]) -> Any:
        """See Reader."""
        return {TIME.write(s.at_ps): s.factor_ppm / PPM for s in value}

    def _ppm(self, node: Node, path: str) -> int:
        factor = _FACTOR.read(node, path)
        ppm = round(number(node.text) * PPM)
        if factor > 0 and ppm == 0:
            raise node.place.error(path, show(node), f"0, or a factor from {1 / PPM:f} to {_MOST}")
        return ppm


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """A factor on a source's rate, constant between steps and repeated every `period`.

    Attributes:
        steps: times within the period, each with the factor that holds from then on.
        period: time after which the steps repeat.
        offset: time within the period at which simulated time 0 lies.
    """

    steps: Annotated[tuple[Step, ...], _StepsReader()]
    period: _Period = DAY_PS
    offset: TimePs = 0

    def __post_init__(self) -> None:
        if self.steps[-1].at_ps >= self.period:
            found = f"a step at {self.steps[-1].at_ps / PS_PER_S:g} s"
            expected = f"steps before the end of the period at {self.period / PS_PER_S:g} s"
            raise Misfit("steps", found, expected)
        if not any(step.factor_ppm for step in self.steps):
            raise Misfit("steps", "no factor above 0", "at least one factor above 0")

    def from_zero(self) -> list[Step]:
        """Return the steps of a period that begins, with its first step, at simulated time 0."""
        offset = self.offset % self.period
        moved = sorted(((s.at_ps - offset) % self.period, s.factor_ppm) for s in self.steps)
        if moved[0][0] > 0:
            moved.insert(0, (0, moved[-1][1]))
        return [Step(at_ps, ppm) for at_ps, ppm in moved]
