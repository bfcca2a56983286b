# SPDX-License-Identifier: Apache-2.0
"""`aggressiveness-knob`: the weight of the window law, by what it is worth and what it costs.

A user who can turn a knob makes the transfer protocol more aggressive (Andreassen et al. 2002,
3.2.5): it counts as w flows (MulTCP, Crowcroft and Oechslin 1998), or has the weight w of another
law. A weight buys rate, x = s w, and it costs c w per second, where

    c  =  q + m      q  what contracts on the meter `weight` charge a unit of weight [money/s]
                     m  what else the flow costs by use, marks among it, over w [money/s]

s and c are given to a user who is one of many, so that it is best off at

    max over w of  U(s w) - c w      s U'(s w) = c,  that is  c w = x U'(x)

For U = a log x that is w = a / c, whatever the network does. On a link of capacity C that is shared
by weights, x = C w / W with W the sum of weights, all users together come to rest where demand
fills the link:

    sum of D(p) = C,      W = p C / c,      w = D(p) W / C        D the inverse of U'

The rates are those that maximize the sum of U (Kelly 1997): q scales the weights and changes no
rate. Where weight is free there is no rest: every knob goes to its end `most`.

Each decision takes x as the goodput since the one before, and goes

    w <- w^(1 - g) (x U'(x) / c)^g            g = 1 / max(1, R),  R = largest -x U''/U'

which is the step of elastic-utility with c w in place of what it pays for marks, and cannot swing
for the reasons given there. Where a utility sates (R without limit) the step goes half of the way
to the weight that buys D(c w / x). q is that of the time just watched. m is a mean over decisions
that fades by half at each, as marks are chance.

What keeps it in bounds: `least` and `most` (and the least weight of the law, 1 flow for MulTCP); x
counts as x0/1000 at least and 1000 x0 at most; one decision changes w by a factor of 4 at most. A
flow begins with the weight of its transport. An interval in which it began, was off or sent nothing
leaves w as it is. Who gains nothing stays at the least weight and does not leave. A flow that its
own traffic holds back (`rate-capped`) pays for weight that buys it nothing.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.decision import LEAVE, Decision
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import FlowColumns, Observation, Truths
from ecnomy.agents.parameters import OneOf, Refused, positive
from ecnomy.agents.strategies.flow_utility import asked_rate, damping, under_key, x0_of_flows
from ecnomy.agents.utilities import UTILITIES, concave_utility_of, delay_cost_of, find_utility

__all__ = ["AggressivenessKnob"]

RANGE: Final = 1000.0  # of x / x0
LONGEST_STEP: Final = math.log(4.0)  # of log w
FADE: Final = 0.5
TINY: Final = 1e-300  # in place of 0, where a logarithm is taken


@dataclasses.dataclass
class AggressivenessKnob:
    """Chooses the weight of each flow by its utility and the price of weight.

    Attributes:
        utility: kind and parameters (see ecnomy.agents.utilities), concave; an x0 left out is what
            the flow's traffic asks for at most.
        most: the end of the knob [unit of the window law: flows, marks, packets/s].
        least: its beginning, above 0 [likewise].
    """

    roles: ClassVar[tuple[str, ...]] = ("price-handler",)
    needs_weight: ClassVar[bool] = True
    utility: Annotated[Mapping[str, object], OneOf(UTILITIES, find_utility)]
    most: float
    least: float = 0.001

    def __post_init__(self) -> None:
        positive("most", self.most)
        positive("least", self.least)
        if self.least > self.most:
            raise Refused("least", f"{self.least:g}", f"at most {self.most:g}, which is `most`")
        self._utility = under_key(concave_utility_of, self.utility)
        if delay_cost_of(self._utility):
            raise Refused("utility.delay_cost", "a cost of delay", "none: only marks are weighed")
        self._sates = math.isinf(self._utility.curvature)
        self._gain = damping(self._utility)
        self._flow: Integers = np.zeros(0, dtype=np.int64)
        self._x0_bps: Floats = np.zeros(0)
        self._weight: Floats = np.zeros(0)
        self._sending: Truths = np.zeros(0, dtype=np.bool_)  # at the last decision
        self._sums: Floats = np.zeros((2, 0))  # money by use, weight times time

    @property
    def needs_rate(self) -> str:
        """The parameter that flows without a rate limit call for, "" for none."""
        return asked_rate(self._utility)

    def decide_many(self, seen: Observation) -> Decision:
        """The weight of each flow from now on, in the unit of its law."""
        flows = seen.flows
        if self._flow is not flows.flow and not np.array_equal(self._flow, flows.flow):
            self._meet(flows)
        given = np.where(flows.weight > 0, flows.weight, self._weight)
        before, self._sending = self._sending, (flows.active > 0) & (flows.srtt_s > 0)
        if not seen.dt_ps:
            self._weight = given.clip(self.least, self.most)
            return Decision(weight=self._weight)
        sent = before & self._sending & (flows.goodput_bps > 0)
        price = self._price(flows, given * np.maximum(flows.active, 1) * seen.dt_s, sent)
        step = self._gain * (self._log_aim(flows.goodput_bps, given, price) - np.log(given))
        step = np.where(sent, step, 0.0).clip(-LONGEST_STEP, LONGEST_STEP)
        self._weight = (given * np.exp(step)).clip(self.least, self.most)
        return Decision(weight=np.where(sent, self._weight, LEAVE))

    def _meet(self, flows: FlowColumns) -> None:
        """Flows seen for the first time keep the weight of their transport."""
        count = len(flows.flow)
        self._x0_bps = x0_of_flows(self._utility, flows.limit_bps, "aggressiveness-knob")
        _, new, old = np.intersect1d(flows.flow, self._flow, True, return_indices=True)
        weight, sums = np.full(count, min(max(1.0, self.least), self.most)), np.zeros((2, count))
        sending = np.zeros(count, dtype=np.bool_)
        weight[new], sums[:, new] = self._weight[old], self._sums[:, old]
        sending[new] = self._sending[old]
        self._flow, self._weight, self._sums, self._sending = flows.flow, weight, sums, sending

    def _price(self, flows: FlowColumns, weight_s: Floats, sent: Truths) -> Floats:
        """c of each flow: what a unit of weight costs a second, money/s."""
        use = (flows.bill_micro - flows.standing_micro) / MICRO
        more = np.array([use, weight_s])
        self._sums = np.where(sent, FADE * self._sums + more, self._sums)
        by_use = self._sums[0] / np.maximum(self._sums[1], TINY)
        return np.asarray(flows.weight_micro / MICRO / np.maximum(weight_s, TINY) + by_use)

    def _log_aim(self, rate_bps: Floats, weight: Floats, price: Floats) -> Floats:
        """Logarithm of the weight to go to."""
        r = (rate_bps / self._x0_bps).clip(1 / RANGE, RANGE)
        if self._sates:
            bought = self._utility.demand(price * weight / r)
            half = (np.log(np.maximum(bought, TINY)) - np.log(r)) / 2
            return np.asarray(np.log(weight) + half)
        worth = np.maximum(self._utility.worth(r), TINY)
        return np.asarray(np.log(worth) - np.log(np.maximum(price, TINY)))
