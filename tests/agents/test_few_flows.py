# SPDX-License-Identifier: Apache-2.0
"""For few flows, numbers are computed one by one, and equal the columns to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecnomy.agents.decision import FEW, LEAVE, Decision, checked
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import NO_OFFER, FlowColumns, Observation
from ecnomy.agents.roles.role import _few, _many
from ecnomy.agents.strategies.elastic_utility import ElasticUtility
from flow_world import observation

FLOWS = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.1, 0.5]) | st.floats(1e-9, 1e3),
        st.integers(0, 10**9),
        st.sampled_from([0.0]) | st.floats(1e-6, 1e3),
        st.integers(0, 10**9),
    ),
    max_size=FEW,
)


def columns(rows: list[tuple[float, int, float, int]]) -> FlowColumns:
    """Flows of (gain, delivered, srtt_s, marks)."""
    n = len(rows)
    gain, delivered, srtt_s, marks = zip(*rows, strict=True) if rows else ((), (), (), ())
    return FlowColumns(
        flow=np.arange(n, dtype=np.int64),
        active=np.ones(n, dtype=np.int64),
        goodput_bps=np.zeros(n),
        delivered=np.array(delivered, dtype=np.int64),
        marks=np.array(marks, dtype=np.int64),
        charge_micro=np.zeros(n, dtype=np.int64),
        srtt_s=np.array(srtt_s, dtype=np.float64),
        gain=np.array(gain, dtype=np.float64),
        offer=np.full(n, NO_OFFER),
    )


@given(FLOWS)
def test_few_settle_as_many_do(rows: list[tuple[float, int, float, int]]) -> None:
    """Marks, packets and the largest T / gain of the flows that can be steered."""
    few, many = _few(columns(rows)), _many(columns(rows))
    assert few == many or few[0] == many[0] == 0


@pytest.mark.parametrize("flows", [1, FEW, FEW + 1])
@pytest.mark.parametrize("bad", [-0.5, -2.0, np.nan, np.inf, -np.inf])
def test_bad_amounts_are_refused_however_many(flows: int, bad: float) -> None:
    """A negative or infinite amount is refused, among few flows or many."""
    flown = Observation(0, 0, 0, (), columns([(0.0, 0, 0.0, 0)] * flows))
    good = np.full(flows, LEAVE)
    assert checked(Decision(good), flown, "who").willingness_micro_per_s is good
    wrong = good.copy()
    wrong[-1] = bad
    with pytest.raises(StrategyError, match="negative or not finite"):
        checked(Decision(wrong), flown, "who")


@pytest.mark.parametrize(("kind", "budget"), [("log", 0.4), ("sqrt", 1e6), ("quadratic", 1e3)])
def test_many_flows_pay_as_each_alone(kind: str, budget: float) -> None:
    """Rates from 0 to far beyond x0, flows that are off and flows without an answer yet."""
    rng, count = np.random.Generator(np.random.Philox(11)), FEW + 3
    utility = {"kind": kind, "a": 0.5, "x0": 1e6}
    together = ElasticUtility(utility, budget=budget)
    alone = [ElasticUtility(utility, budget=budget) for _ in range(count)]
    paid = set()
    for number in range(40):
        drawn = {
            "active": (rng.random(count) < 0.8).astype(np.int64),
            "srtt_s": np.where(rng.random(count) < 0.9, 0.1, 0.0),
            "goodput_bps": rng.choice([0.0, 3e4, 8e5, 3e6, 1e18], count),
            "marks": rng.integers(0, 400, count),
            "delivered": np.full(count, 1000),
        }
        each = []
        for row, strategy in enumerate(alone):
            own = {name: column[row] for name, column in drawn.items()}
            decision = strategy.decide_many(observation(number, min(number, 1), **own))
            each.append(float(np.asarray(decision.willingness_micro_per_s)[0]))
        found = together.decide_many(observation(number, min(number, 1), **drawn))
        assert np.asarray(found.willingness_micro_per_s).tolist() == each
        paid |= set(each)
    assert len(paid) > 20
