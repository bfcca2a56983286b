# SPDX-License-Identifier: Apache-2.0
"""Decides when users who gain nothing leave, and when they try again.

Let r = x / x0. Sums over decisions fade by half at each decision, but not below five packets.
Without contracts, the sums do not fade below ten marks, because a flow that pays little receives
few marks.

    p  =  sum of (bill - standing) / sum of r dt      the cost of using x0, money/s
    c  =  sum of (bill - standing - marks) / sum of r dt      the part of p due to contracts
    S  =  s + sum of unposted standing / sum of dt    the cost by time, money/s

s is the posted charge by time: class fees, flat and two-part tariffs, and prices of time. If a flow
has ever had an s above 0, only its charges by weight are unposted.

Contracts charge exactly. So if c falls by a quarter or rises by a third, and the utility has no
delay cost, the time of day or the tariff has changed. The sums then begin again. After a fall,
decisions come sooner for a time `retry`. Until its first complete interval ends, a flow has the c
of the interval in which it began. A utility's delay cost counts as a contract on round trip x
arrived data, although it is not billed. A flow that has received five packets, or has a rate of at
most x0/1000 outside trials, leaves if at two decisions in a row its demand at p is below x0/1000,
or its gain at p is below S: U(D(p)) - p D(p) - S < U(0), where D(p) is at most the largest rate of
the traffic. After a rise of s, one such decision suffices, and a flow that has not learnt a price
since its return uses the price at which it left. Marks are random, so demand and gain are taken at
p minus one standard error of the n marks, (p - c) / sqrt(n). At a rate of at most x0/1000, the
demand is taken at p itself. A gain depends far more on p than a demand does, so its sums fade over
the time `retry` for which the flow would be away. In an interval without a packet, r is one packet
over the time since the last arrival, as if a packet arrived at the end of the interval.

A user who is away observes the posted price of a mark and the posted charge by time s, not the
marks of its path. It tries again at once if, at its earlier marking rate, a fall of the price or of
s gives it a demand and a gain again:

    p'  =  c + (p - c) (price now) / (price when it left)      D(p') >= x0/100
    S'  =  S + s now - s when it left                          U(D(p')) - p' D(p') - S' > U(0)

The same holds for a user who is not away, but has a rate below x0/100. Otherwise, a user who is
away tries again after a time `retry`. The wait doubles each time the user leaves again, up to 8
times `retry`. After a stay that cost more than it was worth, the wait is so long that the loss L to
charges by time is at most 10 % of the worth of x0:

    wait  >=  L / (0.1 (U(x0) - U(0)))      L = min(standing, bill - sum of (U(r) - U(0)) dt)

L counts from the last rise of s, so that gains before it do not shorten the wait. A flow that
leaves at the decision after the rise has L = `retry` (S - U(D(p)) + p D(p) + U(0)), the loss of a
trial that lasts for `retry`. If s has changed since the user left, the loss of such a trial at S'
limits L: from below if s has risen, from above if it has fallen.

A trial starts with the payment at x0/100, and the flow forgets its earlier sums. Until the flow
knows a price, x0/100 is its largest rate, because its w falls only while marks stay expensive. Once
a stay has lasted as long as the next wait, and the rate is above x0/50, the next wait is only
`retry`.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers, moved_rows
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import FlowColumns, Observation, Truths
from ecnomy.agents.utilities import Utility, delay_cost_of
from ecnomy.agents.volumes import BYTES_PER_MB

__all__ = ["LEAST", "PROBE", "Leaving"]

LEAST: Final = 1e-3  # smallest rate, as a share of x0
CHEAPER: Final = 0.75  # ratio of c up to which contracts have changed
PROBE: Final = 1e-2  # rate paid for during a trial, as a share of x0
FADE: Final = 0.5
KNOWN: Final = 10.0  # sums do not fade below this number of marks
LONGEST: Final = 8.0
ENOUGH: Final = 5.0  # packets needed to know a price
LOST: Final = 0.1  # largest loss of trials to charges by time, as a share of the worth of x0


class Leaving:
    """Tracks which flows of one utility are away, and the price that the other flows pay.

    Attributes:
        away: flows that have left.
        probing: flows that have returned and do not know a price yet.
        fee_fell: flows that returned at the last decision because s has fallen.
    """

    def __init__(self, utility: Utility, retry_s: float) -> None:
        self._utility, self._retry_s = utility, retry_s
        self._delay_cost = delay_cost_of(utility)
        self.away: Truths = np.zeros(0, dtype=np.bool_)
        self.probing: Truths = np.zeros(0, dtype=np.bool_)
        self._doubts: Truths = np.zeros(0, dtype=np.bool_)  # would have left at the last decision
        self._charged = False  # whether any charge by time has occurred
        self._posts: Truths = np.zeros(0, dtype=np.bool_)  # flows that have had an s above 0
        self.fee_fell: Truths = np.zeros(0, dtype=np.bool_)
        self._tries = False
        self._cheaper_s = -math.inf  # time of the last return for a lower price, or fall of c
        self._retariffed = False  # whether c fell at this decision
        self._grows = False
        # money by use, by contract, r dt, n; standing money, dt, packets
        self._sums: Floats = np.zeros((7, 0))
        self._past: Floats = np.zeros((4, 0))  # the first four sums, faded over `retry`
        self._early: Floats = np.zeros(0)  # c of the interval in which a flow began
        self._most: Floats = np.zeros(0)  # largest r of the traffic
        self._wait_s: Floats = np.zeros(0)  # next wait, unless its stay costs more
        self._back_s: Floats = np.zeros(0)  # time of the last return
        # when a flow left: the time, its wait, and the loss that makes the wait longer, money
        self._gone: Floats = np.zeros((3, 0))
        # p, c and S [money/s], the price of a mark, and s [money/s], at the last decision or when
        # a flow left
        self._left: Floats = np.zeros((5, 0))
        # standing charges of a flow since its return, and its bill minus its worth, money
        self._stay: Floats = np.zeros((2, 0))
        self._worth = float(self._worth_of(np.ones(1))[0]) or math.inf

    def meet(self, most: Floats, new: Integers, old: Integers) -> None:
        """Set the flows; `most` is the largest r of each flow's traffic.

        The records of the flows at `old` move to `new`.
        """
        self._most, rows = most, (len(most), new, old)
        self.away, self.probing = moved_rows(self.away, *rows), moved_rows(self.probing, *rows)
        self._doubts, self._posts = moved_rows(self._doubts, *rows), moved_rows(self._posts, *rows)
        self._sums, self._past = moved_rows(self._sums, *rows), moved_rows(self._past, *rows)
        self._early, self._stay = moved_rows(self._early, *rows), moved_rows(self._stay, *rows)
        self._wait_s = moved_rows(self._wait_s, *rows, otherwise=self._retry_s)
        self._back_s = moved_rows(self._back_s, *rows)
        self._gone, self._left = moved_rows(self._gone, *rows), moved_rows(self._left, *rows)

    def learn(self, observation: Observation, used_s: Floats, sent: Truths) -> None:
        """Add the bills of flows that were on throughout the time since the last decision.

        `used_s` is r dt of the data that arrived [s]. Like bills, it covers all flows of a row. It
        is not based on ACKs, because ACKs that fill a hole cover more data than the bill of the
        interval.
        """
        flows = observation.flows
        standing, by_time = flows.standing_micro / MICRO, flows.posted_standing_micro / MICRO
        self._posts = self._posts | (by_time > 0)
        unposted = np.where(self._posts, flows.weight_micro / MICRO, standing)
        use = (flows.bill_micro - flows.standing_micro) / MICRO
        marks = np.minimum(flows.charge_micro / MICRO, use)  # the bill omits marks paid by others
        if self._delay_cost:
            use = use + self._delay_cost * flows.srtt_s * flows.delivered_bytes / BYTES_PER_MB
        count = np.where(marks > 0, flows.marks, 0)
        users = np.maximum(flows.active, 1)
        time = observation.dt_s * users
        more = np.array([use, use - marks, used_s, count, unposted, time, flows.delivered])
        held = (self._sums[1] == 0) & (self._sums[3] > 0) & (FADE * self._sums[3] < KNOWN)
        held |= FADE * self._sums[6] < ENOUGH  # otherwise, slow flows would never know a price
        kept = np.where(held, 1.0, FADE)
        self._retariffed = False
        if (use > marks).any() and not self._delay_cost:
            fell, rose = self._recharged(use - marks, used_s)
            kept[(fell | rose) & sent] = 0.0
            self._retariffed = bool((fell & sent).any())
        self._sums = np.where(sent, kept * self._sums + more, self._sums)
        if (use > marks).any():
            began = ~np.asarray(sent, np.bool_) & ~self.away & (used_s > 0)
            self._early = np.where(began, _ratio(use - marks, used_s, 0.0), self._early)
        faded = math.exp(-observation.dt_s / self._retry_s)
        self._past = np.where(sent, faded * self._past + more[:4], self._past)
        self._charged |= bool(standing.any())
        if standing.any():  # charges by time are also due while a flow begins
            lost = (standing + use) / users - self._worth_of(used_s / time) * observation.dt_s
            before = np.where(by_time > self._left[4], 0.0, self._stay)  # s has risen
            self._stay = before + [standing / users, lost]

    def _recharged(self, charged: Floats, used_s: Floats) -> tuple[Truths, Truths]:
        """Return the flows whose c fell by a quarter, and those whose c rose by a third."""
        now, before = _ratio(charged, used_s, 0.0), _ratio(self._sums[1], self._sums[2], 0.0)
        known = (now > 0) & (before > 0)
        return known & (now < CHEAPER * before), known & (before < CHEAPER * now)

    def contract(self) -> Floats:
        """Return c of each flow [money/s per x0], or 0 if it is unknown."""
        return _ratio(self._sums[1], self._sums[2], self._early)

    def turn(
        self, t_s: float, ratio: Floats, silent_s: Floats, sent: Truths, posted: FlowColumns
    ) -> Truths:
        """Let flows leave and come back, and return the flows that begin a trial.

        `ratio` is r, `silent_s` is the time since a packet arrived (0 if packets arrived since the
        last decision), and `posted` has the price of a mark and the charge by time of each flow.
        """
        mark_price, by_time = posted.price_micro, posted.posted_standing_micro / MICRO
        weight, standing, time, packets = self._sums[[2, 4, 5, 6]]
        ratio = np.maximum(ratio, _ratio(weight, packets * silent_s, 0.0))  # as if one arrived now
        price, error = _price(self._sums[:4])
        nothing = self._utility.demand(np.where(ratio <= LEAST, price, price - error)) < LEAST
        flat = by_time + _ratio(standing, time, 0.0)
        if flat.any():
            nothing |= (flat > 0) & (self._gain() < flat)
        nothing &= (packets >= ENOUGH) | ((ratio <= LEAST) & ~self.probing)
        surely = by_time > self._left[4]  # the posted charge is exact
        leave = sent & nothing & (self._doubts | surely)
        unknown = (self._back_s > 0) & (packets < ENOUGH)  # the price that it left for still counts
        price = np.where(unknown, self._left[0], price)
        if (surely & unknown).any():
            leave |= surely & unknown & (self._gain_at(price) < flat)
        leave &= ~self.away
        self._doubts = np.where(sent, nothing, self._doubts) & ~leave
        cheaper = self._cheaper(mark_price, by_time) & (
            self.away | sent & ~self.probing & (ratio < PROBE)
        )
        self.fee_fell = cheaper & self.away & (by_time < self._left[4])
        back = cheaper | self.away & (t_s >= self._again_s(by_time))
        self._wait_s[back & cheaper] = self._retry_s
        self._back_s[back] = t_s
        stays = sent & ~self.away & ~nothing & (ratio > 2 * PROBE)
        self._wait_s[stays & (t_s - self._back_s >= self._wait_s)] = self._retry_s
        if leave.any():
            lost = np.minimum(*self._stay).clip(min=0.0)
            lost = np.where(surely, (flat - self._gain_at(price)) * self._retry_s, lost)
            self._gone[:, leave] = np.array([np.full(len(lost), t_s), self._wait_s, lost])[:, leave]
        self._wait_s[leave] = np.minimum(2 * self._wait_s[leave], LONGEST * self._retry_s)
        parts = np.array([price, self.contract(), flat, mark_price, by_time])
        parts[[1, 3]] = np.where(unknown, self._left[[1, 3]], parts[[1, 3]])
        self._left = np.where(self.away, self._left, parts)
        self._left[[2, 4]] += np.where(back, by_time - self._left[4], 0.0)
        over = leave | cheaper
        self._sums[:, over] = self._past[:, over] = self._stay[:, over] = 0.0
        self.away = (self.away | leave) & ~back
        self.probing = (self.probing | back) & (self._sums[6] < ENOUGH) & ~self.away
        tries = ~self.away & (t_s - self._back_s < self._retry_s)
        self._tries = bool((tries | self._doubts).any())
        if cheaper.any() or self._retariffed:
            self._cheaper_s = t_s
        self._grows = t_s - self._cheaper_s < self._retry_s
        return back

    def _again_s(self, by_time: Floats) -> Floats:
        """Return the times of the next trials at the current charges `by_time`."""
        gone_s, wait_s, lost = self._gone
        price, _, standing, _, then = self._left
        moved = self.away & (by_time != then)
        if moved.any():
            loss = (standing + by_time - then - self._gain_at(price)) * self._retry_s
            loss = np.where(by_time > then, np.maximum(lost, loss), np.minimum(lost, loss))
            lost = np.where(moved, loss, lost)
        return np.asarray(gone_s + np.maximum(wait_s, lost / (LOST * self._worth)))

    def _cheaper(self, posted: Floats, by_time: Floats) -> Truths:
        """Return the users who would gain at the posted prices, if one of these has fallen."""
        price, contract, standing, then, by_time_then = self._left
        lower = (posted < then) | (by_time < by_time_then)
        if not lower.any():
            return np.asarray(lower, dtype=np.bool_)
        now = contract + (price - contract) * _ratio(posted, then, 1.0)
        gains = self._utility.demand(np.where(lower, now, 1.0)) >= PROBE
        charge = standing + by_time - by_time_then
        if charge.any():
            gains &= self._gain_at(np.where(lower, now, 1.0)) > charge
        return np.asarray(lower & gains, dtype=np.bool_)

    @property
    def hurries(self) -> bool:
        """Whether the next decisions should come soon.

        They should after a lower price has brought flows back, after contracts have become cheaper,
        and during trials that are charged by time.
        """
        return self._grows or (self._charged and self._tries)

    def _worth_of(self, ratio: Floats) -> Floats:
        """Return U(r) - U(0) [money/s], at most that of x0/`LEAST`."""
        used, zero = np.minimum(ratio, 1 / LEAST), np.zeros_like(ratio)
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = self._utility.value(used) - self._utility.value(zero)
        return np.where(used > 0, worth, 0.0)

    def _gain(self) -> Floats:
        """Return each flow's largest gain over U(0) [money/s]."""
        price, error = _price(self._past)
        return self._gain_at(price - error)

    def _gain_at(self, price: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            used = np.minimum(self._utility.demand(price), np.minimum(self._most, 1 / LEAST))
            return np.asarray(self._worth_of(used) - price * used, dtype=np.float64)


def _price(sums: Floats) -> tuple[Floats, Floats]:
    """Return p and the standard error of p."""
    use, other, weight, count = sums
    price, contract = _ratio(use, weight, 0.0), _ratio(other, weight, 0.0)
    return price, (price - contract) / np.sqrt(np.maximum(count, 1.0))


def _ratio(above: Floats, below: Floats, otherwise: float | Floats) -> Floats:
    return np.divide(above, below, out=np.full_like(above, otherwise), where=below > 0)
