# SPDX-License-Identifier: Apache-2.0
"""Strategies of sellers and callers whose answers a test determines."""

from __future__ import annotations

import dataclasses

from ecnomy.agents.calls import Call, CallAsk, StreamObservation
from ecnomy.agents.decision import FlowDecision
from ecnomy.agents.observation import FlowView


@dataclasses.dataclass
class Calls:
    """Admits up to `most` calls; posts `price` from the second observation on."""

    most: int = 1
    price: object = None

    def __post_init__(self) -> None:
        self.readings = {"most": float(self.most), "watched": 0.0}

    def watch(self, observation: StreamObservation) -> None:
        """Count observations up to two."""
        watched = min(self.readings["watched"] + 1, 2.0)
        self.readings = {**self.readings, "watched": watched}

    def post_call_price(self, observation: StreamObservation) -> object:
        """Return None at first, and then the price."""
        return self.price if self.readings["watched"] == 2 else None

    def admit(self, call: Call) -> bool:
        """Whether fewer than `most` calls are under way."""
        return call.under_way < self.most


@dataclasses.dataclass
class Caller:
    """A caller that returns `answer` each time."""

    answer: object = ()

    def __post_init__(self) -> None:
        self.readings = {"asked": 0.0, "same": 1.0}

    def order(self, ask: CallAsk) -> object:
        """The answer."""
        self.readings = {**self.readings, "asked": self.readings["asked"] + 1}
        assert ask.agent is not None
        return self.answer


@dataclasses.dataclass
class Claiming(Caller):
    """A caller that claims refunds."""

    def claims(self, broken: bool, agent: object) -> object:
        """The answer."""
        return self.answer


@dataclasses.dataclass
class Fees:
    """Answers with `answer` on fees and on admission."""

    answer: object = None

    def decide(self, view: FlowView) -> FlowDecision:
        """Change nothing."""
        return FlowDecision()

    def post_fees(self, observation: object) -> object:
        """The answer."""
        return self.answer

    def let_in(self, request: object) -> object:
        """The answer."""
        return self.answer


@dataclasses.dataclass
class ByFlow:
    """Decides by a flow's number and class, and by whether it is switched on."""

    def decide(self, view: FlowView) -> FlowDecision:
        """Return a decision by the flow, but none for flow 0."""
        k = view.flow
        if not k:
            return FlowDecision()
        return FlowDecision(10.0 * k, 1 - view.offer, 20.0 * k, k % 2 > 0, 30.0 * k, 40.0 * k)
