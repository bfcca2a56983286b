# SPDX-License-Identifier: Apache-2.0
"""`file-budget` on scripted observations: its laws, its allowance and its promises, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ecnomy.agents.decision import Decision
from ecnomy.agents.errors import ScenarioError
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.cost_memory import CostMemory
from ecnomy.agents.strategies.file_budget import FileBudget
from ecnomy.markets.scenario import scenario_from_text
from flow_world import noting, observation

MB = 1_000_000
WRONG = """\
version: 1
duration: 10 s
network: {links: [{name: wire, from: a, to: b, rate: 1 Mbps}]}
sources: [{name: greedy, from: a, to: b, transport: {law: wtp}}]
market:
  price_per_mark: 0.01 money
  agents:
    - {name: isp, role: connectivity-provider}
    - {name: home, role: price-handler, sources: greedy,
       strategy: {kind: file-budget, budget: 1 money}}
"""


def pay(decision: Decision) -> float:
    """The payment of the only flow, money per second."""
    return float(decision.willingness_micro_per_s[0]) / 1e6


def test_a_deadline_is_an_even_pace_at_the_cost_of_a_byte() -> None:
    """A flow pays for 10 MB in 100 s minus 5 % and two decisions, at 1 money/MB, then at 3."""
    strategy = FileBudget(deadline=100.0, memory=1e-3)
    strategy.decide_many(observation(0, 0))
    first = strategy.decide_many(observation(1, 1, file_bytes=10 * MB, file_left=10 * MB))
    assert pay(first) == pytest.approx(10 / (95 - 2 - 1))
    assert float(first.budget_micro[0]) == -1
    later = {"file_bytes": 10 * MB, "payload_bps": 8e6, "charge_micro": 3 * MB}
    second = strategy.decide_many(observation(2, 1, file_left=9 * MB, **later))
    assert pay(second) == pytest.approx(3 * 9 / (95 - 2 - 2), rel=1e-5)


def test_a_deadline_begins_with_its_file() -> None:
    """A file after a pause has the pace of the first, because its time begins on its arrival."""
    strategy, files = FileBudget(deadline=100.0), {"file_bytes": 10 * MB, "files": 1}
    strategy.decide_many(observation(0, 0))
    first = strategy.decide_many(observation(1, 1, file_bytes=10 * MB, file_left=10 * MB))
    strategy.decide_many(observation(50, 49, **files))
    second = strategy.decide_many(
        observation(51, 1, **(files | {"file_bytes": 20 * MB}), file_left=10 * MB)
    )
    assert pay(second) == pytest.approx(pay(first)) == pytest.approx(10 / (95 - 2 - 1))


def test_a_window_that_lags_gets_more_pay() -> None:
    """A window lags by T / (gain p) = 10 s, five times as long as two decisions."""
    strategy = FileBudget(deadline=10.0, memory=1e-3, margin=0.001)
    strategy.decide_many(observation(0, 0))
    files = {"file_bytes": 10 * MB, "payload_bps": 4e6, "delivered": 1000, "marks": 100}
    view = observation(1, 1, file_left=8 * MB, charge_micro=100_000, gain=0.1, **files)
    now, wanted = 0.5, 8 / (9.99 - 2 - 1)
    cost = 0.1 / 0.5
    assert pay(strategy.decide_many(view)) == pytest.approx(
        cost * (now + 5 * (wanted - now)), rel=1e-5
    )


def test_a_budget_goes_by_what_a_byte_may_cost() -> None:
    """Payment changes by the power dt / (2 memory) of the ratio of worth and cost."""
    for charge, way in ((MB // 2, 1), (8 * MB, -1)):
        strategy = FileBudget(budget=20.0, memory=5.0, margin=1e-9)
        strategy.decide_many(observation(0, 0))
        files = {"file_bytes": 10 * MB, "payload_bps": 8e6}
        before = pay(strategy.decide_many(observation(1, 1, file_left=10 * MB, file_bytes=10 * MB)))
        assert before == pytest.approx(20 / 100 * 2**0.1)  # 2 money a MB is allowed, 1 is the cost
        after = strategy.decide_many(
            observation(2, 1, file_left=9 * MB, charge_micro=charge, **files)
        )
        paid = charge / MB
        worth = (20 - paid) / 9
        free = before * (worth / paid) ** 0.1
        assert pay(after) == pytest.approx(min(max(free, paid / 2), 2 * paid), rel=1e-4)
        assert way * (worth - paid) > 0


@pytest.mark.parametrize(
    ("gain", "dt_s"), [(0.5, 1), (0.02, 1), (0.02, 20), (0.001, 1), (0.004, 20), (1e-6, 1), (0, 1)]
)
def test_a_lagging_window_is_hurried(gain: float, dt_s: int) -> None:
    """A flow pays for the deadline's pace, and for more if the window lags longer, as by hand."""
    strategy = FileBudget(deadline=100.0, margin=0.01, memory=1e-3)
    strategy.decide_many(observation(0, 0))
    strategy.decide_many(observation(1e-9, 1e-9, file_bytes=50 * MB, file_left=50 * MB))
    rest = {"file_bytes": 50 * MB, "file_left": 40 * MB, "gain": gain, "delivered": 3000}
    paid = {"payload_bps": 0.8e6, "charge_micro": 300_000 * dt_s, "srtt_s": 0.4}
    found = pay(strategy.decide_many(observation(dt_s, dt_s, **rest, **paid, price_micro=200)))
    now, left_s = 1e5, max(99 - 2 * dt_s - dt_s, 2 * dt_s)
    pace = 40 * MB / left_s
    marks = 3 / 200 * now * dt_s / 3000
    lag_s = 0.4 / gain / marks if gain else 0.0
    expected = min(max(lag_s / max(2 * dt_s, left_s / 4), 1.0), 10.0)
    assert found == pytest.approx(3 * (now + expected * (pace - now)) / 1e6, rel=1e-4)


