# SPDX-License-Identifier: Apache-2.0
"""`cost-plus`, `fill-classes` and `fee-limit` on scripted views, against counts by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ecnomy.agents.classes import ClassColumns, ClassObservation
from ecnomy.agents.observation import Offer
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.cost_plus import CostPlus
from ecnomy.agents.strategies.fee_limit import FeeLimit
from ecnomy.agents.strategies.fill_classes import FillClasses
from flow_world import PS, noting, observation


def class_view(t_s: float, dt_s: float, fee: int, **columns: float) -> ClassObservation:
    """A view of one class."""
    usual = {"members": 4, "most": 10, "flow_s": 4 * dt_s, "charge_micro": 0, "refused": 0}
    usual["active"] = columns.get("members", usual["members"])
    given = {**usual, "fee_micro_per_s": fee, "charge_micro_per_s": 0, "marks": 0, **columns}
    made = ClassColumns(**{name: np.array([value]) for name, value in given.items()})
    return ClassObservation(round(t_s * PS), round(dt_s * PS), ("gold",), made)


def test_cost_plus_by_hand_and_in_the_long_run() -> None:
    """The fee is (1 + m) c / n + D / (n L), and income is (1 + m) times the cost, less D."""
    shop, fee, random = CostPlus(margin=0.25, every=10, over=40), 0, np.random.default_rng(5)
    cost = brought = 0.0
    for step in range(1, 400):
        spent = float(random.integers(0, 10**7)) * (1 + (step > 200))
        cost, brought = cost + spent, brought + fee * 40
        owed = 1.25 * cost - brought
        fee = shop.post_fees(class_view(10.0 * step, 10.0, fee, charge_micro=spent))["gold"]
        assert fee == pytest.approx(max((1.25 * spent + owed / 4) / 40, 0), abs=1)
        assert abs(owed) <= 40 * 1.25 * 2e7 / 10
    assert brought / cost == pytest.approx(1.25, rel=0.02)


def test_cost_plus_waits_and_keeps_bounds() -> None:
    """Fees change every 10 s; an empty class keeps its fee; floor and ceiling bind."""
    shop = CostPlus(floor=0.5, ceiling=2.0)
    assert (
        shop.post_fees(class_view(4, 4, 10**6)) == {}
        and shop.post_fees(class_view(8, 4, 10**6)) == {}
    )
    assert shop.post_fees(class_view(10, 2, 10**6)) == {"gold": 500_000}
    assert shop.post_fees(class_view(20, 10, 10**6, charge_micro=10**12)) == {"gold": 2_000_000}
    assert shop.post_fees(class_view(30, 10, 10**6, members=0, flow_s=0.0)) == {}


def test_a_deficit_is_recovered_once_if_over_is_shorter_than_every() -> None:
    """The next period of 10 s recovers it once, not five times because `over` is 2 s."""
    shop = CostPlus(margin=0.25, every=10, over=2)
    fee = shop.post_fees(class_view(10, 10, 0, charge_micro=8 * 10**6))["gold"]
    assert fee == 2 * 250_000  # 10 money for the past and 10 for the next 40 s of flows
    assert shop.post_fees(class_view(20, 10, fee, charge_micro=8 * 10**6)) == {"gold": 250_000}


@pytest.mark.parametrize("strategy", [CostPlus(every=1), FillClasses(every=1)])
def test_fees_change_when_due(strategy: CostPlus | FillClasses) -> None:
    """Fees change when due: ten epochs of 0.1 s are exactly one second."""
    fees_posted = [
        strategy.post_fees(class_view(0.1 * k, 0.1, 10**6, members=9)) for k in range(1, 41)
    ]
    assert [k + 1 for k, fees in enumerate(fees_posted) if fees] == [10, 20, 30, 40]


def test_who_is_switched_off_fills_no_class() -> None:
    """Members who are switched off do not count, so the fee falls."""
    shop = FillClasses(share=0.5, every=20)
    fees = shop.post_fees(class_view(20, 20, 10**6, members=10, active=2, most=10))
    assert fees["gold"] == pytest.approx(1e6 * (2 / 5) ** 0.5, abs=1)


@pytest.mark.parametrize("elasticity", [0.5, 1.0, 2.0])
def test_fill_classes_comes_to_its_share(elasticity: float) -> None:
    """With (F0 / F)^e x 30 members and room for 20, the class has 16, its target, within one."""
    shop, fee = FillClasses(share=0.8, every=20), 10**6
    for step in range(1, 60):
        wanted = round(30 * (1e6 / fee) ** elasticity)
        members, refused = min(wanted, 20), max(wanted - 20, 0)
        columns = {"members": members, "refused": refused, "most": 20}
        fee = shop.post_fees(class_view(20.0 * step, 20.0, fee, **columns)).get("gold", fee)
    assert abs(wanted - 16) <= 1 and fee / 1e6 == pytest.approx(
        (30 / 16) ** (1 / elasticity), rel=0.12
    )


def test_fill_classes_leaves_classes_without_room_alone() -> None:
    """The fee of a class without a limit stays, and a step is a factor of 2 at most."""
    shop = FillClasses(share=0.5, every=1, gain=1.0)
    assert shop.post_fees(class_view(1, 1, 100, most=-1, members=90)) == {}
    assert shop.post_fees(class_view(2, 1, 100, most=10, members=90)) == {"gold": 200}
    assert shop.post_fees(class_view(3, 1, 100, most=10, members=0)) == {"gold": 50}


def test_fee_limit_takes_the_dearest_within_limits() -> None:
    """A flow takes its provider's dearest class within limits, or is switched off."""
    offers = (Offer("a", "gold", 4 * 10**6), Offer("a", "silver", 10**6), Offer("b", "one", 10**6))
    users = FeeLimit(low=0.5, high=8.0, even=True)
    agent = noting()
    said = users.decide_many(observation(0, 0, offers=offers, agent=agent, offer=[1] * 8))
    limits = np.sort(0.5 * 16 ** ((np.arange(8) + 0.5) / 8))
    assert np.bincount(said.offer, minlength=3).tolist() == [
        (limits >= 4).sum(),
        (limits < 4).sum(),
        0,
    ]
    assert said.active.sum() == (limits >= 1).sum()
    dearer = (offers[0], Offer("a", "silver", 10**7), offers[2])
    again = users.decide_many(observation(5, 5, offers=dearer, agent=agent, offer=[1] * 8))
    assert (again.offer == 0).all() and again.active.sum() == (limits >= 4).sum()
    other = users.decide_many(observation(10, 5, offers=offers, agent=agent, offer=[2] * 8))
    assert (other.offer == 2).all()


@pytest.mark.parametrize(
    ("kind", "params", "key"),
    [
        (CostPlus, {"margin": -1.0}, "margin"),
        (CostPlus, {"floor": 2.0, "ceiling": 1.0}, "ceiling"),
        (FillClasses, {"share": 0.0}, "share"),
        (FillClasses, {"gain": 2.0}, "gain"),
        (FeeLimit, {"low": 2.0, "high": 1.0}, "high"),
    ],
)
def test_refused_by_name(kind: type, params: dict[str, float], key: str) -> None:
    """Invalid values are refused by name."""
    with pytest.raises(Refused) as caught:
        kind(**params)
    assert caught.value.key == key
