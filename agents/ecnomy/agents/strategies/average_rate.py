# SPDX-License-Identifier: Apache-2.0
"""`average-rate`: keep a mean rate x0 over some round trips, up to a cost of marks.

Antoniadis et al. 2000, 5: "controlling the average sending rate over an interval with duration a
few round trip times, rather than the instantaneous sending rate", for streaming. After a dip in the
rate, the flow soon sends the missing data. Within an epoch, the engine enforces a cap and a charge,
as for `constant-throughput`. At each decision, dt after the previous one,

    D   <- D + (x0 - x) dt            the deficit [bit], held within [-x0 L, x0 L]
    cap  = min(peak x0, x0 + D / L)   L is `over`, the averaging time

When the cap binds below the peak, x is the cap, so D shrinks by the factor 1 - dt / L. The flow
recovers from a dip within a few L. Over any time t in which D does not reach its bounds, the flow
sends exactly x0 t + D(0) - D(t), so from D(0) = 0, the mean over t is within x0 L / t of x0. A
threshold that binds for long drives D to its bound. The flow then sends at the lower rate that the
threshold buys, and later catches up by at most x0 L. D does not rise while a flow without marks is
well below x0 and its cap, because it then has too little to send. Set `decision_interval` to a
fraction of L.
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
    """Buys a mean rate for a flow, up to a cost of marks.

    Attributes:
        threshold: the largest cost of the flow's marks per second.
        rate: x0, in IP bits; by default the largest rate of the flow's traffic.
        over: the time over which the rate is averaged.
        peak: the largest rate, as a multiple of the average rate x0 [above 1, up to 1,000].
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
            raise Refused("peak", f"{self.peak:g}", "a factor above 1 and at most 1000")
        self._owed_bits, self._cap_bps = 0.0, math.inf

    @property
    def needs_rate(self) -> str:
        """The parameter to set for flows without a rate limit, or "" if it is not needed."""
        return "rate" if self.rate is None else ""

    def decide(self, view: FlowView) -> FlowDecision:
        """Return the rate cap that follows from the deficit, and the threshold as willingness."""
        rate_bps = view.limit_bps if self.rate is None else self.rate
        if not math.isfinite(rate_bps):
            raise StrategyError("average-rate: missing 'rate' for a flow without a rate limit")
        if view.dt_ps and view.active and view.srtt_s:
            short = (rate_bps - view.goodput_bps) * view.dt_s
            if short < 0 or view.marks or view.goodput_bps >= 0.9 * min(self._cap_bps, rate_bps):
                most = rate_bps * self.over
                self._owed_bits = min(max(self._owed_bits + short, -most), most)
        target_bps = rate_bps + self._owed_bits / self.over
        self._cap_bps = min(target_bps, self.peak * rate_bps)
        pay_micro = max(1.0, float(round(self.threshold * MICRO)))
        return FlowDecision(pay_micro, rate_cap_bps=max(self._cap_bps, 0.0))
