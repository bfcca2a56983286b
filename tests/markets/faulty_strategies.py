# SPDX-License-Identifier: Apache-2.0
"""Strategies with one defect each, and some that only look as if they had one."""

from __future__ import annotations

import dataclasses
import datetime
import logging
import random
import time
from typing import ClassVar

import numpy as np

from ecnomy.agents import (
    Call,
    ClassObservation,
    ClassRequest,
    Decision,
    FlowDecision,
    FlowView,
    Observation,
    PriceObservation,
    StrategyError,
    StreamObservation,
)

TOTAL = 0


class ForHandlers:
    """Fits a single role, so that each defect is found once."""

    roles: ClassVar[tuple[str, ...]] = ("price-handler",)


class Divides(ForHandlers):
    """Divides by the marks of a flow, which are above 0 in most runs."""

    def decide(self, view: FlowView) -> FlowDecision:
        return FlowDecision(view.charge_micro / view.marks if view.dt_ps else 1.0)


class Poisoned(ForHandlers):
    """Keeps a mean that stays NaN after a rate of 0."""

    def __init__(self) -> None:
        self.mean = 0.0

    def decide_many(self, observation: Observation) -> Decision:
        if observation.dt_ps and len(observation.flows.flow):
            rate = float(observation.flows.goodput_bps.mean())
            self.mean = 0.5 * (self.mean + (rate / rate if rate else np.nan))
        return Decision(np.full(len(observation.flows.flow), self.mean))


class Clamps(ForHandlers):
    """Smooths the observed rates in place."""

    def decide_many(self, observation: Observation) -> Decision:
        observation.flows.goodput_bps.clip(1.0, 1e6, out=observation.flows.goodput_bps)
        return Decision(observation.flows.goodput_bps.copy())


class Dice(ForHandlers):
    """Draws from Python's global random generator."""

    def decide(self, view: FlowView) -> FlowDecision:
        return FlowDecision(float(random.randint(1, 6)))


class Fresh(ForHandlers):
    """Makes a generator without a seed."""

    def __init__(self) -> None:
        self.random = random.Random()

    def decide(self, view: FlowView) -> FlowDecision:
        return FlowDecision(self.random.random())


class Rare(ForHandlers):
    """Draws from numpy's global generator; the draws rarely change its answer."""

    def decide_many(self, observation: Observation) -> Decision:
        return Decision(
            np.full(len(observation.flows.flow), float(np.random.uniform() > 1 - 1e-12))
        )


class Common(ForHandlers):
    """Remembers in a list that all of its objects share."""

    decisions: ClassVar[list[int]] = []

    def decide_many(self, observation: Observation) -> Decision:
        self.decisions.append(1)
        return Decision(np.full(len(observation.flows.flow), float(len(self.decisions))))


class Global(ForHandlers):
    """Counts in a variable of its module, which each new object resets."""

    def __init__(self) -> None:
        global TOTAL
        TOTAL = 0

    def decide_many(self, observation: Observation) -> Decision:
        global TOTAL
        TOTAL += 1
        return Decision(np.full(len(observation.flows.flow), float(TOTAL)))


class Nightly(ForHandlers):
    """Pays less at night, by the wall clock."""

    def decide(self, view: FlowView) -> FlowDecision:
        return FlowDecision(1.0 if datetime.datetime.now().year < 1990 else 2.0)


class Timed(ForHandlers):
    """Pays by the time of the process."""

    def decide(self, view: FlowView) -> FlowDecision:
        return FlowDecision(float(time.monotonic() > 0))


class Shapeless(ForHandlers):
    """Omits the last flow if there are many."""

    def decide_many(self, observation: Observation) -> Decision:
        return Decision(np.ones(min(len(observation.flows.flow), 1000)))


class Halves:
    """Posts half of the price, which is not a whole number if the price is odd."""

    def post_price(self, observation: PriceObservation) -> float:
        return observation.price_micro / 2


class Greedy:
    """Doubles the price at every decision."""

    def post_price(self, observation: PriceObservation) -> int:
        return 2 * observation.price_micro


class Undecided:
    """Answers a call with the number of calls admitted, which is not a Boolean."""

    def watch(self, observation: StreamObservation) -> None:
        self.share = int(observation.marks.sum()) / max(int(observation.sent.sum()), 1)

    def admit(self, call: Call) -> int:
        return 1


class Refusing(ForHandlers):
    """Requires something that no market has."""

    def decide_many(self, observation: Observation) -> Decision:
        raise StrategyError("refusing: not this market")


class Leaving(ForHandlers):
    """Ends the program."""

    def decide_many(self, observation: Observation) -> Decision:
        raise SystemExit(3)


class ForProviders:
    roles: ClassVar[tuple[str, ...]] = ("application-provider",)

    def decide_many(self, observation: Observation) -> Decision:
        return Decision()


class Overcharging(ForProviders):
    """Pays members to stay."""

    def post_fees(self, observation: ClassObservation) -> dict[str, int]:
        return {"class-0": -1}


class Doorman(ForProviders):
    """Answers a request with a number, not a Boolean."""

    def let_in(self, request: ClassRequest) -> int:
        return 1


class Noting(ForHandlers):
    """Notes what the market writes itself."""

    def decide_many(self, observation: Observation) -> Decision:
        assert observation.agent is not None
        observation.agent.note("weight", 1.0)
        return Decision()


@dataclasses.dataclass
class Careful(ForHandlers):
    """No defect: its own random numbers, a stopwatch, a log, notes, a fixed generator."""

    pay: float = 1e6

    def __post_init__(self) -> None:
        self.fixed = np.random.Generator(np.random.Philox(key=3))

    def decide_many(self, observation: Observation) -> Decision:
        assert observation.agent is not None
        began = time.perf_counter()
        logging.getLogger("lab").info("asked at %s", observation.t_s)
        draws = observation.agent.random.random(len(observation.flows.flow)) + self.fixed.random()
        observation.agent.note("mean", float(draws.sum()))
        assert time.perf_counter() >= began
        return Decision(self.pay * draws)


class Warning(ForHandlers):
    """No defect: numpy warns, but the answer is still a number."""

    def decide_many(self, observation: Observation) -> Decision:
        bits = observation.flows.goodput_bps
        return Decision(np.where(bits > 0, 1.0 / bits, 0.0))


class Money(ForHandlers):
    """No defect: its number is meant in money/s."""

    def decide_many(self, observation: Observation) -> Decision:
        return Decision(np.full(len(observation.flows.flow), 2.0))
