# SPDX-License-Identifier: Apache-2.0
"""`constant-throughput`: a constant rate x0 while its marks cost less than a threshold per second.

Antoniadis et al. 2000, 2.2: keep the sending rate constant provided the rate of received marks
times the price per mark is below a threshold w; when it is hit, send at a lower level as long as
the rate of marked packets is high. What has to act within an epoch is the engine's: it is given

    rate cap   x0
    mark rate  w / price per mark, the aim of window law WTP

and sends x = min(x0, m / p), m the mark rate and p the marking probability in packets. That is the
behaviour asked for, with willingness w as the lower level, because WTP's willingness is a cap on
the charge:

    x0 p < m    the marks at x0 cost less than w. WTP would send faster than x0, so the cap binds,
                the rate is x0 and the charge is what the marks at x0 cost, below w.
    x0 p >= m   the threshold is hit. WTP falls to m / p and the charge stays at w.
    back        WTP is at x0 again exactly when the charge extrapolated to x0, x0 p price, is below
                w. A rule with hysteresis that returns at 0.8 w does nothing else: between 0.8 w
                and w its lower level m / p is x0 or more already, and is held at x0.

It differs from a switch between two levels in that the levels meet at the threshold, so that there
is no jump, nothing to cycle and no need for hysteresis. The price is that both changes take WTP's
time constant T / (gain p): after a sudden onset of congestion more than w is paid for that long.
And close to the threshold the window, which random marks move about, is below x0 now and then, so
the mean rate is a little below x0 before the mean charge is w. A flow whose transport has no
weight is held at x0, whatever its marks cost.
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
    """Buys one rate for each flow, up to a charge.

    Attributes:
        threshold: what the marks of a flow may cost per second.
        rate: x0, of IP bits; by default what the flow's traffic asks for at most.
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
        """The parameter that flows without a rate of their own call for, "" for none."""
        return "rate" if self.rate is None else ""

    def decide_many(self, seen: Observation) -> Decision:
        """The same terms at every decision; the market redoes its division when the price moves."""
        flows = seen.flows
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
