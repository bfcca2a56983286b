# SPDX-License-Identifier: Apache-2.0
"""The QoS knob on scripted observations: when it moves, when it does not."""

from __future__ import annotations

import numpy as np

from ecnomy.agents.observation import NO_OFFER, FlowColumns, Observation, Offer
from ecnomy.agents.strategies.qos_knob import QosKnob
from flow_world import observation

PS = 10**12
OFFERS = (
    Offer("shop", "gold", 4_000_000),
    Offer("shop", "bronze", 1_000_000),
    Offer("shop", "silver", 2_000_000),
    Offer("rival", "tin", 3_000_000),
)
GOLD, BRONZE, SILVER, TIN = range(4)


class Script:
    """Feeds a knob one observation a second and follows its moves."""

    def __init__(self, knob: QosKnob, *classes: int, offers: tuple[Offer, ...] = OFFERS) -> None:
        self.knob, self.t_ps, self.offers = knob, 0, offers
        self.offer = np.array(classes, dtype=np.int64)
        self.step(0, 0, dt_s=0)

    def step(
        self, goodput_bps: float, marks: int, *, active: int = 1, dt_s: float = 1
    ) -> list[int]:
        """Feed one observation, the same for all flows; return the classes after the decision."""
        flows, dt_ps = len(self.offer), round(dt_s * PS)
        self.t_ps += dt_ps

        def whole(value: int) -> np.ndarray:
            return np.full(flows, value, dtype=np.int64)

        columns = FlowColumns(
            flow=np.arange(flows, dtype=np.int64),
            active=whole(active),
            goodput_bps=np.full(flows, float(goodput_bps)),
            delivered=whole(100),
            marks=whole(marks),
            charge_micro=whole(0),
            srtt_s=np.full(flows, 0.1),
            gain=np.full(flows, 0.5),
            offer=self.offer.copy(),
        )
        view = Observation(self.t_ps, dt_ps, 1000, self.offers, columns)
        offer = self.knob.decide_many(view).offer
        self.offer = self.offer if offer is None else offer
        return self.offer.tolist()

    def steps(self, count: int, goodput_bps: float, marks: int, *, active: int = 1) -> list[int]:
        """Repeat an observation; return the class of the first flow after each."""
        return [self.step(goodput_bps, marks, active=active)[0] for _ in range(count)]


def test_goes_up_one_class_after_patience() -> None:
    """At 89 % of the best with marks, a flow moves from bronze to silver to gold, every 3 s."""
    script = Script(QosKnob(patience=3), BRONZE)
    assert script.step(100, 5) == [BRONZE]
    moves = script.steps(8, 89, 5)
    assert moves == [BRONZE, BRONZE, SILVER, SILVER, SILVER, GOLD, GOLD, GOLD]


def test_satisfied_flow_stays() -> None:
    """Exactly 0.9 of the best is good enough."""
    script = Script(QosKnob(patience=2), BRONZE)
    script.step(100, 5)
    assert set(script.steps(10, 90, 5)) == {BRONZE}


def test_a_good_second_starts_patience_anew() -> None:
    """A good second restarts the patience of 3 s, so two bad seconds cause no move."""
    script = Script(QosKnob(patience=3), BRONZE)
    script.step(100, 5)
    classes = [script.step(g, 5)[0] for g in (50, 50, 95, 50, 50)]
    assert classes == [BRONZE] * 5
    assert script.step(50, 5) == [SILVER]


def test_goes_down_when_nothing_was_marked() -> None:
    """Without marks for 3 s, the flow moves to the cheaper class."""
    script = Script(QosKnob(patience=3), GOLD)
    assert script.steps(7, 100, 0) == [GOLD, GOLD, SILVER, SILVER, SILVER, BRONZE, BRONZE]


def test_one_mark_keeps_the_class() -> None:
    """A mark restarts the wait."""
    script = Script(QosKnob(patience=3), GOLD)
    assert [script.step(100, m)[0] for m in (0, 0, 1, 0, 0)] == [GOLD] * 5


def test_never_up_without_marks() -> None:
    """If goodput is low without marks, a dearer class does not help, so there is no move up."""
    script = Script(QosKnob(patience=3), SILVER)
    script.step(100, 5)
    assert GOLD not in script.steps(12, 10, 0)


