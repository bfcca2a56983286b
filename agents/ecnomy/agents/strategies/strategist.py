# SPDX-License-Identifier: Apache-2.0
"""Makes the decisions of a group of flows with strategy objects of one kind."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ecnomy.agents.answers import number, truth, whole
from ecnomy.agents.decision import Decision, FlowDecision, checked
from ecnomy.agents.errors import EcnomyError, StrategyError
from ecnomy.agents.observation import FlowView, Observation
from ecnomy.agents.strategies.find import blame, make
from ecnomy.agents.times import LONGEST_PS, PS_PER_S

__all__ = ["Strategist"]


class Strategist:
    """Strategy objects of one kind for a group of flows: one for all, or one per flow.

    Attributes:
        whole: the object that decides for all flows, or that only provides the attributes if each
            flow has its own object.
        heeds_lag: whether the strategy allows for windows that lag, or ignores the rates of flows,
            so its decisions are never too early.
        inertia: share of the users that skip a decision.
    """

    def __init__(self, who: str, kind: str, params: Mapping[str, object]) -> None:
        """Create the strategy objects; messages name `who`."""
        self._who, self._kind, self._params = f"{who} ({kind})", kind, params
        self.whole = make(kind, params)
        self._many = callable(getattr(self.whole, "decide_many", None))
        self._single: dict[int, object] = {}
        self.heeds_lag: bool = getattr(self.whole, "heeds_lag", False)
        self.inertia: float = number(getattr(self.whole, "inertia", 0.0)) or 0.0
        if not self._many and not callable(getattr(self.whole, "decide", None)):
            raise StrategyError(
                f"{self._who}: a strategy for flows needs the method decide or decide_many"
            )

    @property
    def advice(self) -> str:
        """The `advice` of the strategy, or "" if it gives none."""
        advice = getattr(self.whole, "advice", "")
        return advice if isinstance(advice, str) else ""

    @property
    def needs_ps(self) -> int:
        """The shortest adaptive interval that the strategy needs (`needs_s`) [ps], or 0."""
        needs_s = number(getattr(self.whole, "needs_s", 0.0)) or 0.0
        return round(min(needs_s * PS_PER_S, LONGEST_PS)) if needs_s > 0 else 0

    def decide(self, observation: Observation) -> Decision:
        """Return the decisions for all observed flows.

        Raises:
            StrategyError: the decision is invalid (see `decision.checked`), or the strategy's code
                failed.
        """
        try:
            if self._many:
                decision = self.whole.decide_many(observation)  # type: ignore[attr-defined]
            else:
                decision = self._one_by_one(observation)
            return checked(decision, observation, self._who)
        except EcnomyError:
            raise
        except Exception as error:
            raise blame(self._who, error) from error

    def _one_by_one(self, observation: Observation) -> Decision:
        choices = []
        for view in observation.views():
            strategy = self._single.get(view.flow)
            if strategy is None:
                strategy = self._single[view.flow] = make(self._kind, self._params)
            choice = strategy.decide(view)  # type: ignore[attr-defined]
            if not isinstance(choice, FlowDecision):
                raise StrategyError(
                    f"{self._who} returned {type(choice).__name__}, expected FlowDecision"
                )
            choices.append(self._numbers(choice, view))
        columns = zip(*choices, strict=True) if choices else ((),) * 6
        pay, offer, cap_bps, active, weight, budget_micro = columns
        return Decision(
            np.array(pay, dtype=np.float64),
            np.array(offer, dtype=np.int64),
            np.array(cap_bps, dtype=np.float64),
            np.array(active, dtype=np.bool_),
            np.array(weight, dtype=np.float64),
            np.array(budget_micro, dtype=np.float64),
        )

    def _numbers(
        self, choice: FlowDecision, view: FlowView
    ) -> tuple[float, int, float, bool, float, float]:
        pay, cap_bps = choice.willingness_micro_per_s, choice.rate_cap_bps
        return (
            self._amount(pay, "willingness_micro_per_s"),
            view.offer if choice.offer is None else self._index(choice.offer),
            self._amount(cap_bps, "rate_cap_bps"),
            view.switched_on if choice.active is None else self._truth(choice.active),
            self._amount(choice.weight, "weight"),
            self._amount(choice.budget_micro, "budget_micro"),
        )

    def _truth(self, answer: object) -> bool:
        decision = truth(answer)
        if decision is None:
            raise StrategyError(
                f"{self._who} returned {answer!r} as `active`, expected True or False"
            )
        return decision

    def _amount(self, answer: object, name: str) -> float:
        amount = number(answer)
        if amount is None:
            raise StrategyError(f"{self._who} returned a {name} that is not a number: {answer!r}")
        return amount

    def _index(self, answer: object) -> int:
        index = whole(answer)
        if index is None or not -(2**63) <= index < 2**63:
            raise StrategyError(f"{self._who} returned a class that is not an integer: {answer!r}")
        return index
