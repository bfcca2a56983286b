# SPDX-License-Identifier: Apache-2.0
"""Budgets of flows: the cost of marks never exceeds them, at constant and at changing prices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ecnomy.agents.errors import StrategyError
from ecnomy.markets import make_plan, run
from ecnomy.markets.bridge.messages import Report
from ecnomy.markets.economy.mark_caps import Budgets
from ecnomy.markets.scenario import scenario_from_text

TEXT = """\
version: 1
duration: 20 s
network:
  links:
    - {{name: wire, from: a, to: b, rate: 4 Mbps, delay: 20 ms, buffer: 60 packets,
       marking: {{law: fixed, probability: 0.2}}}}
sources:
  - {{name: x, count: 3, from: a, to: b, transport: {transport}{more}}}
market:
  price_per_mark: 0.01 money
  settlement: {settlement}
  agents:
    - {{name: isp, role: connectivity-provider, decision_interval: 1 s,
       strategy: {{kind: 'recording_strategies:Seesaw', low: 0.01 money, high: {high} money}}}}
    - {{name: ann, role: price-handler, sources: x, decision_interval: 20 s,
       strategy: {{kind: 'recording_strategies:Prepaid', budget: 1 money}}}}
"""
WTP = "{law: wtp, mss: 960 bytes}"


def made(high: float = 0.01, settlement: str = "retail", transport: str = WTP, more: str = ""):
    text = TEXT.format(high=high, settlement=settlement, transport=transport, more=more)
    return scenario_from_text(text)


def spent(tmp_path: Path, **how: float) -> tuple[list[int], np.ndarray]:
    """The total cost of each flow's marks, and its number of marks over time."""
    result = run(made(**how), out=tmp_path / "r")
    marks = result.flow_epochs.pivot(index="t_ps", columns="flow", values="ce").to_numpy()
    return result.raw.ledger.groupby("flow")["amount_micro"].sum().to_list(), marks


@pytest.mark.parametrize("transport", [WTP, "{law: newreno, mss: 960 bytes}"])
def test_a_budget_is_spent_to_the_last_mark(tmp_path: Path, transport: str) -> None:
    """Under any law, a flow receives 100 marks of 0.01 money long before the end, then stops."""
    paid, marks = spent(tmp_path, transport=transport)
    assert paid == [1_000_000] * 3
    assert (marks[-1] == 100).all() and (marks[-3] == 100).all() and (marks[3] < 100).all()


def test_a_price_that_changes_is_reckoned_with(tmp_path: Path) -> None:
    """A new price counts between decisions: the remaining budget buys fewer marks at 0.03 money."""
    paid, marks = spent(tmp_path, high=0.03)
    assert (marks[-1] < 100).all() and (marks[-3] == marks[-1]).all()
    assert all(970_000 < amount <= 1_000_000 for amount in paid)


def test_the_cap_by_hand() -> None:
    """The cap is the marks so far plus those that the rest can buy, if price and budget exist."""
    rows = make_plan(made()).row_sources()
    budgets, own = Budgets(rows), np.array([True, True, False])
    at = np.arange(3)

    def read(marks: list[int], charge: list[int]) -> None:
        flows = {"ce": np.array(marks, dtype=np.int64)}
        budgets.read(Report(0, 0, flows, {}, {}), np.array(charge, dtype=np.int64))

    read([5, 7, 9], [500, 700, 900])
    assert not np.any(budgets.changed(np.full(3, 100)))
    budgets.take("ann", at, own, np.array([1050.0, -1.0, 40.0]), True)
    assert budgets.changed(np.full(3, 100)).tolist() == [True, False, False]
    assert budgets.mark_cap.tolist() == [15, -1, -1]
    read([8, 9, 9], [800, 900, 900])
    assert not budgets.changed(np.full(3, 100)).any()  # three of the ten are used up
    budgets.changed(np.full(3, 300))
    assert budgets.mark_cap.tolist() == [8 + 750 // 300, -1, -1]
    budgets.changed(np.zeros(3, dtype=np.int64))
    assert budgets.mark_cap.tolist() == [-1, -1, -1]
    read([12, 9, 9], [2000, 900, 900])
    budgets.changed(np.full(3, 300))
    assert budgets.mark_cap.tolist() == [12, -1, -1]  # overspent: no more marks
    budgets.take("ann", at, own, np.array([-1.0, -1.0, -1.0]), True)
    budgets.changed(np.full(3, 300))
    assert budgets.mark_cap.tolist() == [-1, -1, -1]


def test_an_agent_leaves_the_budgets_of_others_alone() -> None:
    """Budgets of other agents stay unchanged, even if a decision names their rows."""
    budgets, at = Budgets(make_plan(made()).row_sources()), np.arange(3)
    flows = {"ce": np.zeros(3, dtype=np.int64)}
    budgets.read(Report(0, 0, flows, {}, {}), np.zeros(3, dtype=np.int64))
    budgets.take("ann", at, np.array([True, False, False]), np.full(3, 500.0), True)
    budgets.take("bob", at, np.array([False, True, True]), np.array([-1.0, 700, -1]), True)
    budgets.changed(np.full(3, 100))
    assert budgets.mark_cap.tolist() == [5, 7, -1]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"settlement": "direct"}, "settlement: retail, cascade or peering"),
        ({"more": ", rows: together"}, "rows: together"),
        ({"transport": "{law: udp}", "more": ", traffic: {kind: cbr, rate: 1 Mbps}"}, "uses udp"),
    ],
)
def test_where_no_budget_can_be_kept(tmp_path: Path, how: dict[str, str], said: str) -> None:
    """The error names the agent and the missing requirement."""
    with pytest.raises(StrategyError, match=f"ann .*{said}"):
        run(made(**how), out=tmp_path / "r")
