# SPDX-License-Identifier: Apache-2.0
"""Who gains nothing leaves: what flows cost of late, and when one that is off looks again.

With r = x / x0 and sums over decisions that fade by half at each, but not below five packets, and
by marks alone not below ten of them, as a flow that pays next to nothing meets few,

    p  =  sum of (bill - standing) / sum of r dt      what the use of x0 costs, money/s
    c  =  sum of (bill - standing - marks) / sum of r dt      the part of it by contracts
    S  =  sum of standing / sum of dt                 what goes by time, money/s

A utility's delay cost counts as a contract: round trip times what has arrived, on no bill.

A flow leaves where at two decisions its demand at p is below x0/1000, or where at p it gains less
than S costs: U(D(p)) - p D(p) - S < U(0). As marks are chance, demand is at p less one standard
error of the n marks it is made of, (p - c) / sqrt(n); at x0/1000 it is that at p itself.

A user who is away cannot see the marks of its path. It looks again after a time `retry`, then after
twice as long each time that it leaves again, up to 8 times. It begins with what it would pay at
x0/100, and until it knows a price x0/100 is its largest rate: while marks are as dear as they were
its w only falls. What it knew it forgets. One that has come to x0/50 waits `retry` the next time.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import Observation, Truths
from ecnomy.agents.utilities import Utility, delay_cost_of

__all__ = ["LEAST", "PROBE", "Leaving"]

LEAST: Final = 1e-3  # of x0: the smallest rate
PROBE: Final = 1e-2  # of x0: the rate whose price is paid while one looks
BYTES_PER_MB: Final = 1e6
FADE: Final = 0.5
KNOWN: Final = 10.0  # marks that sums do not fade below
LONGEST: Final = 8.0
ENOUGH: Final = 5.0  # packets, to know a price


class Leaving:
    """Flows with one utility: which are away, and what the others' use costs.

    Attributes:
        away: which flows have left.
        probing: which are back and know no price yet.
    """

    def __init__(self, utility: Utility, retry_s: float) -> None:
        self._utility, self._retry_s = utility, retry_s
        self._delay_cost = delay_cost_of(utility)
        self.away: Truths = np.zeros(0, dtype=np.bool_)
        self.probing: Truths = np.zeros(0, dtype=np.bool_)
        self._doubts: Truths = np.zeros(0, dtype=np.bool_)  # would have left at the last decision
        self._sums: Floats = np.zeros(
            (7, 0)
        )  # money by use, by contract, standing; r dt, dt, n, packets
        self._wait_s: Floats = np.zeros(0)
        self._again_s: Floats = np.zeros(0)

    def meet(self, count: int, new: Integers, old: Integers) -> None:
        """So many flows from now on; rows `new` of them were rows `old` before."""
        away, wait_s = np.zeros(count, np.bool_), np.full(count, self._retry_s)
        sums, again_s = np.zeros((7, count)), np.zeros(count)
        away[new], wait_s[new], again_s[new] = self.away[old], self._wait_s[old], self._again_s[old]
        sums[:, new] = self._sums[:, old]
        probing, doubts = np.zeros((2, count), np.bool_)
        probing[new], doubts[new] = self.probing[old], self._doubts[old]
        self.away, self._wait_s, self._again_s, self._sums = away, wait_s, again_s, sums
        self.probing, self._doubts = probing, doubts

    def learn(self, seen: Observation, used_s: Floats, sent: Truths) -> None:
        """Take the bills of flows that were on throughout.

        `used_s` is r dt of what has arrived [s], of all flows of a row together as bills are. ACKs
        that fill a hole tell of more than what is billed with them.
        """
        flows = seen.flows
        standing = flows.standing_micro / MICRO
        use = flows.bill_micro / MICRO - standing
        marks = np.minimum(flows.charge_micro / MICRO, use)  # those that others pay are not on it
        if self._delay_cost:
            use = use + self._delay_cost * flows.srtt_s * flows.delivered_bytes / BYTES_PER_MB
        count = np.where(marks > 0, flows.marks, 0)
        time = seen.dt_s * np.maximum(flows.active, 1)
        more = np.array([use, use - marks, standing, used_s, time, count, flows.delivered])
        held = (self._sums[1] == 0) & (self._sums[5] > 0) & (FADE * self._sums[5] < KNOWN)
        held |= FADE * self._sums[6] < ENOUGH  # at a packet in many decisions it would never know
        self._sums = np.where(sent, np.where(held, 1.0, FADE) * self._sums + more, self._sums)

    def contract(self) -> Floats:
        """c, 0 where nothing is known."""
        return _ratio(self._sums[1], self._sums[3], 0.0)

    def turn(self, t_s: float, ratio: Floats, sent: Truths) -> Truths:
        """Flows leave and look again; returns which are new to their probe."""
        use, other, standing, weight, time, count, packets = self._sums
        price, contract = _ratio(use, weight, 0.0), _ratio(other, weight, 0.0)
        error = (price - contract) / np.sqrt(np.maximum(count, 1.0))
        bought = self._utility.demand(price)
        nothing = self._utility.demand(np.where(ratio <= LEAST, price, price - error)) < LEAST
        flat = _ratio(standing, time, 0.0)
        if flat.any():
            with np.errstate(divide="ignore", invalid="ignore"):
                used = np.minimum(bought, 1 / LEAST)
                gain = self._utility.value(used) - price * used
                nothing |= (flat > 0) & (gain - flat < self._utility.value(np.zeros_like(gain)))
        nothing &= (packets >= ENOUGH) | ((ratio <= LEAST) & ~self.probing)
        leave = sent & ~self.away & nothing & self._doubts
        self._doubts = np.where(sent, nothing, self._doubts) & ~leave
        back = self.away & (t_s >= self._again_s)
        stays = sent & ~self.away & ~nothing & (ratio > 2 * PROBE)
        self._wait_s[stays] = self._retry_s
        self._again_s[leave] = t_s + self._wait_s[leave]
        self._wait_s[leave] = np.minimum(2 * self._wait_s[leave], LONGEST * self._retry_s)
        self._sums[:, leave] = 0.0
        self.away = (self.away | leave) & ~back
        self.probing = (self.probing | back) & (packets < ENOUGH) & ~self.away
        return back


def _ratio(above: Floats, below: Floats, otherwise: float) -> Floats:
    return np.divide(above, below, out=np.full_like(above, otherwise), where=below > 0)
