# SPDX-License-Identifier: Apache-2.0
"""Strategies that record their observations and switch flows off (test_observed_and_done.py)."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from ecnomy.agents.decision import LEAVE, NO_CAP, Decision, FlowDecision
from ecnomy.agents.observation import FlowView, Observation, PriceObservation
from ecnomy.agents.parameters import Unit

__all__ = ["LOG", "Curious", "Prepaid", "Rich", "Seesaw", "Switch", "Turns", "Vague", "Weighty"]

LOG: dict[str, list[object]] = {}


@dataclasses.dataclass
class Curious:
    """A carrier that notes what it has earned."""

    def post_price(self, observation: PriceObservation) -> int:
        """Return the same price; note the income in the table `agents`."""
        assert observation.agent is not None
        LOG.setdefault("isp", []).append(observation)
        observation.agent.note("income", observation.agent.received_since().get("marks", 0))
        return observation.price_micro


@dataclasses.dataclass
class Switch:
    """Sends by day up to 6 s, by night from then on; records its observations."""

    roles: ClassVar[tuple[str, ...]] = ("customer",)

    def decide(self, view: FlowView) -> FlowDecision:
        """Return which of its flows may send."""
        LOG.setdefault(f"{view.source}.{view.member}", []).append(view)
        by_day = view.t_ps < 6 * 10**12
        return FlowDecision(active=(view.source == "day") == by_day)


@dataclasses.dataclass
class Rich:
    """Records its account, and decides nothing."""

    roles: ClassVar[tuple[str, ...]] = ("customer",)

    def decide_many(self, observation: Observation) -> Decision:
        """Record balance and payments, and decide nothing."""
        agent = observation.agent
        assert agent is not None
        entry = (
            observation.t_ps,
            agent.balance_micro,
            agent.paid_since(),
            float(agent.random.random()),
        )
        LOG.setdefault("rich", []).append(entry)
        return Decision()


@dataclasses.dataclass
class Vague:
    """Answers with something other than a Boolean."""

    roles: ClassVar[tuple[str, ...]] = ("customer",)

    def decide(self, view: FlowView) -> FlowDecision:
        """Return a text, which is not a Boolean."""
        return FlowDecision(active="perhaps")  # type: ignore[arg-type]


@dataclasses.dataclass
class Weighty:
    """Chooses a weight of three flows from 4 s on, of half a flow (too small) from 8 s on."""

    roles: ClassVar[tuple[str, ...]] = ("customer",)

    def decide(self, view: FlowView) -> FlowDecision:
        """Choose a weight at 4 s and at 8 s. In between the last one remains."""
        LOG.setdefault(f"{view.source}.{view.member}", []).append(view)
        said = {4: 3.0, 8: 0.5} if view.source == "heavy" else {}
        weight = said.get(view.t_ps // 10**12, LEAVE)
        return FlowDecision(weight=weight, rate_cap_bps=1e6 if view.t_ps >= 6 * 10**12 else NO_CAP)


@dataclasses.dataclass
class Turns:
    """Pays for marks, then chooses the weight of its plan, then pays for marks again."""

    roles: ClassVar[tuple[str, ...]] = ("price-handler",)

    def decide(self, view: FlowView) -> FlowDecision:
        """Choose a payment for marks until 4 s and from 8 s on, and in between a weight of 2."""
        LOG.setdefault(f"{view.source}.{view.member}", []).append(view)
        if 4 <= view.t_s < 8:
            return FlowDecision(weight=2.0, willingness_micro_per_s=20_000)
        return FlowDecision(willingness_micro_per_s=20_000)


@dataclasses.dataclass
class Prepaid:
    """Pays 2 money a second until its budget is gone."""

    budget: Annotated[float, Unit("money")] = 1.0

    def decide(self, view: FlowView) -> FlowDecision:
        """Return the rest of the budget."""
        self.budget -= view.charge_micro / 1e6
        return FlowDecision(2e6, budget_micro=max(0, round(self.budget * 1e6)))


@dataclasses.dataclass
class Seesaw:
    """A price that is high in every other second."""

    low: Annotated[float, Unit("money")]
    high: Annotated[float, Unit("money")]

    def post_price(self, observation: PriceObservation) -> int:
        """Return a low price first."""
        return round(1e6 * (self.high if observation.t_ps // 10**12 % 2 else self.low))
