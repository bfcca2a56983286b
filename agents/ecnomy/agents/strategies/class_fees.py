# SPDX-License-Identifier: Apache-2.0
"""The base class of strategies that post fees: update times, bounds and cost of marks."""

from __future__ import annotations

from typing import ClassVar, Final

from ecnomy.agents.classes import ClassObservation
from ecnomy.agents.decision import Decision
from ecnomy.agents.money import DEAREST_MICRO, MICRO
from ecnomy.agents.observation import Observation
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.constant_charge import class_charges
from ecnomy.agents.times import PS_PER_S

__all__ = ["DEAREST", "ClassFees"]

DEAREST: Final = DEAREST_MICRO / MICRO  # money/s


class ClassFees:
    """Pays the charge of each flow's class, and updates fees periodically.

    Attributes:
        every: time between two changes of the fees [s].
        floor: the lowest fee [money/s].
        ceiling: the highest fee [money/s].
    """

    roles: ClassVar[tuple[str, ...]] = ("application-provider",)
    every: float
    floor: float
    ceiling: float
    _dt_ps: int = 0

    def charge_in(self, class_charge_micro: int) -> int:
        """Return the target cost of a flow's marks if its class has this charge [micro-units/s]."""
        return class_charge_micro

    def decide_many(self, observation: Observation) -> Decision:
        """Return the charge of each flow's class as the target cost of its marks."""
        return Decision(class_charges(observation))

    def _check_bounds(self, least: float) -> None:
        """Refuse the bounds unless `least` (0 or 1 micro-unit) <= floor <= ceiling <= DEAREST."""
        if not least <= self.floor <= DEAREST:
            lowest = f"{least:.6f}" if least else "0"
            expected = f"from {lowest} to {DEAREST:g} money/s"
            raise Refused("floor", f"{self.floor:g} money/s", expected)
        if not self.floor <= self.ceiling <= DEAREST:
            expected = f"from the floor of {self.floor:g} to {DEAREST:g} money/s"
            raise Refused("ceiling", f"{self.ceiling:g} money/s", expected)

    def _elapsed_ps(self, observation: ClassObservation) -> int:
        """Return the time since the last update of fees if an update is due, otherwise 0."""
        self._dt_ps += observation.dt_ps
        if self._dt_ps < round(self.every * PS_PER_S):
            return 0
        elapsed_ps, self._dt_ps = self._dt_ps, 0
        return elapsed_ps

    def _bounded(self, fee_micro: float) -> int:
        return round(min(max(fee_micro, self.floor * MICRO), self.ceiling * MICRO))
