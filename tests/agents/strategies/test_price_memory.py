# SPDX-License-Identifier: Apache-2.0
"""`price-memory` on scripted observations: x times the mean cost of a bit to the source."""

from __future__ import annotations

import math

import pytest

from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.price_memory import PriceMemory
from flow_world import observation

TWO = {"source": [0, 0, 1], "sources": ("near", "far")}


def test_all_flows_of_a_source_share_what_one_has_found() -> None:
    """All flows of a source share the mean cost of a MB, here of 3 and 2 money."""
    memory = PriceMemory(rate=8e6, memory=10.0, cost=2.0)
    first = memory.decide_many(observation(0, 0, payload_bps=[0, 0, 0], **TWO))
    assert first.willingness_micro_per_s.tolist() == [2e6] * 3
    paid = {"payload_bps": [8e6, 0, 4e6], "charge_micro": [3_000_000, 0, 1_000_000]}
    pay = memory.decide_many(observation(1, 1, **paid, **TWO)).willingness_micro_per_s
    assert pay.tolist() == pytest.approx([3e6, 3e6, 2e6], rel=1e-5)
    idle = memory.decide_many(observation(1000, 999, payload_bps=[0, 0, 0], **TWO))
    assert idle.willingness_micro_per_s.tolist() == pay.tolist()


def test_what_is_new_counts_more() -> None:
    """With a memory of 10 s, a MB at 4 money counts more than one at 1 money ten seconds before."""
    memory = PriceMemory(rate=8e6, memory=10.0)
    memory.decide_many(observation(0, 0))
    memory.decide_many(observation(1, 1, payload_bps=8e6, charge_micro=1_000_000))
    decision = memory.decide_many(observation(11, 10, payload_bps=8e5, charge_micro=4_000_000))
    fade = math.exp(-1)
    expected = 1e6 * (fade + 4) / (fade + 1)
    assert float(decision.willingness_micro_per_s[0]) == pytest.approx(expected, rel=1e-5)


def test_bounds() -> None:
    """Payment is at least one micro-unit, if marks are free, and at most `most`."""
    memory = PriceMemory(rate=8e6, memory=10.0, most=5.0)
    memory.decide_many(observation(0, 0))
    free = memory.decide_many(observation(1, 1, payload_bps=8e12))
    assert free.willingness_micro_per_s.tolist() == [1.0]
    dear = memory.decide_many(observation(200, 199, payload_bps=8e3, charge_micro=10**9))
    assert dear.willingness_micro_per_s.tolist() == [5e6]


@pytest.mark.parametrize("key", ["rate", "memory", "cost", "most"])
def test_what_cannot_be_is_refused(key: str) -> None:
    """The error names the key."""
    with pytest.raises(Refused) as caught:
        PriceMemory(**{"rate": 1e6, key: 0.0})
    assert caught.value.key == key
