# SPDX-License-Identifier: Apache-2.0
"""`cheapest-call`: request a guaranteed call from the cheapest provider, then from the next."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Annotated, ClassVar

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.calls import BEST_EFFORT, CallAsk
from ecnomy.agents.parameters import Refused, Unit, positive
from ecnomy.agents.times import PS_PER_S

__all__ = ["CheapestCall", "Claimant"]


@dataclasses.dataclass
class Claimant:
    """The base class of subscribers' strategies; it decides on claims of broken promises.

    Attributes:
        overclaims: the share of kept promises that are claimed as broken, for tariffs with
            quality_seen_by: subscriber [from 0 to 1].
    """

    roles: ClassVar[tuple[str, ...]] = ("subscriber",)
    overclaims: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.overclaims <= 1:
            raise Refused("overclaims", f"{self.overclaims:g}", "a share from 0 to 1")

    def claims(self, broken: bool, agent: AgentView) -> bool:
        """Claim every broken promise, and a share of the kept promises."""
        return broken or (self.overclaims > 0 and agent.random.random() < self.overclaims)


@dataclasses.dataclass
class CheapestCall(Claimant):
    """Requests each call from the provider that is cheapest for `call_time`, then from the next.

    Attributes:
        call_time: the assumed duration of a call.
        best_effort: whether a call refused by all providers goes ahead without a guarantee.
    """

    call_time: Annotated[float, Unit("s")] = 180.0
    best_effort: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("call_time", self.call_time, "s")

    def order(self, ask: CallAsk) -> Sequence[int]:
        """Return the offers by cost, equal ones in their order; BEST_EFFORT is last if allowed."""
        time_ps = round(self.call_time * PS_PER_S)
        tariffs = [offer.tariff for offer in ask.offers]
        cost = [
            tariff.price_micro + tariff.use_charge_micro(time_ps, tariff.usual_packets(time_ps))
            for tariff in tariffs
        ]
        order = sorted(range(len(cost)), key=cost.__getitem__)
        return [*order, BEST_EFFORT] if self.best_effort else order
