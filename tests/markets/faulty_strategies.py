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

    def decide(self, seen: FlowView) -> FlowDecision:
        return FlowDecision(seen.charge_micro / seen.marks if seen.dt_ps else 1.0)


class Poisoned(ForHandlers):
    """Keeps a mean that stays NaN after a rate of 0."""

    def __init__(self) -> None:
        self.mean = 0.0

    def decide_many(self, seen: Observation) -> Decision:
        if seen.dt_ps and len(seen.flows.flow):
            rate = float(seen.flows.goodput_bps.mean())
            self.mean = 0.5 * (self.mean + (rate / rate if rate else np.nan))
        return Decision(np.full(len(seen.flows.flow), self.mean))


class Clamps(ForHandlers):
    """Smooths the observed rates in place."""

    def decide_many(self, seen: Observation) -> Decision:
        seen.flows.goodput_bps.clip(1.0, 1e6, out=seen.flows.goodput_bps)
        return Decision(seen.flows.goodput_bps.copy())


class Dice(ForHandlers):
    """Draws from Python's global random generator."""

    def decide(self, seen: FlowView) -> FlowDecision:
        return FlowDecision(float(random.randint(1, 6)))


class Fresh(ForHandlers):
    """Makes a generator without a seed."""

    def __init__(self) -> None:
        self.random = random.Random()

    def decide(self, seen: FlowView) -> FlowDecision:
        return FlowDecision(self.random.random())


class Rare(ForHandlers):
    """Draws from numpy's global generator; the draws rarely change its answer."""

    def decide_many(self, seen: Observation) -> Decision:
        return Decision(np.full(len(seen.flows.flow), float(np.random.uniform() > 1 - 1e-12)))


class Common(ForHandlers):
    """Remembers in a list that all of its objects share."""

    asked: ClassVar[list[int]] = []

    def decide_many(self, seen: Observation) -> Decision:
        self.asked.append(1)
        return Decision(np.full(len(seen.flows.flow), float(len(self.asked))))


class Global(ForHandlers):
    """Counts in a variable of its module, which each new object resets."""

    def __init__(self) -> None:
        global TOTAL
        TOTAL = 0

    def decide_many(self, seen: Observation) -> Decision:
        global TOTAL
        TOTAL += 1
        return Decision(np.full(len(seen.flows.flow), float(TOTAL)))


class Nightly(ForHandlers):
    """Pays less at night, by the wall clock."""

    def decide(self, seen: FlowView) -> FlowDecision:
        return FlowDecision(1.0 if datetime.datetime.now().year < 1990 else 2.0)


class Timed(ForHandlers):
    """Pays by the time of the process."""

    def decide(self, seen: FlowView) -> FlowDecision:
        return FlowDecision(float(time.monotonic() > 0))


class Shapeless(ForHandlers):
    """Omits the last flow if there are many."""

    def decide_many(self, seen: Observation) -> Decision:
        return Decision(np.ones(min(len(seen.flows.flow), 1000)))


class Halves:
    """Posts half of the price, which is not a whole number if the price is odd."""

    def post_price(self, seen: PriceObservation) -> float:
        return seen.price_micro / 2


class Greedy:
    """Doubles the price at every decision."""

    def post_price(self, seen: PriceObservation) -> int:
        return 2 * seen.price_micro


class Undecided:
    """Answers a call with the number of calls admitted, which is not a Boolean."""

    def watch(self, seen: StreamObservation) -> None:
        self.share = int(seen.marks.sum()) / max(int(seen.sent.sum()), 1)

    def admit(self, call: Call) -> int:
        return 1


class Refusing(ForHandlers):
    """Requires something that no market has."""

    def decide_many(self, seen: Observation) -> Decision:
        raise StrategyError("refusing: not this market")


class Leaving(ForHandlers):
    """Ends the program."""

    def decide_many(self, seen: Observation) -> Decision:
        raise SystemExit(3)


class ForProviders:
    roles: ClassVar[tuple[str, ...]] = ("application-provider",)

    def decide_many(self, seen: Observation) -> Decision:
        return Decision()


class Overcharging(ForProviders):
    """Pays members to stay."""

    def post_fees(self, seen: ClassObservation) -> dict[str, int]:
        return {"class-0": -1}


class Doorman(ForProviders):
    """Answers a request with a number, not a Boolean."""

    def let_in(self, request: ClassRequest) -> int:
        return 1


class Noting(ForHandlers):
    """Notes what the market writes itself."""

    def decide_many(self, seen: Observation) -> Decision:
        assert seen.agent is not None
        seen.agent.note("weight", 1.0)
        return Decision()


@dataclasses.dataclass
class Careful(ForHandlers):
    """No defect: its own random numbers, a stopwatch, a log, notes, a fixed generator."""

    pay: float = 1e6

    def __post_init__(self) -> None:
        self.fixed = np.random.Generator(np.random.Philox(key=3))

    def decide_many(self, seen: Observation) -> Decision:
        assert seen.agent is not None
        began = time.perf_counter()
        logging.getLogger("lab").info("asked at %s", seen.t_s)
        draws = seen.agent.random.random(len(seen.flows.flow)) + self.fixed.random()
        seen.agent.note("mean", float(draws.sum()))
        assert time.perf_counter() >= began
        return Decision(self.pay * draws)


class Warning(ForHandlers):
    """No defect: numpy warns, but the answer is still a number."""

    def decide_many(self, seen: Observation) -> Decision:
        bits = seen.flows.goodput_bps
        return Decision(np.where(bits > 0, 1.0 / bits, 0.0))


class Money(ForHandlers):
    """No defect: its number is meant in money/s."""

    def decide_many(self, seen: Observation) -> Decision:
        return Decision(np.full(len(seen.flows.flow), 2.0))
