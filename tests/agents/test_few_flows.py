# SPDX-License-Identifier: Apache-2.0
"""Decisions about many flows equal those about each flow alone, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from ecnomy.agents.decision import LEAVE, Decision, checked
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.strategies.elastic_utility import ElasticUtility
from flow_world import observation


@pytest.mark.parametrize("flows", [1, 17])
@pytest.mark.parametrize("bad", [-0.5, -2.0, np.nan, np.inf, -np.inf])
def test_bad_amounts_are_refused_however_many(flows: int, bad: float) -> None:
    """A negative or infinite amount is refused, among few flows or many."""
    flown = observation(0, 0, active=[1] * flows)
    good = np.full(flows, LEAVE)
    assert checked(Decision(good), flown, "who").willingness_micro_per_s is good
    wrong = good.copy()
    wrong[-1] = bad
    with pytest.raises(StrategyError, match="negative or not finite"):
        checked(Decision(wrong), flown, "who")


@pytest.mark.parametrize(("kind", "budget"), [("log", 0.4), ("sqrt", 1e6), ("quadratic", 1e3)])
def test_many_flows_pay_as_each_alone(kind: str, budget: float) -> None:
    """Rates from 0 to far beyond x0, flows that are off and flows without an answer yet."""
    rng, count = np.random.Generator(np.random.Philox(11)), 19
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