def test_both_make_the_money_last() -> None:
    """The deadline's pace would cost 20 money; with a budget of 5 the flow pays 5 / T a second."""
    strategy = FileBudget(budget=5.0, deadline=100.0, cost=2.0, margin=0.01)
    strategy.decide_many(observation(0, 0))
    decision = strategy.decide_many(observation(1, 1, file_bytes=10 * MB, file_left=10 * MB))
    assert pay(decision) == pytest.approx(5 * 0.99 / (99 - 2 - 1))


def test_what_marks_may_cost() -> None:
    """A flow spends half of the rest, because prices may double; without money it is off."""
    strategy = FileBudget(budget=1.0)
    first = strategy.decide_many(observation(0, 0))
    assert first.budget_micro.tolist() == [500_000] and first.active.tolist() == [True]
    files = {"file_bytes": 10 * MB, "file_left": 5 * MB}
    some = strategy.decide_many(observation(1, 1, charge_micro=900_000, **files))
    assert some.budget_micro.tolist() == [50_000] and some.active.tolist() == [True]
    gone = strategy.decide_many(observation(2, 1, charge_micro=99_500, **files))
    assert gone.budget_micro.tolist() == [250] and gone.active.tolist() == [False]
    more = strategy.decide_many(observation(3, 1, files=1, file_bytes=11 * MB, file_left=MB))
    assert more.budget_micro.tolist() == [500_250] and more.active.tolist() == [True]


def test_promises_by_hand() -> None:
    """At 0.8, after four equal files in time, a fifth is promised, but a larger one is not."""
    agent, strategy = noting(), FileBudget(deadline=10.0, promise=0.8)
    strategy.decide_many(observation(0, 0, agent=agent))
    requested, t = 0, 0
    for number, (size, took) in enumerate([(MB, 3)] * 5 + [(2 * MB, 3), (MB, 20), (MB, 3)]):
        requested += size
        files = {"file_bytes": requested, "files": number}
        strategy.decide_many(observation(t + 1, 1, file_left=size, agent=agent, **files))
        done = {"file_bytes": requested, "files": number + 1}
        strategy.decide_many(observation(t + took, took - 1, agent=agent, **done))
        expected = {3: 0, 4: 1, 5: 1, 6: 2, 7: 2}
        if number in expected:
            assert agent.notes.get("promised", 0) == expected[number], number
        t += took
    assert agent.notes["kept"] == 1 and agent.notes["late"] == 1
    assert agent.notes["promise:own.0"] == 7


