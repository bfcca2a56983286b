# SPDX-License-Identifier: Apache-2.0
"""The waits of users who have left until their next trial, with scripted costs of use."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from ecnomy.agents.observation import Observation
from ecnomy.agents.strategies.leaving import Leaving
from ecnomy.agents.utilities.find import utility_of
from flow_world import posted

EVERY_S = 5.0
NEW = np.zeros(0, dtype=np.int64)
ON = np.array([True])


class User:
    """A flow that observes a series of prices. Users do not buy above 1 money/s for x0."""

    def __init__(self, most: float = math.inf, **utility: float | str) -> None:
        kind = {"kind": "log", "a": 1.0, "x0": 1e6} | utility
        self.leaving = Leaving(utility_of(kind), 30.0)
        self.leaving.meet(np.array([most]), NEW, NEW)
        self.t_s = 0.0

    def decide(self, price: float) -> None:
        """A decision after 5 s at half of x0 and this price, known from 100 marks."""
        self.t_s += EVERY_S
        assert self.t_s < 10_000
        self.leaving._sums[:, 0] = [price, 0.0, 1.0, 100.0, 0.0, EVERY_S, 1000.0]
        self.leaving.turn(
            self.t_s, np.array([0.5]), np.zeros(1), ON & ~self.leaving.away, posted(1)
        )

    def pay(self, fee: float, users: int = 1) -> float:
        """Return its time at x0, from its beginning, at a fee and 0.5 for marks, in money/s.

        Each user of a row of many pays this.
        """
        began_s = self.t_s
        while not self.leaving.away[0]:
            sent = ON & (self.t_s > began_s)
            self.t_s += EVERY_S
            self.leaving.learn(bill(fee, 0.5, users), np.array([EVERY_S * users]), sent)
            self.leaving.turn(self.t_s, np.ones(1), np.zeros(1), sent, posted(1))
        return self.t_s - began_s

    def away(self) -> float:
        """Return the time until its next trial, which begins with the decision that ends it."""
        left_s = self.t_s
        while self.leaving.away[0]:
            self.decide(10.0)
        return self.t_s - left_s

    def waits(self) -> float:
        """The time from leaving because of the price to the next trial."""
        while not self.leaving.away[0]:
            self.decide(10.0)
        return self.away()


def bill(fee: float, marks: float, users: int = 1, by_time: float = 0.0) -> Observation:
    """A flow's 5 s at x0, with 100 marks and charges in money/s; of many users all together.

    `by_time` is the posted charge now.
    """
    micro = {"charge_micro": marks, "bill_micro": fee + marks, "standing_micro": fee}
    columns = {
        name: np.array([round(1e6 * EVERY_S * each * users)]) for name, each in micro.items()
    }
    flows = SimpleNamespace(
        **columns,
        posted_standing_micro=np.array([1e6 * by_time]),
        weight_micro=np.zeros(1),
        srtt_s=np.ones(1),
        active=np.array([users]),
        marks=np.array([100 * users]),
        delivered=ON * 1000 * users,
    )
    return SimpleNamespace(flows=flows, dt_s=EVERY_S)  # type: ignore[return-value]


def test_a_wait_is_short_again_for_those_who_have_stayed_as_long() -> None:
    """Waits are 30 s, doubled each time, up to 8 times; a single good price changes nothing."""
    user = User()
    for expected in (30, 60, 120, 240, 240):
        assert user.waits() == expected
        user.decide(0.1)
    while user.leaving._wait_s[0] > 30:
        user.decide(0.1)
    assert user.waits() == 30


@pytest.mark.parametrize(("fee", "users"), [(0.3, 1), (1.0, 1), (10.0, 1), (1.0, 3)])
def test_a_wait_is_longer_the_more_a_stay_has_lost_to_fees(fee: float, users: int) -> None:
    """x0 is worth log 2 and costs 0.5: a fee above 0.193 loses; waits limit this to 10 %."""
    user = User()
    lost = (fee + 0.5 - math.log(2)) * user.pay(fee, users)
    wait = max(30.0, lost / (0.1 * math.log(2)))
    assert user.away() == EVERY_S * math.ceil(wait / EVERY_S)


def test_a_fall_of_a_posted_charge_by_time_ends_a_wait() -> None:
    """x0 is worth log 2, and 0.193 of it remain at a price of 0.5: a fee below that is worth it."""
    user = User()
    leaving = user.leaving
    while not leaving.away[0]:
        user.t_s += EVERY_S
        leaving.learn(bill(3.0, 0.5, by_time=3.0), np.array([EVERY_S]), ON)
        leaving.turn(user.t_s, np.ones(1), np.zeros(1), ON, posted(by_time=3.0))
    left_s, turns = user.t_s, []
    for fee in (3.0, 5.0, 0.25, 0.15):
        user.t_s += EVERY_S
        now = posted(by_time=fee)
        turns += leaving.turn(user.t_s, np.zeros(1), np.zeros(1), ~ON, now).tolist()
    assert turns == [False, False, False, True]
    assert user.t_s < left_s + 30
    assert leaving.hurries


def settled(by_time: float) -> User:
    """A user who has paid this posted charge by time for 50 s, at a price of 0.5."""
    user = User()
    for _ in range(10):
        user.t_s += EVERY_S
        user.leaving.learn(bill(by_time, 0.5, by_time=by_time), np.array([EVERY_S]), ON)
        user.leaving.turn(user.t_s, np.ones(1), np.zeros(1), ON, posted(by_time=by_time))
    return user


@pytest.mark.parametrize("fee", [0.25, 3.0])
def test_users_leave_for_a_posted_charge_before_its_first_bill(fee: float) -> None:
    """They leave at the decision after the rise above 0.193."""
    user = settled(0.05)
    leaving = user.leaving
    assert not leaving.away[0]
    leaving.learn(bill(0.05, 0.5, by_time=fee), np.array([EVERY_S]), ON)
    leaving.turn(user.t_s, np.ones(1), np.zeros(1), ON, posted(by_time=fee))
    assert leaving.away[0]


def waited_s(user: User, fees: list[float]) -> list[float]:
    """Return the wait until the next trial after a user has left, at each of these charges."""
    gone_s = user.leaving._gone[0, 0]
    return [float(user.leaving._again_s(np.array([fee]))[0] - gone_s) for fee in fees]


@pytest.mark.parametrize("left_at", [0.25, 3.0])
def test_a_wait_follows_the_posted_charge(left_at: float) -> None:
    """A trial of 30 s at the charge now may lose at most a tenth of log 2 per second of the wait.

    The price of 0.5 leaves a gain of 0.193. A fall cannot lengthen a wait, nor a rise shorten it.
    """
    user = settled(0.05)
    leaving = user.leaving
    leaving.learn(bill(0.05, 0.5, by_time=left_at), np.array([EVERY_S]), ON)
    leaving.turn(user.t_s, np.ones(1), np.zeros(1), ON, posted(by_time=left_at))
    assert leaving.away[0]
    fees = [0.25, 1.0, 3.0, 5.0]
    gain = math.log(2) - 0.5
    waits = [max(30.0, 30 * (fee - gain) / (0.1 * math.log(2))) for fee in fees]
    assert waited_s(user, fees) == pytest.approx(waits, rel=0.02)


def test_a_trial_ends_at_a_rise_before_it_knows_a_price() -> None:
    """The price for which it left counts; at a charge that this price leaves room for, it stays."""
    for fee, stays in ((0.19, True), (0.25, False)):
        user = settled(0.05)
        leaving = user.leaving
        for now in (3.0, 0.05):
            user.t_s += EVERY_S
            leaving.learn(bill(0.05, 0.5, by_time=now), np.array([EVERY_S]), ON)
            leaving.turn(user.t_s, np.ones(1), np.zeros(1), ~leaving.away, posted(by_time=now))
        assert not leaving.away[0] and leaving.probing[0]
        user.t_s += EVERY_S
        leaving.turn(user.t_s, np.zeros(1), np.zeros(1), ~ON, posted(by_time=fee))
        assert leaving.away[0] == (not stays)


@pytest.mark.parametrize(("most", "leaves"), [(math.inf, False), (0.5, True)])
def test_a_user_whose_traffic_is_capped_gains_no_more_than_its_cap_allows(
    most: float, leaves: bool
) -> None:
    """Without a price of use, a fee of 0.5 exceeds the worth of half of x0, log 1.5."""
    user = User(most)
    for _ in range(3):
        user.t_s += EVERY_S
        user.leaving.learn(bill(0.5, 0.0, by_time=0.5), np.array([EVERY_S * 0.5]), ON)
        user.leaving.turn(
            user.t_s, np.full(1, 0.5), np.zeros(1), ON & ~user.leaving.away, posted(by_time=0.5)
        )
    assert user.leaving.away[0] == leaves


def test_packets_that_arrive_after_a_user_left_tell_no_contract() -> None:
    """They belong to an earlier rate; the user's next trial begins without a charge by use."""
    leaving = User().leaving
    leaving.away[:] = True
    observation = bill(0.0, 0.0)
    observation.flows.bill_micro[:] += 1_000_000
    leaving.learn(observation, np.array([0.001]), ~ON)
    assert leaving.contract() == [0.0]


