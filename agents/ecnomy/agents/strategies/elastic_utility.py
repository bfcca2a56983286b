# SPDX-License-Identifier: Apache-2.0
"""`elastic-utility`: pay w = x U'(x) for a flow at rate x, smoothed so that w cannot cycle.

The best rate for a user with utility U is where U'(x) equals the price of a unit of rate, lambda. A
WTP flow pays w = lambda x, so w = x U'(x) (Antoniadis et al. 2000, 2.2; Siris et al. 2002, 2). At
each decision, with x the goodput since the previous decision,

    w <- w^(1 - g) (x U'(x))^g                g = 1 / max(1, R),  R = largest -x U''/U'

R is alpha for an alpha-fair utility, so the gain g is 1/alpha. To see why, let e = d log x / d log
w. It ranges from 0 (alone on a full link: a higher w only raises the cost of marks) to 1 (one user
among many: the price is given and x = w / lambda). log x U'(x) has the slope 1 - R in log x, so the
step has the slope

    d log w' / d log w  =  1 - g + g (1 - R) e

Without smoothing (g = 1) and at a given price, the slope is 1 - R. For alpha > 2, this slope is
below -1, so w oscillates with growing steps. With g = 1/R, the slope is 1 - g (1 + (R - 1) e), from
0 (at a given price one step suffices) to 1 - 1/R (on a full link). This slope is never negative, so
w never oscillates, and it is below 1. For R <= 1, g = 1 and the slope is (1 - R) e, in [0, 1). If x
is observed a whole interval late, the roots of z^2 - (1 - g) z - g (1 - R) e = 0 still have |z|^2 =
g |1 - R| e < 1.

If a utility saturates, R is unbounded. While R >= 1, the step then uses the price lambda = w / x.
It goes halfway to the payment for the demand D(lambda) at this price:

    w <- (w lambda D(lambda))^(1/2)           slope  1/2 + (1 - 1/R) (1 - e) / 2, in [1/2, 1)

If x is observed a whole interval late, |z|^2 = (1 - 1/R) e / 2, below 1/2. While R < 1 the step is
w <- x U'(x) as above. The strategy refuses a utility that is not concave, because the demand D of
such a utility jumps to 0 at some price. With few packets in an interval, the measured rate has an
error. The mean of log x is then too low, and demand multiplies this bias by 1/R. At 0.9 of the
price at which demand ends, users with 14 packets per decision bought 45 % less than their demand.
So for R < 1, the step has the same slope, but is 0 on average where x U'(x) is w on average, and
users buy only about one packet per decision less than their demand:

    log w <- log w + x U'(x) / w - 1          while |log (x U'(x) / w)| < 3 / sqrt(n), n marks

Contracts charged by use, at c per unit of rate, change the utility to V = U - c x, which saturates
at U'(x) = c. w follows V as above (halfway, for any gain of U), and the flow's largest rate is
D(c), because without marks any w buys any rate. c includes the utility's cost of round trips. Users
who gain nothing at this cost leave, and try again later (leaving.py). Users who anticipate the
price of a link of capacity C (`anticipates`) use the slope U'(x) (1 - x / C), because their w
raises the cost of marks on this link (utilities/anticipating.py). A utility with this slope
saturates at C. If marks show a changed price, w goes to p D(p) in one step (price_change.py),
because x U'(x) follows slowly for elastic demand. x is limited to the range from x0/1000 to 1000
x0, so that w stays finite and never reaches 0, from which it could not rise. w is at most `budget`,
and one step changes w by a factor of at most 4. A flow's first w is the payment at its rate limit,
or at x0 if it has no limit, or at half of this rate if the utility saturates. An interval in which
the flow began or was switched off does not show its rate and leaves w unchanged. An interval
without a packet does not lower w. The next packet counts for the whole time since the previous
packet. Otherwise, a rate far below a packet per interval would count as 0 and stay 0. After `retry`
without a packet, w is at least the payment at x0/100.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers, moved_rows
from ecnomy.agents.decision import NO_CAP, Decision
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import FlowColumns, Observation, Truths, column
from ecnomy.agents.parameters import OneOf, Refused, Unit, positive
from ecnomy.agents.strategies.few_marks import FewMarks
from ecnomy.agents.strategies.flow_utility import damping, rate_key, under_key, x0_of_flows
from ecnomy.agents.strategies.leaving import LEAST, PROBE, Leaving
from ecnomy.agents.strategies.price_change import ERRORS, PriceChange
from ecnomy.agents.utilities import UTILITIES, Utility, concave_utility_of, find_utility
from ecnomy.agents.utilities.anticipating import Anticipating

__all__ = ["ElasticUtility"]

RANGE: Final = 1000.0  # range of x / x0
LONGEST_STEP: Final = math.log(4.0)  # largest step of log w
LEAST_MICRO: Final = 1.0
MOST_MICRO: Final = 1e12
_MICRO: Final = column(MICRO)
_TINY: Final = np.finfo(np.float64).tiny  # replaces a worth of 0 where a utility saturates


@dataclasses.dataclass
class ElasticUtility:
    """Adapts the willingness to pay for each flow to its user's utility.

    Attributes:
        utility: kind and parameters of a concave utility (ecnomy.agents.utilities); x0 is by
            default the traffic's largest rate.
        budget: largest willingness to pay for marks of a flow; a million money/s by default.
        retry: time until a flow that was switched off, or receives nothing, tries the price again.
        anticipates: capacity of the single marking link, if users anticipate their effect on its
            price; 0 if they do not anticipate it.
    """

    roles: ClassVar[tuple[str, ...]] = ("application-provider", "price-handler")
    utility: Annotated[Mapping[str, object], OneOf(UTILITIES, find_utility)]
    budget: Annotated[float, Unit("money/s")] = MOST_MICRO / MICRO
    retry: Annotated[float, Unit("s")] = 30.0
    anticipates: Annotated[float, Unit("bit/s")] = 0.0

    def __post_init__(self) -> None:
        positive("budget", self.budget, "money/s")
        positive("retry", self.retry, "s")
        self._utility = under_key(concave_utility_of, self.utility)
        if self.anticipates:
            self._utility = self._anticipating()
        self._sates = math.isinf(self._utility.curvature)
        self._gain = damping(self._utility)
        most_micro = min(MOST_MICRO, max(LEAST_MICRO, self.budget * MICRO))
        self._bounds = math.log(LEAST_MICRO), math.log(most_micro)
        self._flow: Integers = np.zeros(0, dtype=np.int64)
        self._x0_bps: Floats = np.zeros(0)
        self._log_pay: Floats = np.zeros(0)  # log of w in micro-units per second
        self._settled_pay: Floats = np.zeros(0)  # the last log w beyond trials, -inf if none
        self._going: Truths = np.zeros(0, dtype=np.bool_)  # flows that have sent and may send
        self._silent_s: Floats = np.zeros(0)  # time since a packet arrived
        self._leaving = Leaving(self._utility, self.retry)
        self._change = PriceChange(self._utility)
        self._few_marks = FewMarks()
        self._leaves = True
        self._switches = self._capped = False  # whether any flow has been switched off, or capped

    def _anticipating(self) -> Utility:
        positive("anticipates", self.anticipates, "bit/s")
        x0_bps = self._utility.x0
        if x0_bps is None:
            raise Refused("utility.x0", "'anticipates' without 'x0'", "a rate such as 1 Mbps")
        return Anticipating(self._utility, self.anticipates / x0_bps)

    @property
    def needs_rate(self) -> str:
        """The parameter to set for flows without a rate limit, or "" if it is not needed."""
        return rate_key(self._utility)

    @property
    def advice(self) -> str:
        """The advice to use a longer interval if decisions rely on too few marks, otherwise ""."""
        return self._few_marks.advice

    @property
    def needs_s(self) -> float:
        """The time in which a flow receives enough marks for a decision [s] (few_marks.py).

        It is 0 while the next decisions should come soon (see `Leaving.hurries`).
        """
        return 0.0 if self._leaving.hurries else self._few_marks.needs_s

    def decide_many(self, observation: Observation) -> Decision:
        """Return each flow's willingness [micro-units/s], its rate cap, and whether it may send."""
        flows = observation.flows
        if self._flow is not flows.flow and not np.array_equal(self._flow, flows.flow):
            self._meet(flows)
        before, self._going = self._going, np.logical_and(flows.active, flows.srtt_s)
        cap_bps = None
        if observation.dt_ps:
            ratio, sent = flows.goodput_bps / self._x0_bps, self._going & before
            self._count_marks(observation, ratio, sent)
            self._leaving.learn(observation, 8.0 * flows.delivered_bytes / self._x0_bps, sent)
            contract = self._leaving.contract()
            log_aim, elastic = self._log_aim(self._rates(observation, sent), contract)
            worth = self._unbiased(log_aim, elastic, flows.marks)
            moved = self._unheard(self._move(worth, before))
            self._log_pay = self._follow(observation, ratio, sent, moved, contract)
            self._look_again(observation, ratio, sent)
            cap_bps = self._largest_bps(contract)
        active = ~self._leaving.away if self._switches else None
        return Decision(np.rint(np.exp(self._log_pay)), rate_cap_bps=cap_bps, active=active)

    def _count_marks(self, observation: Observation, ratio: Floats, sent: Truths) -> None:
        """Count the marks of flows well above the rate of a trial and below their rate limit."""
        flows = observation.flows
        free = (ratio > 2 * PROBE) & (flows.goodput_bps < 0.95 * flows.limit_bps)
        curvature = self._utility.curvature_at(ratio.clip(1 / RANGE, RANGE))
        marks = flows.marks / np.maximum(flows.active, 1)
        self._few_marks.learn(marks, curvature, observation.dt_s, np.logical_and(sent, free))

    def staying(self) -> ElasticUtility:
        """Switch no flows off from now on, and return self."""
        self._leaves = False
        return self

    def _rates(self, observation: Observation, sent: Truths) -> Floats:
        """Return each flow's mean rate since the last interval in which a packet arrived."""
        rate_bps = observation.flows.goodput_bps
        silent = np.logical_and(sent, rate_bps <= 0)
        if not (silent.any() or self._silent_s.any()):
            return rate_bps
        time_s = self._silent_s + observation.dt_s
        self._silent_s = np.where(silent, time_s, 0.0)
        return np.asarray(rate_bps * (observation.dt_s / time_s))

    def _unheard(self, moved: Floats) -> Floats:
        """Return the next log w of each flow.

        Without a packet, w does not fall. After `retry`, it is at least the payment at x0/100.
        """
        silent = self._silent_s > 0
        if not silent.any():
            return moved
        probe = self._log_worth(PROBE * self._x0_bps).clip(*self._bounds)
        least = np.where(self._silent_s >= self.retry, probe, -np.inf)
        return np.where(silent, np.maximum(np.maximum(moved, self._log_pay), least), moved)

    def _follow(
        self, observation: Observation, ratio: Floats, sent: Truths, moved: Floats, contract: Floats
    ) -> Floats:
        """Return the next log w: `moved`, or the Newton step for flows with a changed price."""
        most = np.where(
            sent & (contract == 0) & ~self._leaving.probing,
            observation.flows.limit_bps / self._x0_bps,
            0.0,
        )
        changed, step = self._change.steps(
            observation.flows, ratio * observation.dt_s, self._log_pay, most
        )
        if not changed.any():
            return moved
        return np.where(changed, (self._log_pay + step).clip(*self._bounds), moved)

    def _look_again(self, observation: Observation, ratio: Floats, sent: Truths) -> None:
        """Let flows leave and return; a flow returns with the payment at x0/100.

        If it returns because a charge by time has fallen, it pays its last payment outside trials.
        """
        if not self._leaves:
            return
        leaving = self._leaving
        settled = sent & ~leaving.away & ~leaving.probing & (ratio > 2 * PROBE)
        self._settled_pay = np.where(settled, self._log_pay, self._settled_pay)
        back = leaving.turn(observation.t_s, ratio, self._silent_s, sent, observation.flows)
        self._switches = self._switches or bool(leaving.away.any())
        if back.any():
            least = self._log_worth(PROBE * self._x0_bps).clip(*self._bounds)
            self._log_pay = np.where(back, least, self._log_pay)
            known = leaving.fee_fell & (self._settled_pay > -np.inf)
            self._log_pay = np.where(known, self._settled_pay, self._log_pay)
            leaving.probing &= ~known

    def _largest_bps(self, contract: Floats) -> Floats | None:
        """Return rate caps (D(c) x0 under contracts by use, x0/100 in trials), or None."""
        probing = self._leaving.probing
        self._capped = self._capped or bool(contract.any() or probing.any())
        if not self._capped:
            return None
        most = np.maximum(self._utility.demand(np.where(contract > 0, contract, 1.0)), LEAST)
        cap_bps = np.where((contract > 0) & np.isfinite(most), most * self._x0_bps, NO_CAP)
        return np.where(probing, PROBE * self._x0_bps, cap_bps)

    def _move(self, worth: Floats, before: Truths) -> Floats:
        """Return each flow's next log w, on the way to log x U'(x)."""
        step = self._gain * (worth - self._log_pay)
        step[~(self._going & before)] = 0.0
        step = step.clip(-LONGEST_STEP, LONGEST_STEP)
        return (self._log_pay + step).clip(*self._bounds)

    def _meet(self, flows: FlowColumns) -> None:
        """Give new flows their first w. Other flows keep their w."""
        own_bps, count = flows.limit_bps, len(flows.flow)
        self._x0_bps = x0_of_flows(self._utility, own_bps, "elastic-utility")
        first_bps = np.where(np.isfinite(own_bps), own_bps, self._x0_bps)
        log_pay = self._log_worth(first_bps / 2 if self._sates else first_bps).clip(*self._bounds)
        _, new, old = np.intersect1d(flows.flow, self._flow, True, return_indices=True)
        log_pay[new] = self._log_pay[old]
        going = moved_rows(self._going, count, new, old)
        self._silent_s = moved_rows(self._silent_s, count, new, old)
        self._settled_pay = moved_rows(self._settled_pay, count, new, old, -np.inf)
        self._leaving.meet(own_bps / self._x0_bps, new, old)
        self._change.meet(count, new, old)
        self._flow, self._log_pay, self._going = flows.flow, log_pay, going

    def _log_aim(self, rate_bps: Floats, contract: Floats) -> tuple[Floats, Truths]:
        """Return the target of log w, from x V'(x) or D(lambda + c), and where to correct bias."""
        r = (rate_bps / self._x0_bps).clip(1 / RANGE, RANGE)
        curvature = np.minimum(self._utility.curvature_at(r), 1.0)
        if not (self._sates or contract.any()):
            return self._log_worth(rate_bps), curvature < 1.0
        price = np.exp(self._log_pay) / MICRO / r  # money/s per x0
        bought = price * self._utility.demand(price + contract)
        worth = self._utility.worth(r)
        left = worth - contract * r
        by_price = (curvature == 1.0) | (curvature * worth >= left)  # V's R is 1 or more
        aim = MICRO * np.where(by_price, bought, left)
        log_aim = np.log(np.maximum(aim, LEAST_MICRO))
        halfway = self._log_pay + (log_aim - self._log_pay) / (2 * self._gain)  # after the gain
        half = np.where(by_price, halfway, log_aim)
        ours = self._sates | (contract > 0)
        return (
            np.asarray(np.where(ours, half, self._log_worth(rate_bps))),
            (curvature < 1.0) & ~(ours & by_price),
        )

    def _unbiased(self, log_aim: Floats, elastic: Truths, marks: Integers) -> Floats:
        """Replace log w' by log w + w'/w - 1 where R < 1 and chance may explain w'/w."""
        if not np.any(elastic):
            return log_aim
        error = log_aim - self._log_pay
        most = np.minimum(ERRORS / np.sqrt(np.maximum(marks, 1)), LONGEST_STEP)
        by_chance = elastic & (np.abs(error) <= most)
        step = np.expm1(np.where(by_chance, error, 0.0))
        return np.where(by_chance, self._log_pay + step, log_aim)

    def _log_worth(self, rate_bps: Floats) -> Floats:
        """Return the logarithm of x U'(x), in micro-units per second."""
        r = (rate_bps / self._x0_bps).clip(1 / RANGE, RANGE)
        worth: Floats = np.log(np.maximum(_MICRO * self._utility.worth(r), _TINY))
        return worth
