# SPDX-License-Identifier: Apache-2.0
"""`cost-plus`: set fees that follow the cost of each class's marks, plus a margin.

Antoniadis et al. 2000, 2: the carrier charges the provider for marks, and the provider charges its
customers a fixed fee. A permanent fee makes a loss during congestion, or is too high without
congestion. Here the fee is fixed for a period `every`. For each class, let dt be the length of the
last period, n dt the flows' time in the class, and c dt the cost of their marks. f is the fee, m
the margin and L the time `over`:

    D <- D + ((1 + m) c - f n) dt               the class's deficit so far
    f <- (1 + m) c / n + D / (n max(L, dt)),    within [floor, ceiling]

The fee covers the cost: with n constant members

    D' = (1 - dt / max(L, dt)) D + (1 + m) (c' - c) dt

so an error fades with the time L. A class's revenue is (1 + m) times its cost, except for D. D is
at most max(L, dt) times the largest change of (1 + m) c between two decisions. It does not grow
with time unless the floor or the ceiling binds.

The target cost of marks is the class's `charge`, which each class needs. If the target followed the
fee, cost and fee would drive each other.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Annotated, ClassVar

from ecnomy.agents.classes import ClassObservation
from ecnomy.agents.parameters import Refused, Unit, positive
from ecnomy.agents.strategies.class_fees import DEAREST, ClassFees
from ecnomy.agents.times import PS_PER_S

__all__ = ["CostPlus"]


@dataclasses.dataclass
class CostPlus(ClassFees):
    """Pays the charge of each flow's class, and sets fees that recover this cost with a margin.

    Attributes:
        margin: the profit on the cost of marks, as a share of that cost [from 0].
        every: time between two changes of the fees.
        over: the time in which a class recovers its deficit.
        floor: the lowest fee.
        ceiling: the highest fee.
    """

    needs_of_classes: ClassVar[Mapping[str, str]] = {"charge": "4 money/s"}
    margin: float = 0.1
    every: Annotated[float, Unit("s")] = 10.0
    over: Annotated[float, Unit("s")] = 60.0
    floor: Annotated[float, Unit("money/s")] = 0.0
    ceiling: Annotated[float, Unit("money/s")] = DEAREST

    def __post_init__(self) -> None:
        if not 0 <= self.margin < math.inf:
            raise Refused("margin", f"{self.margin:g}", "a share of 0 or more")
        positive("every", self.every, "s")
        positive("over", self.over, "s")
        self._check_bounds(0.0)
        self._short: dict[str, float] = {}  # D of each class, micro-units
        self._cost: dict[str, float] = {}  # cost since the fees last changed, micro-units
        self._flow_s: dict[str, float] = {}

    def post_fees(self, observation: ClassObservation) -> Mapping[str, int]:
        """Return the new fees [micro-units/s], or {} between updates."""
        classes, more = observation.classes, 1 + self.margin
        for k, name in enumerate(observation.names):
            cost, flow_s = float(classes.charge_micro[k]), float(classes.flow_s[k])
            brought = float(classes.fee_micro_per_s[k]) * flow_s
            self._short[name] = self._short.get(name, 0.0) + more * cost - brought
            self._cost[name] = self._cost.get(name, 0.0) + cost
            self._flow_s[name] = self._flow_s.get(name, 0.0) + flow_s
        dt_s = self._elapsed_ps(observation) / PS_PER_S
        if not dt_s:
            return {}
        fees = {name: self._fee(name, dt_s) for name in observation.names if self._flow_s[name] > 0}
        self._cost, self._flow_s = {}, {}
        return fees

    def _fee(self, name: str, dt_s: float) -> int:
        late = (1 + self.margin) * self._cost[name]
        owed = self._short[name] * dt_s / max(self.over, dt_s)
        return self._bounded((late + owed) / self._flow_s[name])