def test_a_charge_by_time_that_has_fallen_no_longer_counts() -> None:
    """Sums fade by half at each decision, but the posted charge is known."""
    user = settled(0.15)
    for fee in (0.19, 0.19, 0.01, 0.01, 0.01):
        user.leaving.learn(bill(9.0, 0.5, by_time=fee), np.array([EVERY_S]), ON)
        user.leaving.turn(user.t_s, np.ones(1), np.zeros(1), ON, posted(by_time=fee))
        assert not user.leaving.away[0]


def test_gains_before_a_rise_do_not_shorten_a_wait() -> None:
    """The loss of a stay counts from the last rise of the posted charge."""
    user = settled(0.01)
    assert user.leaving._stay[1, 0] < -5
    for _ in range(2):
        user.leaving.learn(bill(0.9, 0.5, by_time=0.9), np.array([EVERY_S]), ON)
        user.leaving._left[4] = 0.9
    lost = 2 * EVERY_S * (0.9 + 0.5 - math.log(2))
    assert user.leaving._stay[1, 0] == pytest.approx(lost)


def test_whoever_cannot_be_without_it_waits_no_longer() -> None:
    """U(0) is minus infinity: no fee exceeds the worth of x0, so users leave only for the price."""
    user = User(kind="alpha-fair", alpha=2.0)
    user.leaving.learn(bill(10.0, 0.5), np.array([EVERY_S]), ON)
    while not user.leaving.away[0]:
        user.decide(1e8)
    assert user.away() == 30


