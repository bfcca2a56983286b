# SPDX-License-Identifier: Apache-2.0
"""`all-or-nothing`: send at rate x0 if the marks cost at most a threshold, otherwise not at all.

This is the ftp agent of Andreassen 2002, 3.2.5 (and M3I's D11), "which transfers data at either
maximum speed or not at all depending on the present ECN marking rate". The threshold is from
Antoniadis et al. 2000, 2.2. While the flow is on, the engine enforces the limits of
`constant-throughput`: a rate of at most x0, and a cost of marks of at most the threshold. So the
charge extrapolated to x0 exceeds the threshold exactly when the flow is slower than x0. At each
decision, with x the goodput since the previous decision, the flow switches

    off     if the flow received marks and x < satisfied x0 (a slow interval)
    on      after a time R, drawn from [retry / 2, 3 retry / 2]; this range doubles after each
            failed trial, up to a factor of 8, and is reset by an interval that is not slow

The first interval after a flow is switched on is a trial. A window takes time to fill, so the
strategy judges only later intervals. Random times prevent users who left together from returning
together. A trial also slows down the flows that had x0 before. So that they do not all leave for
one newcomer, a flow that has had x0 since its return leaves only after `PATIENCE` slow intervals in
a row, and then with a probability of 1/2 at each decision. A flow below x0 without marks is not
limited by the price, so it stays on.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated, ClassVar, Final

from ecnomy.agents.decision import FlowDecision
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import FlowView
from ecnomy.agents.parameters import Refused, Unit, positive

__all__ = ["AllOrNothing"]

LONGEST: Final = 8
PATIENCE: Final = 3  # a newcomer leaves after two


@dataclasses.dataclass
class AllOrNothing:
    """Buys one rate for a flow, or nothing.

    Attributes:
        threshold: the largest cost of the flow's marks per second.
        rate: x0, in IP bits; by default the largest rate of the flow's traffic.
        retry: mean time until a flow that was switched off is tried again; longer after failed
            trials.
        satisfied: the share of x0 below which a flow with marks is too slow [above 0, below 1].
    """

    roles: ClassVar[tuple[str, ...]] = ("price-handler",)
    threshold: Annotated[float, Unit("money/s")]
    rate: Annotated[float | None, Unit("bit/s")] = None
    retry: Annotated[float, Unit("s")] = 30.0
    satisfied: float = 0.9

    def __post_init__(self) -> None:
        positive("threshold", self.threshold, "money/s")
        positive("retry", self.retry, "s")
        if self.rate is not None:
            positive("rate", self.rate, "bit/s")
        if not 0 < self.satisfied < 1:
            raise Refused("satisfied", f"{self.satisfied:g}", "a share between 0 and 1")
        self._on, self._trial = True, True
        self._again_s, self._failed = 0.0, 0
        self._had_x0, self._slow = False, 0  # since the return; decisions in a row

    @property
    def needs_rate(self) -> str:
        """The parameter to set for flows without a rate limit, or "" if it is not needed."""
        return "rate" if self.rate is None else ""

    def decide(self, view: FlowView) -> FlowDecision:
        """Return x0 as rate cap, the threshold as willingness, and whether the flow is on."""
        rate_bps = view.limit_bps if self.rate is None else self.rate
        if not math.isfinite(rate_bps):
            raise StrategyError("all-or-nothing: missing 'rate' for a flow without a rate limit")
        if self._on:
            self._judge(view, rate_bps)
        elif view.t_s >= self._again_s:
            self._on = self._trial = True
        pay_micro = max(1.0, float(round(self.threshold * MICRO)))
        return FlowDecision(pay_micro, rate_cap_bps=rate_bps, active=self._on)

    def _judge(self, view: FlowView, rate_bps: float) -> None:
        if not (view.dt_ps and view.active and view.srtt_s):
            return
        slow = bool(view.marks) and view.goodput_bps < self.satisfied * rate_bps
        self._slow = self._slow + 1 if slow else 0
        if self._trial:
            self._trial = False
        elif not slow:
            self._failed, self._had_x0 = 0, True
        elif not self._had_x0 or (self._slow >= PATIENCE and _drawn(view) <= 0.5):
            wait_s = self.retry * min(2**self._failed, LONGEST)
            self._again_s = view.t_s + wait_s * (0.5 + _drawn(view))
            self._failed = min(self._failed + 1, LONGEST)
            self._on, self._had_x0, self._slow = False, False, 0


def _drawn(view: FlowView) -> float:
    """Return a random number in [0, 1), or 1/2 without an agent."""
    return float(view.agent.random.random()) if view.agent is not None else 0.5
