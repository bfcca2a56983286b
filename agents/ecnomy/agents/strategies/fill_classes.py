# SPDX-License-Identifier: Apache-2.0
"""`fill-classes`: adjust fees so that a target share of each class of limited size is filled.

The target of a class with `members` is n* = share x members. After each time `every`, let n be the
class's active members plus the largest number of flows refused at one time since the last change
(they want the class at this fee), and F the fee:

    log F <- log F + g log(n / n*),  by log 2 at most;    F stays if |n - n*| < 1

With immediate responses and a demand of elasticity e, a decision leaves a share 1 - g e of an error
in log n. The error does not oscillate for e up to 1/g, and shrinks for e below 2/g. By default, g
is 1/2. A fee does not change while n is within one member of the target, because members are
integers. Fees of classes without `members` never change.

Source: antoniadis2000, section 2 (classes at prices). The law is that of `target-utilization`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Final

from ecnomy.agents.classes import ClassObservation
from ecnomy.agents.money import MICRO
from ecnomy.agents.parameters import Refused, Unit, positive
from ecnomy.agents.strategies.class_fees import DEAREST, ClassFees

__all__ = ["FillClasses"]

LONGEST_STEP: Final = math.log(2.0)


@dataclasses.dataclass
class FillClasses(ClassFees):
    """Pays the charge of each flow's class, and sets fees that keep classes filled but not full.

    Attributes:
        share: target share of the `members` of a class [above 0, up to 1].
        every: time between two changes of the fees.
        gain: power of (members / their target) by which a fee is multiplied at each change
            [above 0, up to 1].
        floor: the lowest fee.
        ceiling: the highest fee.
    """

    needs_of_one_class: ClassVar[Mapping[str, str]] = {"members": "10"}
    share: float = 0.8
    every: Annotated[float, Unit("s")] = 20.0
    gain: float = 0.5
    floor: Annotated[float, Unit("money/s")] = 1 / MICRO
    ceiling: Annotated[float, Unit("money/s")] = DEAREST

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise Refused("share", f"{self.share:g}", "a share above 0 and at most 1")
        positive("every", self.every, "s")
        if not 0 < self.gain <= 1:
            raise Refused("gain", f"{self.gain:g}", "a number above 0 and at most 1")
        self._check_bounds(1 / MICRO)
        self._refused: dict[str, int] = {}

    def post_fees(self, observation: ClassObservation) -> Mapping[str, int]:
        """Return the new fees [micro-units/s], or {} between updates."""
        for name, refused in zip(
            observation.names, observation.classes.refused.tolist(), strict=True
        ):
            self._refused[name] = max(self._refused.get(name, 0), refused)
        if not self._elapsed_ps(observation):
            return {}
        classes, fees = observation.classes, {}
        for k, name in enumerate(observation.names):
            wanted = int(classes.active[k]) + self._refused[name]
            target = self.share * int(classes.most[k])
            if target > 0 and abs(wanted - target) >= 1:
                fees[name] = self._fee(int(classes.fee_micro_per_s[k]), wanted / target)
        self._refused = {}
        return fees

    def _fee(self, fee_micro: int, ratio: float) -> int:
        step = self.gain * math.log(max(ratio, 1e-9))
        step = min(max(step, -LONGEST_STEP), LONGEST_STEP)
        return self._bounded(max(fee_micro, 1) * math.exp(step))