def test_budget_bounds_the_fee() -> None:
    """A budget of 3 money a second ends at silver; exactly the fee is within budget."""
    script = Script(QosKnob(patience=1, budget=3.0), BRONZE)
    script.step(100, 5)
    assert script.steps(6, 10, 5)[-1] == SILVER
    script = Script(QosKnob(patience=1, budget=4.0), BRONZE)
    script.step(100, 5)
    assert script.steps(6, 10, 5)[-1] == GOLD


def test_stays_with_its_provider() -> None:
    """A flow in the rival's only class can move neither up nor down."""
    script = Script(QosKnob(patience=1), TIN)
    script.step(100, 5)
    assert set(script.steps(4, 10, 5)) == {TIN}
    assert set(script.steps(4, 100, 0)) == {TIN}


def test_no_flapping_under_alternating_weather() -> None:
    """Congestion or calm shorter than the patience moves nothing."""
    script = Script(QosKnob(patience=4), SILVER)
    script.step(100, 5)
    classes = [c for _ in range(10) for c in script.steps(3, 50, 5) + script.steps(3, 100, 0)]
    assert set(classes) == {SILVER}


def test_flow_that_may_not_send_is_not_judged() -> None:
    """Before its start a flow has neither marks nor goodput, which means nothing."""
    script = Script(QosKnob(patience=2), GOLD)
    assert set(script.steps(10, 0, 0, active=0)) == {GOLD}


def test_long_observations_count_whole() -> None:
    """One observation of 12 s exceeds the patience."""
    script = Script(QosKnob(patience=10), BRONZE)
    script.step(100, 5, dt_s=12)
    assert script.step(50, 5, dt_s=12) == [SILVER]


def test_ten_epochs_of_a_tenth_are_one_second() -> None:
    """Time adds up in integers: the move comes at exactly 1 s, not an epoch later."""
    script = Script(QosKnob(patience=1), GOLD)
    classes = [script.step(100, 0, dt_s=0.1)[0] for _ in range(10)]
    assert classes == [GOLD] * 9 + [SILVER]


def test_flows_are_judged_one_by_one() -> None:
    """Flows in different classes move from where they are; one in no class stays there."""
    script = Script(QosKnob(patience=1), BRONZE, GOLD, NO_OFFER)
    script.step(100, 5)
    assert script.step(50, 5) == [SILVER, GOLD, NO_OFFER]
    assert script.step(50, 0) == [BRONZE, SILVER, NO_OFFER]


def test_without_classes_nothing_moves() -> None:
    """Without offers there is no decision."""
    script = Script(QosKnob(patience=1), NO_OFFER, offers=())
    assert script.steps(3, 0, 0) == [NO_OFFER] * 3


def test_many_flows_are_judged_like_each_alone() -> None:
    """Rates, marks and pauses are drawn for each of many flows; draining flows are ignored."""
    rng, count = np.random.Generator(np.random.Philox(7)), 18
    together = QosKnob(patience=2.5, satisfied=0.7)
    alone = [QosKnob(patience=2.5, satisfied=0.7) for _ in range(count)]
    offer, moves = rng.integers(0, len(OFFERS), count), 0
    for t_s in range(60):
        drawn = {
            "active": (rng.random(count) < 0.9).astype(np.int64),
            "goodput_bps": rng.choice([60.0, 70.0, 100.0], count, p=[0.6, 0.2, 0.2]),
            "marks": (rng.random(count) < (0.2 if t_s // 15 % 2 else 0.9)).astype(np.int64),
            "offer": offer,
        }
        drawn["goodput_bps"][drawn["active"] == 0] = rng.choice([10.0, 120.0])
        each = []
        for row, knob in enumerate(alone):
            own = {name: column[row] for name, column in drawn.items()}
            each.append(knob.decide_many(observation(t_s, min(t_s, 1), offers=OFFERS, **own)).offer)
        after = together.decide_many(observation(t_s, min(t_s, 1), offers=OFFERS, **drawn)).offer
        assert (after is None) == (t_s == 0)
        if after is not None:
            assert after.tolist() == [int(one[0]) for one in each if one is not None]
            moves += int(np.count_nonzero(after != offer))
            offer = np.asarray(after).copy()
    assert moves > 20
