# SPDX-License-Identifier: Apache-2.0
"""`best-offer`: the source that each user sends over, and when the user changes it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import FlowColumns, Observation, Offer
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.best_offer import BestOffer

PS = 10**12
LOG = {"kind": "log", "a": 1.0, "x0": 1e6}


class NoBooks:
    """An account without postings."""

    def balance_micro(self, name: str) -> int:
        """Nothing."""
        return 0

    def paid_micro(self, name: str) -> dict[str, int]:
        """Nothing."""
        return {}

    def received_micro(self, name: str) -> dict[str, int]:
        """Nothing."""
        return {}


class Users:
    """Users in front of two sources, whose rates and charges a test sets."""

    def __init__(self, count: int, utility: Mapping[str, object] = LOG, **params: float) -> None:
        self.count = count
        self.strategy = BestOffer(utility, **{"loyalty": 0.0, "curiosity": 0.0, **params})
        self.notes: dict[str, float] = {}
        view = AgentView("users", np.random.default_rng(1), NoBooks(), self.notes.__setitem__)
        self.view, self.t_ps = view, 0

    def meet(self, mbps: tuple[float, float], charge: tuple[float, float] = (0, 0)) -> list[int]:
        """One decision 10 s after the last; returns the alternative of each user, -1 for none.

        `mbps` and `charge` [money/s] are those of each alternative for all its users.
        """
        n, dt_ps = self.count, 10 * PS if self.t_ps else 0
        rows = np.arange(2 * n)
        source = rows // n
        columns = FlowColumns(
            flow=rows,
            active=np.ones(2 * n, dtype=np.int64),
            goodput_bps=np.array(mbps)[source] * 1e6,
            delivered=np.zeros(2 * n, dtype=np.int64),
            marks=np.zeros(2 * n, dtype=np.int64),
            charge_micro=np.rint(np.array(charge)[source] * 10e6).astype(np.int64),
            srtt_s=np.full(2 * n, 0.04),
            gain=np.zeros(2 * n),
            offer=np.full(2 * n, -1),
            source=source,
            member=rows % n,
        )
        observation = Observation(self.t_ps, dt_ps, 1000, (), columns, ("a", "b"), self.view)
        self.t_ps += 10 * PS
        decision = self.strategy.decide_many(observation)
        self.cap_bps = decision.rate_cap_bps
        assert decision.active is not None
        active = decision.active.reshape(2, n)
        assert (active.sum(axis=0) <= 1).all()
        return [int(k) for k in np.where(active.any(axis=0), active.argmax(axis=0), -1)]

    def look(self, mbps: tuple[float, float], charge: tuple[float, float] = (0, 0)) -> list[int]:
        """Two decisions: new users learn at the first and look at the second."""
        self.meet(mbps, charge)
        return self.meet(mbps, charge)


def test_users_take_what_leaves_them_most() -> None:
    """Users take the faster source if it is free, and the slower if the faster costs too much."""
    users = Users(9)
    first = users.meet((1, 3))
    assert 0 < sum(first) < 9  # at random
    assert users.look((1, 3)) == [1] * 9
    assert users.notes["switches"] == 9 - sum(first)
    # U(3) - U(1) = log 4 - log 2 = 0.69: not worth 0.8, smoothed over a few decisions
    for _ in range(8):
        last = users.meet((1, 3), (0, 0.8))
    assert last == [0] * 9


def test_a_flow_may_reach_its_rate_first() -> None:
    """A user on the slower source learns of the faster one, but first waits to reach its rate."""
    users = Users(9)
    first = users.meet((1, 3))
    assert [users.meet((mbps, 3)) for mbps in (0.5, 0.8, 1.0)] == [first] * 3
    assert users.meet((1, 3)) == [1] * 9


@pytest.mark.parametrize(
    "kind", ["log", "alpha-fair", "sqrt", "quadratic", "target", "sigmoid", "step"]
)
def test_any_utility_of_rates_will_do(kind: str) -> None:
    """A rate above x0 = 2 Mbps is preferred to a tenth of it, but not at every charge."""
    more = {"alpha": 2.0} if kind == "alpha-fair" else {}
    users = Users(6, utility={"kind": kind, "a": 1.0, "x0": 2e6, **more})
    users.meet((0.2, 2.1))
    assert users.look((0.2, 2.1)) == [1] * 6
    for _ in range(8):
        last = users.meet((0.2, 2.1), (0, 20.0))
    assert last == [0] * 6


def test_who_has_a_step_takes_the_cheaper_of_two_that_reach_it() -> None:
    """3 and 5 Mbps have the same utility, so the charge decides."""
    users = Users(6, utility={"kind": "step", "a": 1.0, "x0": 2e6})
    for _ in range(3):
        last = users.meet((3, 5), (0.1, 0.2))
    assert last == [0] * 6


def test_a_change_has_to_make_up_for_its_cost() -> None:
    """A gain of 0.69 money/s over a horizon of 10 s justifies a cost of 6.8 money, but not of 7."""
    for cost, moves in ((6.8, True), (7.0, False)):
        users = Users(9, switching_cost=cost, horizon=10.0)
        first = users.meet((1, 3))
        assert (users.look((1, 3)) == [1] * 9) == moves
        assert moves or users.meet((1, 3)) == first


def test_the_loyal_do_not_look() -> None:
    """At a loyalty of 0.5, about half of the users who would gain switch at each decision."""
    users = Users(2000, loyalty=0.5)
    first = users.meet((1, 3))
    left = 2000 - sum(first)
    moved = sum(users.look((1, 3))) - sum(first)
    assert abs(moved / left - 0.5) < 0.06
    assert Users(5, loyalty=1.0).meet((1, 3)) is not None
    stay = Users(50, loyalty=1.0)
    assert stay.meet((1, 3)) == stay.meet((1, 3)) == stay.meet((1, 9))


def test_the_curious_try_others() -> None:
    """A tenth of the users try an alternative without users, regardless of their knowledge."""
    users = Users(5000)
    users.meet((1, 3))
    assert sum(users.look((1, 3))) == sum(users.look((1, 3))) == 5000
    users.strategy.curiosity = 0.1
    assert abs(5000 - sum(users.meet((1, 3))) - 500) < 70
    apart = Users(5000, curiosity=0.1, switching_cost=1e6)
    first = apart.meet((1, 3))
    assert apart.look((1, 3)) == first


@pytest.mark.parametrize(("gain", "share"), [(0.08, 0.25), (0.16, 0.5), (0.4, 1.0)])
def test_a_gain_within_chance_moves_few(gain: float, share: float) -> None:
    """Of users whose surplus swings by d about 1: the share gain / 2 (4 d / 3).

    With weight 1/2 their smoothed surplus comes to 1 + d / 3 after an upward swing, and is 4 d / 3
    away from the surplus of each decision. The other alternative does not swing.
    """
    swing, users = 0.12, Users(6000, switching_cost=1e6)
    best = float(np.exp(1 + swing / 3 + gain)) - 1
    first = sum(users.meet((1, 1)))
    for turn in range(30):
        mbps = float(np.exp(1 + (swing if turn % 2 else -swing))) - 1
        users.strategy.switching_cost = 0.0 if turn == 29 else 1e6
        last = sum(users.meet((mbps, best)))
    assert (last - first) / (6000 - first) == pytest.approx(share, abs=0.04)


def test_fees_count() -> None:
    """A fee of 0.5 money/s outweighs marks of 0.4 money/s that others pay."""
    users = Users(6)
    users.meet((2, 2))
    n = 6
    rows = np.arange(12)
    offers = (Offer("shop", "dear", 500_000),)
    columns = FlowColumns(
        *(rows, np.ones(12, dtype=np.int64), np.full(12, 2e6)),
        *(np.zeros(12, dtype=np.int64) for _ in range(2)),
        np.where(rows < n, 9_000_000, 4_000_000),
        *(np.full(12, 0.04), np.zeros(12), np.where(rows < n, 0, -1)),
        source=rows // n,
        member=rows % n,
        bill_micro=np.where(rows < n, 5_000_000, 4_000_000),
    )
    for t_ps in (20 * PS, 30 * PS):
        observation = Observation(t_ps, 10 * PS, 1000, offers, columns, ("a", "b"), users.view)
        decision = users.strategy.decide_many(observation)
    assert decision.active is not None
    assert decision.active.tolist() == [False] * 6 + [True] * 6


@pytest.mark.parametrize(
    ("params", "key"),
    [
        ({"loyalty": 1.5}, "loyalty"),
        ({"curiosity": -0.1}, "curiosity"),
        ({"horizon": 0.0}, "horizon"),
        ({"switching_cost": -1.0}, "switching_cost"),
        ({"utility": {"kind": "log", "a": 1.0}}, "utility.x0"),
    ],
)
def test_what_is_refused(params: dict[str, object], key: str) -> None:
    """The message names the parameter."""
    with pytest.raises(Refused) as caught:
        BestOffer(**{"utility": LOG, **params})  # type: ignore[arg-type]
    assert caught.value.key == key


def test_sources_of_unlike_size_are_refused() -> None:
    """Member i of each source is user i."""
    users = Users(3)
    rows = np.arange(5)
    zeros = np.zeros(5, dtype=np.int64)
    columns = FlowColumns(
        *(rows, zeros, zeros.astype(float), zeros, zeros, zeros, zeros.astype(float)),
        *(zeros.astype(float), zeros - 1),
        source=np.array([0, 0, 0, 1, 1]),
        member=np.array([0, 1, 2, 0, 1]),
    )
    observation = Observation(0, 0, 1000, (), columns, ("a", "b"), users.view)
    with pytest.raises(StrategyError, match="the agent's sources have 3, 2 flows"):
        users.strategy.decide_many(observation)


def test_users_leave_where_every_alternative_loses() -> None:
    """With U(1 Mbps) = 0.693 money/s, all stay at 0.68, and all leave if both cost over 0.7.

    A user that looks every 240 s, from half to one and a half of that, for a decision of 10 s, is
    there 10 s of 255 (decisions round its wait up by 5 s on the mean). At 0.6 all are back.
    """
    users = Users(40)
    users.meet((1, 1))
    assert all(-1 not in users.meet((1, 1), (0.68, 0.75)) for _ in range(30))
    for _ in range(300):
        users.meet((1, 1), (0.7, 0.75))
    there = [np.mean(np.array(users.meet((1, 1), (0.7, 0.75))) >= 0) for _ in range(500)]
    print(np.mean(there))
    assert np.mean(there) == pytest.approx(10 / 255, rel=0.15)
    for _ in range(40):
        last = users.meet((1, 1), (0.6, 0.75))
    assert last == [0] * 40


def test_who_knows_no_other_alternative_tries_it_before_it_leaves() -> None:
    """A user loses 1.3 money/s, 78 in 60 s. A free source is worth a cost of 10 money, not 1000."""
    for cost, stays in ((10.0, True), (1000.0, False)):
        users = Users(1, switching_cost=cost)
        first = users.meet((1, 1))[0]
        charge = (2.0, 0.0) if first == 0 else (0.0, 2.0)
        found = [users.meet((1, 1), charge)[0] for _ in range(4)]
        assert found == [first, *([1 - first] * 3 if stays else [-1, -1, -1])]


def test_users_who_have_just_come_are_not_heard() -> None:
    """Expectations follow settled users. New users count only if all users are new."""
    users = Users(3)
    users.meet((1, 3))
    strategy = users.strategy
    strategy._choice, strategy._away = np.array([0, 0, 1]), np.zeros(3, dtype=np.bool_)
    strategy._known = np.array([[10.0, -5.0, np.nan], [np.nan, np.nan, 4.0]])
    strategy._new = np.array([False, True, False])
    assert strategy._expected()[0, 2] == 10
    strategy._new = np.array([True, True, False])
    assert strategy._expected()[0, 2] == 2.5


def test_no_flow_exceeds_the_rate_at_which_its_user_is_sated() -> None:
    """A flow bids by its first price until its next decision, so the rate is capped at x0."""
    sated = Users(2, {"kind": "quadratic", "a": 1.0, "x0": 1e6}, elastic=True)
    free = Users(2, LOG, elastic=True)
    for users in (sated, free):
        users.look((0.5, 0.4), (0.1, 0.1))
    assert sated.cap_bps is not None and sated.cap_bps.tolist() == [1e6] * 4
    assert free.cap_bps is None
