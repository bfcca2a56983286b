# SPDX-License-Identifier: Apache-2.0
"""`best-offer`: let each user send over the source with the largest surplus.

The agent's sources are the alternatives, such as the same traffic over several carriers. Member i
of each source belongs to user i, who sends over one source and switches off the others. An
alternative gives a user the surplus

    s = U(x) - bill        [money/s], x the goodput

over the time between two decisions. The bill is the user's total payment for its flow: marks (if
the user pays for them), class fees and contracts on a meter. A utility with a `delay_cost` also
subtracts the cost of round trips. After a switch, the flow must first reach its rate, so its user
counts as new, and skips decisions, until the surplus no longer grows from one decision to the next.

A share `loyalty` of users skips each decision. Each user smooths its surplus with weight 1 -
loyalty (at least 0.1, at most 0.5), that is, over about the time between its decisions. From an
alternative that it does not use, a user expects the mean surplus of the alternative's users (word
of mouth). New users count only if an alternative has no other users. From an alternative without
users, a user expects the surplus that it last had there. An untested alternative, of which a user
knows nothing, counts as equal to the largest surplus that any user expects. Let s' be the largest
expected surplus and s the user's own surplus. An attentive user, who does not skip the decision,
switches with probability

    (s' - s - switching_cost / horizon) / 2 (d' + d)        [0 to 1]

where d (d' for the alternative) is the smoothed mean distance of one decision's surplus from the
smoothed surplus. So a gain beyond chance moves all attentive users, and a smaller gain moves a
proportional share. If all users moved at the smallest gain, chance would drive them from the larger
group to the smaller one. Users who decide at the same time would move as a herd, so that the
smaller of two full links would have too many users. If users move in proportion to the gain, they
settle where no other alternative gives more (Smith 1984). A share `curiosity` of attentive users
tries an alternative without users.

A user who has left gets U(0). An untested alternative counts as at least U(0). An attentive user
leaves if every alternative gives it less than U(0) at two decisions in a row. The user returns when
others gain beyond chance, or after a time `retry`. Others gain beyond chance if the mean surplus of
n decisions of an alternative's users exceeds U(0) by 3 d / n^1/2, where each user counts with at
most its last 2 / weight - 1 decisions. The wait doubles each time the user leaves again, up to 8
times `retry`, and is reset once a stay lasts as long as the wait. The actual time is drawn from 0.5
to 1.5 times the wait, so users return one by one. A user who returns after this time tries the next
alternative, and leaves after a loss at its first decision. For a time `retry`, every returning user
leaves after losses at two decisions in a row, attentive or not.

With `elastic`, users pay w = x U'(x) for the flow in use, as in `elastic-utility`, so each user
buys its demand at its carrier's price. Otherwise users pay `pay`.

First choices are drawn at random. The value `switches` in the table `agents` counts switches.
Discrete choice with switching costs: Farrell and Klemperer 2007, section 2. Moves in proportion to
the gain: M. J. Smith, The stability of a dynamic model of traffic assignment, Transportation
Science 18(3), 1984.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.decision import LEAVE, NO_CAP, Decision
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import FlowColumns, Observation, Truths
from ecnomy.agents.parameters import OneOf, Refused, Unit, positive
from ecnomy.agents.strategies.elastic_utility import ElasticUtility
from ecnomy.agents.strategies.flow_utility import under_key
from ecnomy.agents.utilities import UTILITIES, delay_cost_of, find_utility, utility_of
from ecnomy.agents.volumes import BITS_PER_MB

__all__ = ["BestOffer"]

SMOOTHING: Final = (0.1, 0.5)  # least and largest weight
DOUBT: Final = 2.0  # gain at which all users move, in mean deviations
SURE: Final = 3.0  # gain of others that brings a user back, in deviations of their mean
LONGEST: Final = 8.0  # longest wait, as a multiple of `retry`
LEAST: Final = 1e-3  # least share of x0, because U(0) may be minus infinity


@dataclasses.dataclass
class BestOffer:
    """Lets user i send over flow i of the source with the largest surplus.

    Attributes:
        utility: kind and parameters of each user's utility, concave or not.
        pay: a user's spending on marks if the user pays for them; a negative value leaves the
            spending unchanged.
        elastic: whether users pay by the utility instead of `pay`; requires a concave utility.
        switching_cost: a user's perceived cost of a switch; no money is paid.
        horizon: the time over which a gain must recover the switching cost.
        loyalty: share of users that skip a decision [from 0 to 1].
        curiosity: share of the attentive users that try an alternative without users
            [from 0 to 1].
        retry: mean time until a user that has left tries again; it doubles if the user leaves again
            soon.
    """

    roles: ClassVar[tuple[str, ...]] = ("customer",)
    chooses_sources: ClassVar[bool] = True
    utility: Annotated[Mapping[str, object], OneOf(UTILITIES, find_utility)]
    pay: Annotated[float, Unit("money/s")] = -1.0
    switching_cost: Annotated[float, Unit("money")] = 0.0
    horizon: Annotated[float, Unit("s")] = 60.0
    loyalty: float = 0.9
    curiosity: float = 0.02
    retry: Annotated[float, Unit("s")] = 30.0
    elastic: bool = False

    def __post_init__(self) -> None:
        if self.elastic and self.pay >= 0:
            raise Refused("pay", f"{self.pay:g} money/s with 'elastic'", "only one of them")
        self._payer = ElasticUtility(self.utility).staying() if self.elastic else None
        self._utility = under_key(utility_of, self.utility)
        self._delay_cost = delay_cost_of(self._utility)
        if self._utility.x0 is None:
            raise Refused("utility.x0", "no 'x0'", "a rate such as 1 Mbps")
        if not 0 <= self.switching_cost < math.inf:
            raise Refused("switching_cost", f"{self.switching_cost:g} money", "0 or more")
        if not 0 < self.horizon < math.inf:
            raise Refused("horizon", f"{self.horizon:g} s", "a time above 0 s")
        positive("retry", self.retry, "s")
        for name in ("loyalty", "curiosity"):
            if not 0 <= getattr(self, name) <= 1:
                raise Refused(name, f"{getattr(self, name):g}", "a share from 0 to 1")
        with np.errstate(all="ignore"):  # without a price; infinite for most utilities
            free = float(self._utility.demand(np.zeros(1))[0]) if self._payer else math.inf
        self._sated_bps = free * self._utility.x0
        self._weight = min(max(1 - self.loyalty, SMOOTHING[0]), SMOOTHING[1])
        self._rows: Integers = np.zeros((0, 0), dtype=np.int64)  # [alternative, user]
        self._known: Floats = np.zeros((0, 0))  # surplus, money/s; NaN if unknown
        self._spread: Floats = np.zeros(0)  # d by alternative, money/s
        self._choice: Integers = np.zeros(0, dtype=np.int64)
        self._new: Truths = np.zeros(0, dtype=np.bool_)  # users whose surplus grows after a switch
        self._latest: Floats = np.zeros(0)  # surplus at the last decision, money/s
        self._switches = 0
        with np.errstate(all="ignore"):  # U(0) may be minus infinity, so that users never leave
            self._nothing = float(np.nan_to_num(self._utility.value(np.zeros(1))[0], nan=-np.inf))
        self._away: Truths = np.zeros(0, dtype=np.bool_)
        self._doubts: Truths = np.zeros(0, dtype=np.bool_)  # users with a loss at the last decision
        self._probing: Truths = np.zeros(1, dtype=np.bool_)  # users who are back for a trial
        self._considers: Truths = np.zeros(0, dtype=np.bool_)
        self._wait_s: Floats = np.zeros(0)
        self._again_s: Floats = np.zeros(0)
        self._back_s: Floats = np.zeros(0)
        self._samples: Floats = np.zeros(0)  # number of decisions in a user's smoothed surplus

    @property
    def inertia(self) -> float:
        """The share of users that skip a decision."""
        return self.loyalty

    @property
    def advice(self) -> str:
        """The advice of `elastic-utility` if users pay by it, otherwise ""."""
        return self._payer.advice if self._payer else ""

    @property
    def needs_s(self) -> float:
        """The `needs_s` of `elastic-utility` if users pay by it, otherwise 0."""
        return self._payer.needs_s if self._payer else 0.0

    def decide_many(self, observation: Observation) -> Decision:
        """Return which flows may send, and the payments for their marks."""
        if observation.agent is None:
            raise StrategyError("best-offer: random users require a market")
        if not len(observation.flows.flow):
            return Decision()
        random = observation.agent.random
        if self._rows.size != len(observation.flows.flow):
            self._meet(observation.flows)
            alternatives, users = self._rows.shape
            first = np.asarray(random.integers(alternatives, size=users), dtype=np.int64)
            self._begin(alternatives, first)
        elif observation.dt_ps:
            self._learn(observation)
            choice = np.where(self._away, self._choice, self._better(random))
            choice = self._stay_or_leave(observation.t_s, choice, random)
            if self._switch(choice).any():
                observation.agent.note("switches", self._switches)
        return self._decision(observation)

    def _begin(self, alternatives: int, choice: Integers) -> None:
        """Reset all knowledge, and let each user begin with its alternative in `choice`."""
        users = len(choice)
        self._known = np.full((alternatives, users), np.nan)
        self._choice = choice
        self._spread = np.zeros(alternatives)
        self._new, self._latest = np.zeros(users, dtype=np.bool_), np.zeros(users)
        self._back_s, self._samples = np.full(users, -np.inf), np.zeros(users)
        self._renew(np.ones(users, dtype=np.bool_))
        self._away, self._doubts = np.zeros((2, users), dtype=np.bool_)
        self._wait_s, self._again_s = np.full(users, self.retry), np.zeros(users)

    def _switch(self, choice: Integers) -> Truths:
        """Take each user's choice, and return the users who switched."""
        moved: Truths = choice != self._choice
        self._choice = choice
        self._renew(moved)
        self._switches += int(np.count_nonzero(moved))
        return moved

    def _renew(self, users: Truths) -> None:
        """Mark these users as new, because their flows start."""
        self._new[users], self._latest[users], self._samples[users] = True, -np.inf, 0.0

    def _meet(self, flows: FlowColumns) -> None:
        """Find the flow of each user over each alternative."""
        sources = np.unique(flows.source)
        rows = [np.flatnonzero(flows.source == source) for source in sources]
        if len({len(own) for own in rows}) > 1 or len(rows) < 2:
            counts = ", ".join(str(len(own)) for own in rows)
            raise StrategyError(
                f"best-offer: the agent's sources have {counts} flows, expected two or more "
                "sources with equal `count`, because flow i of each source belongs to user i"
            )
        self._rows = np.array(rows, dtype=np.int64)

    def _stay_or_leave(self, t_s: float, choice: Integers, random: np.random.Generator) -> Integers:
        expected = self._expected()
        best_of = expected.argmax(axis=0)
        best, own = expected.max(axis=0), expected[self._choice, np.arange(len(choice))]
        stuck = (own < self._nothing) & (choice == self._choice)
        loses: Truths = (best < self._nothing) | ((best == self._nothing) & stuck)
        tries = t_s - self._back_s < self.retry
        leave = ~self._away & loses & self._doubts & (self._considers | tries)
        inside = ~self._away & ~leave
        self._wait_s[inside & ~loses & (t_s - self._back_s >= self._wait_s)] = self.retry
        self._doubts = ~self._away & loses
        others = self._away & self._considers & (best > self._nothing + self._chance()[best_of])
        probe = self._away & ~others & (t_s >= self._again_s)
        if leave.any():
            wait_s = self._wait_s[leave] * random.uniform(0.5, 1.5, np.count_nonzero(leave))
            self._again_s[leave] = t_s + wait_s
            self._wait_s[leave] = np.minimum(2 * self._wait_s[leave], LONGEST * self.retry)
        choice = np.where(leave, self._choice, np.where(others, best_of, choice))
        choice = np.where(probe, (self._choice + 1) % len(expected), choice)
        back: Truths = probe | others
        self._known[choice[back], back] = np.nan
        self._renew(back)
        self._back_s[back] = t_s
        self._away = (self._away | leave) & ~back
        self._doubts |= probe
        self._probing = probe
        return choice

    def _learn(self, observation: Observation) -> None:
        """Learn each user's surplus over the alternative in use since the last decision."""
        self._learn_of(observation, self._rows[self._choice, np.arange(len(self._choice))])

    def _learn_of(self, observation: Observation, used: Integers) -> None:
        """Learn the surplus of the flows in use, which have the indices `used`."""
        flows = observation.flows
        assert self._utility.x0 is not None
        ratio = np.maximum(flows.goodput_bps[used] / self._utility.x0, LEAST)
        cost = flows.bill_micro[used] / MICRO / observation.dt_s
        surplus = self._utility.value(ratio) - cost
        if self._delay_cost:
            megabytes_per_s = flows.goodput_bps[used] / BITS_PER_MB
            surplus -= self._delay_cost * flows.srtt_s[used] * megabytes_per_s
        at = self._choice, np.arange(len(self._choice))
        before = self._known[at]
        self._spread_of(surplus, before)
        self._new &= surplus > self._latest
        self._latest = surplus
        fresh = self._new | np.isnan(before)
        self._samples = np.where(fresh, 1.0, np.minimum(self._samples + 1, 2 / self._weight - 1))
        weight = np.maximum(self._weight, 1 / self._samples)  # at first, a plain mean
        learnt = np.where(fresh, surplus, before + weight * (surplus - before))
        self._known[at] = np.where(self._away, before, learnt)

    def _spread_of(self, surplus: Floats, before: Floats) -> None:
        """Update d of each alternative in use."""
        settled = ~self._new & ~self._away & ~np.isnan(before)
        for k in np.unique(self._choice[settled]):
            users = settled & (self._choice == k)
            deviation = np.abs(surplus - before)[users].mean()
            self._spread[k] += self._weight * (deviation - self._spread[k])

    def _expected(self) -> Floats:
        """Return the expected surplus [alternative, user]."""
        expected = self._known.copy()
        for k in range(len(expected)):
            inside = (self._choice == k) & ~self._away
            heard = inside & ~self._new if (inside & ~self._new).any() else inside
            if heard.any():
                expected[k, ~inside] = np.nanmean(self._known[k, heard])
        if np.isnan(expected).all():
            return np.zeros_like(expected)
        return np.where(np.isnan(expected), max(np.nanmax(expected), self._nothing), expected)

    def _chance(self) -> Floats:
        """Return the gain that chance explains, by alternative, or infinity without users."""
        samples = np.bincount(
            self._choice, np.where(self._away, 0.0, self._samples), len(self._spread)
        )
        return np.where(
            samples > 0, SURE * self._spread / np.sqrt(np.maximum(samples, 1.0)), np.inf
        )

    def _better(self, random: np.random.Generator) -> Integers:
        expected, users = self._expected(), np.arange(len(self._choice))
        best = expected.argmax(axis=0)
        here, there = expected[self._choice, users], expected[best, users]
        gain = there - here - self.switching_cost / self.horizon
        considers = (random.random(len(users)) >= self.loyalty) & ~self._new | self._probing
        self._considers = considers
        doubt = DOUBT * (self._spread[self._choice] + self._spread[best])
        sure: Truths = gain > doubt * random.random(len(users))
        choice = np.where(considers & (gain > 0) & sure, best, self._choice)
        tries = considers & (random.random(len(users)) < self.curiosity)
        other = (self._choice + random.integers(1, len(expected), size=len(users))) % len(expected)
        used = np.bincount(self._choice[~self._away], minlength=len(expected)) > 0
        return np.where(tries & ~used[other], other, choice)

    def _cap(self, cap_bps: Floats | None) -> Floats | None:
        """Return the rate caps of `elastic-utility`, at most the demand at a price of 0.

        Where `elastic-utility` sets no cap, the cap is this demand.
        """
        if not math.isfinite(self._sated_bps):
            return cap_bps
        if cap_bps is None:
            return np.full(self._rows.size, self._sated_bps)
        return np.where(cap_bps == NO_CAP, self._sated_bps, np.minimum(cap_bps, self._sated_bps))

    def _decision(self, observation: Observation) -> Decision:
        flows = len(observation.flows.flow)
        active = np.zeros(flows, dtype=np.bool_)
        active[self._rows[self._choice, np.arange(len(self._choice))]] = ~self._away
        if self._payer is not None:
            paid = self._payer.decide_many(observation)
            return Decision(
                paid.willingness_micro_per_s,
                rate_cap_bps=self._cap(paid.rate_cap_bps),
                active=active,
            )
        pay = np.full(flows, LEAVE if self.pay < 0 else float(round(self.pay * MICRO)))
        return Decision(pay, active=active)
