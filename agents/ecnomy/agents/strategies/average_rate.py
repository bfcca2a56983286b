# SPDX-License-Identifier: Apache-2.0
"""`average-rate`: a mean rate x0 over some round trips, while its marks cost less than a threshold.

Antoniadis et al. 2000, 5: "controlling the average sending rate over an interval with duration a
few round trip times, rather than the instantaneous sending rate", for streaming. After a dip, the
unsent data is sent soon. Within an epoch the engine keeps a cap and a charge, as for
`constant-throughput`; at each decision, dt after the one before,

    D   <- D + (x0 - x) dt            what is owed [bit], held within [-x0 L, x0 L]
    cap  = min(peak x0, x0 + D / L)   L is `over`, the interval

Where the cap binds x is the cap, so D falls by the factor 1 - dt / L: a dip is made up within some
L. In any time t in which D does not meet its bounds exactly x0 t + D(0) - D(t) is sent, so the mean
over t is within x0 L / t of x0 from either side. A threshold that binds for long drives D to
its bound: the rate is the lower level then, what the threshold buys, and no more than x0 L is
caught up on afterwards. A flow that had nothing to send is owed nothing: where no mark came and it
was below its cap, D falls, but does not rise. Decide several times in L (`decision_interval`).
"""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated, ClassVar

from ecnomy.agents.decision import FlowDecision
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import FlowView
from ecnomy.agents.parameters import Refused, Unit, positive

__all__ = ["AverageRate"]


@dataclasses.dataclass
class AverageRate:
    """Buys a mean rate for a flow, up to a charge.

    Attributes:
        threshold: what the marks of the flow may cost per second.
        rate: x0, of IP bits; by default what the flow's traffic asks for at most.
        over: the interval of the mean.
        peak: the largest rate, in x0.
    """

    roles: ClassVar[tuple[str, ...]] = ("application-provider", "price-handler")
    heeds_lag: ClassVar[bool] = True
    threshold: Annotated[float, Unit("money/s")]
    rate: Annotated[float | None, Unit("bit/s")] = None
    over: Annotated[float, Unit("s")] = 5.0
    peak: float = 2.0

    def __post_init__(self) -> None:
        positive("threshold", self.threshold, "money/s")
        positive("over", self.over, "s")
        if self.rate is not None:
            positive("rate", self.rate, "bit/s")
        if not 1 < self.peak <= 1e3:
            raise Refused("peak", f"{self.peak:g}", "a factor above 1, at most 1000")
        self._owed_bits, self._cap_bps = 0.0, math.inf

    @property
    def needs_rate(self) -> str:
        """The parameter that flows without a rate of their own call for, "" for none."""
        return "rate" if self.rate is None else ""

    def decide(self, seen: FlowView) -> FlowDecision:
        """The amount owed is added to x0."""
        rate_bps = seen.limit_bps if self.rate is None else self.rate
        if not math.isfinite(rate_bps):
            raise StrategyError("average-rate: missing 'rate' for a flow without a rate limit")
        if seen.dt_ps and seen.active and seen.srtt_s:
            short = (rate_bps - seen.goodput_bps) * seen.dt_s
            if short < 0 or seen.marks or seen.goodput_bps >= 0.9 * min(self._cap_bps, rate_bps):
                most = rate_bps * self.over
                self._owed_bits = min(max(self._owed_bits + short, -most), most)
        asked_bps = rate_bps + self._owed_bits / self.over
        self._cap_bps = min(asked_bps, self.peak * rate_bps)
        pay_micro = max(1.0, float(round(self.threshold * MICRO)))
        return FlowDecision(pay_micro, rate_cap_bps=max(self._cap_bps, 0.0))
