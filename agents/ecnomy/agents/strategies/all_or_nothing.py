# SPDX-License-Identifier: Apache-2.0
"""`all-or-nothing`: a rate x0 while its marks cost no more than a threshold, else nothing at all.

The ftp agent of Andreassen 2002, 3.2.5 (and M3I's D11), "which transfers data at either maximum
speed or not at all depending on the present ECN marking rate"; Antoniadis et al. 2000, 2.2, have
the threshold. While it is on, the engine keeps what `constant-throughput` asks of it: at most x0,
and at most so fast that marks cost the threshold. So the charge extrapolated to x0 is above the
threshold just where the flow falls short of x0, and over the time between two decisions

    off     marks came, and x < satisfied x0
    on      a time R after that: R is drawn from [retry / 2, 3 retry / 2], twice as long after each
            trial that failed, 8 times at most, and as at first once x0 was had again

An interval in which it was switched on is a trial: a window takes time to fill, so that only what
comes after is judged. Times are drawn, as users who were crowded out at once would otherwise come
back at once, and crowd each other out again. A flow that is short of x0 without a mark is held
back by something else than its price, and stays on.
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


@dataclasses.dataclass
class AllOrNothing:
    """Buys one rate for a flow, or nothing.

    Attributes:
        threshold: what the marks of the flow may cost per second.
        rate: x0, of IP bits; by default what the flow's traffic asks for at most.
        retry: mean time after which a flow that was given up is tried again.
        satisfied: the share of x0 below which it is given up.
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

    @property
    def needs_rate(self) -> str:
        """The parameter that flows without a rate of their own call for, "" for none."""
        return "rate" if self.rate is None else ""

    def decide(self, seen: FlowView) -> FlowDecision:
        """x0 and the threshold, or nothing."""
        rate_bps = seen.limit_bps if self.rate is None else self.rate
        if not math.isfinite(rate_bps):
            raise StrategyError("all-or-nothing: missing 'rate' for a flow without a rate limit")
        if self._on:
            self._judge(seen, rate_bps)
        elif seen.t_s >= self._again_s:
            self._on = self._trial = True
        pay_micro = max(1.0, float(round(self.threshold * MICRO)))
        return FlowDecision(pay_micro, rate_cap_bps=rate_bps, active=self._on)

    def _judge(self, seen: FlowView, rate_bps: float) -> None:
        if not (seen.dt_ps and seen.active and seen.srtt_s):
            return
        if self._trial:
            self._trial = False
        elif seen.marks and seen.goodput_bps < self.satisfied * rate_bps:
            drawn = 0.5 + seen.agent.random.random() if seen.agent is not None else 1.0
            self._again_s = seen.t_s + self.retry * min(2**self._failed, LONGEST) * drawn
            self._failed = min(self._failed + 1, LONGEST)
            self._on = False
        else:
            self._failed = 0
