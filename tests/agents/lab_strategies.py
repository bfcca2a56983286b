# SPDX-License-Identifier: Apache-2.0
"""Strategies as a user may write them."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import numpy as np

from ecnomy.agents.decision import Decision, FlowDecision
from ecnomy.agents.observation import FlowView, Observation, PriceObservation
from ecnomy.agents.parameters import Unit


@dataclasses.dataclass
class Counting:
    """Pays a micro-unit per second for each decision so far, counted per flow."""

    step: Annotated[float, Unit("s")] = 1.0

    def __post_init__(self) -> None:
        self.decisions = 0

    def decide(self, view: FlowView) -> FlowDecision:
        """Pay one micro-unit more each time."""
        self.decisions += 1
        return FlowDecision(willingness_micro_per_s=self.decisions * self.step)


@dataclasses.dataclass
class Doubling:
    """Doubles the price."""

    def post_price(self, observation: PriceObservation) -> int:
        """Twice the price in force."""
        return 2 * observation.price_micro


@dataclasses.dataclass
class Broken:
    """Returns answers that no role can use, of the kind that `fault` names."""

    fault: str = ""

    def decide_many(self, observation: Observation) -> object:
        """Return the requested fault. An unknown one raises KeyError."""
        flows = len(observation.flows.flow)
        fractions: Any = np.zeros(flows)
        return {
            "type": None,
            "length": Decision(np.zeros(flows + 1)),
            "nan": Decision(np.full(flows, np.nan)),
            "negative": Decision(np.full(flows, -2.0)),
            "float-class": Decision(offer=fractions),
            "no-class": Decision(offer=np.full(flows, 99)),
            "other-shop": Decision(offer=np.full(flows, 3)),
        }[self.fault]

    def post_price(self, observation: PriceObservation) -> object:
        """A price that is not a whole number."""
        return 0.5


class NoStrategy:
    """Has none of the methods."""


@dataclasses.dataclass
class Answering:
    """Gives the same answer to every question."""

    answer: object

    def admit(self, call: object) -> object:
        """The answer."""
        return self.answer

    def post_price(self, observation: PriceObservation) -> object:
        """The answer."""
        return self.answer


@dataclasses.dataclass
class Deciding:
    """Gives the same decision for each flow."""

    answer: object

    def decide(self, view: FlowView) -> object:
        """The answer."""
        return self.answer


@dataclasses.dataclass
class DecidingAll(Deciding):
    """Gives one decision for all flows."""

    def decide_many(self, observation: Observation) -> object:
        """The answer."""
        return self.answer