def test_a_charge_by_use_is_known_from_the_first_bill() -> None:
    """A flow's first interval gives the charge, until the first whole interval replaces it."""
    leaving = User().leaving
    for sent, price in ((~ON, 0.6), (ON, 0.4)):
        observation = bill(0.0, 0.25)
        observation.flows.bill_micro[:] += round(1e6 * EVERY_S * price)
        leaving.learn(observation, np.array([EVERY_S]), sent)
        assert leaving.contract() == pytest.approx([price])
    leaving.learn(bill(0.0, 0.25), np.array([0.0]), ~ON)
    leaving.meet(np.full(2, np.inf), np.array([1]), np.array([0]))
    assert leaving.contract() == pytest.approx([0.0, 0.4])
    leaving._sums[:] = 0
    assert leaving.contract() == pytest.approx([0.0, 0.6])


@pytest.mark.parametrize(("cost", "srtt_s"), [(0.4, 0.3), (2.0, 0.05)])
def test_a_cost_of_delay_counts_as_a_contract_by_use(cost: float, srtt_s: float) -> None:
    """The delay's price per x0 is cost x round trip x MB/s; sums fade by half at the next bill."""
    leaving = User(delay_cost=cost).leaving
    assert leaving.contract() == [0.0]
    totals = np.zeros(2)  # money for delay, r dt
    for megabytes, used_s, kept in ((0.5, 4.0, 1.0), (2.0, 3.0, 0.5)):
        observation = bill(0.2, 0.5)
        observation.flows.srtt_s = np.array([srtt_s])  # type: ignore[misc]
        observation.flows.delivered_bytes = np.array([round(1e6 * megabytes)])  # type: ignore[misc]
        leaving.learn(observation, np.array([used_s]), ON)
        totals = kept * totals + np.array([cost * srtt_s * megabytes, used_s])
        assert leaving.contract() == pytest.approx([totals[0] / totals[1]])


def test_who_returns_has_forgotten_the_price_it_left_for() -> None:
    """A trial lasts for five packets, and then only their price counts; so at the second return."""
    user = User()
    leaving, began_s = user.leaving, user.t_s
    for stays in (2, 2):
        began_s = user.t_s
        while not leaving.away[0]:
            user.t_s += EVERY_S
            leaving.learn(bill(0.0, 5.0), np.array([EVERY_S]), ON)  # nobody buys at this price
            leaving.turn(user.t_s, np.ones(1), np.zeros(1), ON, posted(1))
        assert user.t_s == began_s + stays * EVERY_S
        assert not leaving.probing[0]
        user.t_s = leaving._again_s(np.zeros(1))[0]
        assert leaving.turn(user.t_s, np.zeros(1), np.zeros(1), ~ON, posted(1)).tolist() == [True]
        for knows in (False, False, True):
            assert leaving.probing[0]
            observation = bill(0.0, 0.1)
            observation.flows.delivered = np.array([2])  # type: ignore[misc]
            user.t_s += EVERY_S
            leaving.learn(observation, np.array([EVERY_S]), ON)
            assert not leaving.turn(user.t_s, np.ones(1), np.zeros(1), ON, posted(1)).any()
            assert (leaving.probing[0], leaving.away[0]) == (not knows, False)
        paid, _, used, *_ = leaving._sums[:, 0].tolist()
        assert paid / used == pytest.approx(0.1)
