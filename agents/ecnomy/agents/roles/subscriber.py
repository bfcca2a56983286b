# SPDX-License-Identifier: Apache-2.0
"""The subscriber: makes calls, and chooses a provider for each call.

The subscriber buys a guaranteed call from a provider, calls at best effort and pays for the marks,
or does not call. It learns the outcomes of its calls. If the tariff relies on the subscriber's
report, the subscriber may claim that a promise was broken (Andreassen 2002, 4.1: a small provider
cannot observe its subscribers' quality).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import mesa
import msgspec

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.answers import shown, truth, whole_column
from ecnomy.agents.calls import BEST_EFFORT, CallAsk, EndedCalls
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.roles.role import EVERY_REPORT, Role, Terms
from ecnomy.agents.seat import Seat
from ecnomy.agents.strategies import blame, make

__all__ = ["Subscriber"]


class Subscriber(Role):
    """Holds one strategy for all calls of its sources; by default, the cheapest provider is first.

    Attributes:
        agent: money, random numbers and notes of the agent; set when it joins.
    """

    phase: ClassVar[str] = "choose"

    def __init__(self, model: mesa.Model, name: str, terms: Terms) -> None:
        """Create the agent, or raise StrategyError if its strategy cannot be created or used."""
        super().__init__(model, name, terms, EVERY_REPORT)
        kind = terms.kind or "cheapest-call"
        self._who = f"{name} ({kind})"
        self._strategy = make(kind, terms.params)
        if not callable(getattr(self._strategy, "order", None)):
            raise StrategyError(f"{self._who}: a strategy for callers needs the method order")
        self._hear = getattr(self._strategy, "hear", None)
        self._claims = getattr(self._strategy, "claims", None)
        self.agent: AgentView | None = None

    def join(self, seat: Seat) -> None:
        """Become the user of the sources' flows, and the buyer of their calls."""
        self.agent = seat.agent
        self._readings: dict[str, float] = {}
        seat.buy_calls(self, seat.use(seat.spec.sources))

    def act(self, seat: Seat) -> None:
        """Record the readings of the strategy that have changed."""
        readings: dict[str, float] = getattr(self._strategy, "readings", {})
        for name, value in readings.items():
            if self._readings.get(name) != value:
                self._readings[name] = value
                seat.note(name, value)
        self.decided(seat.t_ps, 0)

    def order(self, ask: CallAsk) -> Sequence[int]:
        """See CallBuyer.

        Raises:
            StrategyError: the strategy failed, named an unknown offer or an offer twice, or put
                BEST_EFFORT before another offer.
        """
        ask = msgspec.structs.replace(ask, agent=self.agent)
        try:
            answer = self._strategy.order(ask)  # type: ignore[attr-defined]
        except Exception as error:
            raise blame(self._who, error) from error
        column = whole_column(list(answer) if isinstance(answer, Sequence) else answer)
        last = len(ask.offers) - 1
        if column is None or len(set(column.tolist())) < len(column):
            raise StrategyError(
                f"{self._who} answered {shown(answer)}, expected a list of distinct offer numbers"
            )
        order: list[int] = column.tolist()
        if any(not BEST_EFFORT <= one <= last for one in order) or BEST_EFFORT in order[:-1]:
            expected = f"offer numbers from 0 to {last}, with {BEST_EFFORT} only at the end"
            raise StrategyError(f"{self._who} answered {shown(answer)}, expected {expected}")
        return order

    def claims(self, broken: bool) -> bool:
        """See CallBuyer. A subscriber is honest if its strategy does not define `claims`.

        Raises:
            StrategyError: the strategy failed, or did not return True or False.
        """
        if self._claims is None:
            return broken
        try:
            answer = self._claims(broken, self.agent)
        except Exception as error:
            raise blame(self._who, error) from error
        claimed = truth(answer)
        if claimed is None:
            raise StrategyError(
                f"{self._who} returned {shown(answer)} from `claims`, expected True or False"
            )
        return claimed

    def hear(self, ended: EndedCalls) -> None:
        """See CallBuyer.

        Raises:
            StrategyError: the strategy failed.
        """
        if self._hear is not None:
            try:
                self._hear(ended)
            except Exception as error:
                raise blame(self._who, error) from error