@pytest.mark.parametrize(("micro_per_byte", "promised"), [(1, 1), (2, 1), (3, 0)])
def test_only_files_of_the_same_or_a_higher_cost_support_a_promise(
    micro_per_byte: int, promised: int
) -> None:
    """After four files in time at 2 micro-units a byte, one at 3 could be harder to send."""
    agent, strategy = noting(), FileBudget(deadline=10.0, promise=0.8, memory=1e-3)
    strategy.decide_many(observation(0, 0, agent=agent))
    for number, cost in enumerate([2, 2, 2, 2, micro_per_byte]):
        t, requested = 3 * number, {"file_bytes": (number + 1) * MB}
        paid = {"payload_bps": 8e6, "charge_micro": cost * MB}
        strategy.decide_many(observation(t + 1, 1, file_left=MB, agent=agent, **requested, **paid))
        strategy.decide_many(observation(t + 3, 2, agent=agent, **requested))
    assert agent.notes.get("promised", 0) == promised


def test_the_memory_is_a_mean_over_bytes() -> None:
    """The sums of a source fade by exp(-dt / memory), but only while it sends."""
    costs = CostMemory(10.0, 5.0)
    where = {"source": [0, 0, 1], "sources": ("a", "b")}
    costs.learn(observation(0, 0, payload_bps=[0.0] * 3, **where))
    assert costs.micro_per_byte(0) == costs.micro_per_byte(1) == 5.0
    costs.learn(observation(1, 1, payload_bps=[8e6, 24e6, 0], charge_micro=[MB, 0, 0], **where))
    assert costs.micro_per_byte(0) == pytest.approx(1 / 4, rel=1e-5)
    assert costs.micro_per_byte(1) == 5.0
    costs.learn(observation(6, 5, payload_bps=[0, 8e6 / 5, 0], charge_micro=[0, MB, 0], **where))
    fade = math.exp(-0.5)
    assert costs.micro_per_byte(0) == pytest.approx((fade + 1) / (4 * fade + 1), rel=1e-5)


def test_a_source_without_flows_keeps_its_first_cost() -> None:
    """An agent's last source may have no flow in a report; the others learn."""
    costs = CostMemory(10.0, 5.0)
    where = {"source": [0], "sources": ("a", "b", "c")}
    costs.learn(observation(0, 0, payload_bps=[0.0], **where))
    costs.learn(observation(1, 1, payload_bps=[8e6], charge_micro=[2 * MB], **where))
    assert costs.micro_per_byte(np.array([0, 1, 2])) == pytest.approx([2.0, 5.0, 5.0], rel=1e-5)


@pytest.mark.parametrize(
    ("params", "key"),
    [
        ({}, "budget"),
        ({"budget": 0.0}, "budget"),
        ({"deadline": -1.0}, "deadline"),
        ({"budget": 1.0, "promise": 1.0}, "promise"),
        ({"budget": 1.0, "margin": 0.0}, "margin"),
        ({"budget": 1.0, "price_rise": 0.5}, "price_rise"),
        ({"budget": 1.0, "memory": 0.0}, "memory"),
    ],
)
def test_what_cannot_be_is_refused(params: dict[str, float], key: str) -> None:
    """The message names the key."""
    with pytest.raises(Refused) as caught:
        FileBudget(**params)
    assert caught.value.key == key


def test_traffic_that_is_no_files_is_refused() -> None:
    """The refusal is one line with the place."""
    with pytest.raises(ScenarioError, match=r"sources: found 'greedy', whose traffic is not"):
        scenario_from_text(WRONG)
