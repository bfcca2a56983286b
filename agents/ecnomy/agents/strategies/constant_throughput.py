# SPDX-License-Identifier: Apache-2.0
"""`constant-throughput`: keep a rate x0 while its marks cost less than a threshold per second.

The strategy of Antoniadis et al. 2000, 2.2, keeps the sending rate constant while the rate of
received marks times the price per mark is below a threshold w. At the threshold, it sends at a
lower level as long as the rate of marked packets is high. Within an epoch, the engine controls the
flow with

    rate cap   x0
    mark rate  w / price per mark, the target of window law WTP

and the flow sends x = min(x0, m / p), with the mark rate m and the marking probability p of
packets. This is the paper's behaviour, with the rate that the willingness w buys as the lower
level, because WTP's willingness caps the charge:

    x0 p < m    the marks at x0 cost less than w. WTP would send faster than x0, so the cap binds:
                the rate is x0, and the charge is the cost of the marks at x0, below w.
    x0 p >= m   the threshold is reached. WTP falls to m / p and the charge stays at w.
    back        WTP is at x0 again exactly when the charge extrapolated to x0, x0 p price, is below
                w. A rule with hysteresis that returns at 0.8 w has the same effect: between 0.8 w
                and w its lower level m / p is already x0 or more, and the cap holds it at x0.

The two levels meet at the threshold, so the rate does not jump or cycle without hysteresis.
The disadvantage is that both changes take WTP's time constant T / (gain p). After a sudden onset of
congestion, the flow pays more than w for this time. Close to the threshold, random marks sometimes
move the window below x0. So the mean rate is slightly below x0 before the mean charge reaches w. A
flow whose transport has no weight stays at x0, even if marks are expensive.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.decision import Decision
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import Observation
from ecnomy.agents.parameters import Unit, positive

__all__ = ["ConstantThroughput"]


@dataclasses.dataclass
class ConstantThroughput:
    """Buys one rate for each flow, up to a cost of marks.

    Attributes:
        threshold: the largest cost of a flow's marks per second.
        rate: x0, in IP bits; by default the largest rate of the flow's traffic.
    """

    roles: ClassVar[tuple[str, ...]] = ("application-provider", "price-handler")
    threshold: Annotated[float, Unit("money/s")]
    rate: Annotated[float | None, Unit("bit/s")] = None

    def __post_init__(self) -> None:
        positive("threshold", self.threshold, "money/s")
        if self.rate is not None:
            positive("rate", self.rate, "bit/s")
        self._flow: Integers = np.zeros(0, dtype=np.int64)
        self._terms = Decision()

    @property
    def needs_rate(self) -> str:
        """The parameter to set for flows without a rate limit, or "" if it is not needed."""
        return "rate" if self.rate is None else ""

    def decide_many(self, observation: Observation) -> Decision:
        """Return the rate caps and the threshold, which are the same at every decision."""
        flows = observation.flows
        if self._flow is not flows.flow and not np.array_equal(self._flow, flows.flow):
            self._flow, count = flows.flow, len(flows.flow)
            cap_bps = flows.limit_bps if self.rate is None else np.full(count, self.rate)
            if not np.all(np.isfinite(cap_bps)):
                raise StrategyError(
                    "constant-throughput: missing 'rate' for a flow without a rate limit"
                )
            pay_micro = np.full(count, max(1.0, float(round(self.threshold * MICRO))))
            self._terms = Decision(willingness_micro_per_s=pay_micro, rate_cap_bps=cap_bps)
        return self._terms
