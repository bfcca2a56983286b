# SPDX-License-Identifier: Apache-2.0
"""`aggressiveness-knob`: choose a flow's weight by its user's utility and the cost of weight.

The user turns a knob that makes the transfer protocol more aggressive (Andreassen et al. 2002,
3.2.5). The flow counts as w flows (MulTCP, Crowcroft and Oechslin 1998), or has the weight w in
another law. A weight w buys the rate x = s w and costs c w per second, where

    c  =  q + m      q  the charge of contracts on the meter `weight` per unit of weight [money/s]
                     m  the flow's other costs by use, including marks, divided by w [money/s]

A user among many takes s and c as given, so the best weight solves

    max over w of  U(s w) - c w      s U'(s w) = c,  that is  c w = x U'(x)

For U = a log x, this gives w = a / c, independent of the network. On a link of capacity C shared by
weights, x = C w / W, where W is the sum of weights. All users together settle at the price p of a
unit of rate at which demand fills the link:

    sum of D(p) = C,      W = p C / c,      w = D(p) W / C        D the inverse of U'

These rates maximise the sum of U (Kelly 1997). A higher q scales all weights and leaves the rates
unchanged. If weight is free, every user's weight rises to `most`.

At each decision, x is the goodput since the previous decision. The step is

    w <- w^(1 - g) (x U'(x) / c)^g            g = 1 / max(1, R),  R = largest -x U''/U'

This is the step of elastic-utility with c w in place of the payment for marks. It cannot oscillate,
for the reasons given in elastic_utility.py. If a utility saturates (R is unbounded), the step goes
halfway to the weight that buys D(c w / x). q is taken from the last interval. Because marks are
random, m is an average over decisions, in which each decision counts twice as much as the one
before.

w stays within `least` and `most`, and is at least the smallest weight of the law (1 flow for
MulTCP). x is limited to the range from x0/1000 to 1000 x0. One decision changes w by a factor of at
most 4. A flow begins with the weight of its transport, within `least` and `most`. w does not change
after an interval in which the flow began, was off or sent nothing. Users who gain nothing stay at
the least weight and do not leave. A flow limited by its traffic (`rate-capped`) pays for weight
that has no effect.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers, moved_rows
from ecnomy.agents.decision import LEAVE, Decision
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import FlowColumns, Observation, Truths
from ecnomy.agents.parameters import OneOf, Refused, positive
from ecnomy.agents.strategies.flow_utility import damping, rate_key, under_key, x0_of_flows
from ecnomy.agents.utilities import UTILITIES, concave_utility_of, delay_cost_of, find_utility

__all__ = ["AggressivenessKnob"]

RANGE: Final = 1000.0  # range of x / x0
LONGEST_STEP: Final = math.log(4.0)  # largest step of log w
FADE: Final = 0.5
TINY: Final = 1e-300  # replaces 0 before a logarithm


@dataclasses.dataclass
class AggressivenessKnob:
    """Chooses the weight of each flow by its user's utility and the cost of weight.

    Attributes:
        utility: kind and parameters of a concave utility (ecnomy.agents.utilities); x0 is by
            default the traffic's largest rate.
        most: the largest weight, in the window law's unit: flows, marks or packets/s [above 0].
        least: the smallest weight, in the same unit [above 0, up to `most`].
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
            raise Refused("least", f"{self.least:g}", f"at most {self.most:g} (`most`)")
        self._utility = under_key(concave_utility_of, self.utility)
        if delay_cost_of(self._utility):
            raise Refused(
                "utility.delay_cost",
                "a cost of delay",
                "no cost of delay, because only marks are weighed",
            )
        self._sates = math.isinf(self._utility.curvature)
        self._gain = damping(self._utility)
        self._flow: Integers = np.zeros(0, dtype=np.int64)
        self._x0_bps: Floats = np.zeros(0)
        self._weight: Floats = np.zeros(0)
        self._sending: Truths = np.zeros(0, dtype=np.bool_)  # flows that sent at the last decision
        self._sums: Floats = np.zeros((2, 0))  # sums of money by use, and of weight times time

    @property
    def needs_rate(self) -> str:
        """The parameter to set for flows without a rate limit, or "" if it is not needed."""
        return rate_key(self._utility)

    def decide_many(self, observation: Observation) -> Decision:
        """Return the new weight of each flow, in the unit of its law, or LEAVE to keep it."""
        flows = observation.flows
        if self._flow is not flows.flow and not np.array_equal(self._flow, flows.flow):
            self._meet(flows)
        given = np.where(flows.weight > 0, flows.weight, self._weight)
        before, self._sending = self._sending, (flows.active > 0) & (flows.srtt_s > 0)
        if not observation.dt_ps:
            self._weight = given.clip(self.least, self.most)
            return Decision(weight=self._weight)
        sent = before & self._sending & (flows.goodput_bps > 0)
        price = self._price(flows, given * np.maximum(flows.active, 1) * observation.dt_s, sent)
        step = self._gain * (self._log_aim(flows.goodput_bps, given, price) - np.log(given))
        step = np.where(sent, step, 0.0).clip(-LONGEST_STEP, LONGEST_STEP)
        self._weight = (given * np.exp(step)).clip(self.least, self.most)
        return Decision(weight=np.where(sent, self._weight, LEAVE))

    def _meet(self, flows: FlowColumns) -> None:
        """Keep the state of known flows; start others at weight 1, within `least` and `most`."""
        count = len(flows.flow)
        self._x0_bps = x0_of_flows(self._utility, flows.limit_bps, "aggressiveness-knob")
        _, new, old = np.intersect1d(flows.flow, self._flow, True, return_indices=True)
        first = min(max(1.0, self.least), self.most)
        self._weight = moved_rows(self._weight, count, new, old, first)
        self._sums = moved_rows(self._sums, count, new, old)
        self._sending = moved_rows(self._sending, count, new, old)
        self._flow = flows.flow

    def _price(self, flows: FlowColumns, weight_s: Floats, sent: Truths) -> Floats:
        """Return c of each flow, the cost of a unit of weight [money/s]."""
        use = (flows.bill_micro - flows.standing_micro) / MICRO
        more = np.array([use, weight_s])
        self._sums = np.where(sent, FADE * self._sums + more, self._sums)
        by_use = self._sums[0] / np.maximum(self._sums[1], TINY)
        return np.asarray(flows.weight_micro / MICRO / np.maximum(weight_s, TINY) + by_use)

    def _log_aim(self, rate_bps: Floats, weight: Floats, price: Floats) -> Floats:
        r = (rate_bps / self._x0_bps).clip(1 / RANGE, RANGE)
        if self._sates:
            bought = self._utility.demand(price * weight / r)
            half = (np.log(np.maximum(bought, TINY)) - np.log(r)) / 2
            return np.asarray(np.log(weight) + half)
        worth = np.maximum(self._utility.worth(r), TINY)
        return np.asarray(np.log(worth) - np.log(np.maximum(price, TINY)))
