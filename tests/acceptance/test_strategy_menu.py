# SPDX-License-Identifier: Apache-2.0
"""configs/examples/strategy-menu.yaml: each flow gets its customer's choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets import load, run
from ecnomy.markets.results.run_summary import groups
from ecnomy.markets.scenario import scenario_from_text

EXAMPLE = Path(__file__).parents[2] / "configs" / "examples" / "strategy-menu.yaml"
PS = 10**12


def test_each_flow_gets_the_strategy_that_was_picked(tmp_path: Path) -> None:
    """A flow pays 0.1 money/s, then has a cap of 1.1 Mbps, and then pays 2 money/s."""
    own = ["{kind: 'menu_users:Timetable'}", "{kind: stay}"]
    agents = ("viewers", "writers")
    changes = [f"market.agents.{a}.strategy={s}" for a, s in zip(agents, own, strict=True)]
    changes += ["market.agents.viewers.decision_interval=1 s", "duration=130 s", "warmup=10 s"]
    result = run(load(EXAMPLE, overrides=changes), out=tmp_path / "r")
    epochs = result.flow_epochs.set_index(["t_ps", "flow"])

    def per_s(column: str, flow: int, begin: int, end: int) -> float:
        grown = epochs.loc[(end * PS, flow), column] - epochs.loc[(begin * PS, flow), column]
        return float(grown) / (end - begin)

    for flow in (0, 1):
        assert per_s("mark_charge_micro", flow, 10, 40) / 1e6 == pytest.approx(0.1, rel=0.25)
    assert 8 * per_s("acked_bytes", 0, 50, 80) == pytest.approx(1.1e6, rel=0.05)
    assert per_s("mark_charge_micro", 0, 90, 130) / 1e6 == pytest.approx(2.0, rel=0.15)
    assert 8 * per_s("acked_bytes", 0, 90, 130) > 2e6  # the cap is lifted
    assert per_s("mark_charge_micro", 1, 40, 130) / 1e6 == pytest.approx(0.1, rel=0.25)
    said = result.raw.agents.query("name == 'strategy'")
    rows = zip(said["t_ps"] // PS, said["agent"], said["flow"], said["value"], strict=True)
    assert list(rows) == [(40, "viewers", 0, 1.0), (80, "viewers", 0, 2.0)]
    payers = result.raw.ledger.groupby(result.raw.ledger["kind"].astype(str))["debit"].unique()
    assert set(payers["marks"]) == {"viewers", "writers"}


TWO = """
version: 1
duration: 60 s
network: {links: [{name: l, from: a, to: b, rate: 4 Mbps, delay: 20 ms,
  marking: {law: load-based, threshold: 0.6, slope: 0.5, interval: 100 ms}}]}
sources:
  - {name: one, count: 2, from: a, to: b, transport: {law: wtp}}
  - {name: two, count: 2, from: a, to: b, transport: {law: wtp}}
market:
  price_per_mark: 0.1 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: shop1
      role: application-provider
      classes: {all: {fee: 1 money/s, sources: one}}
      strategy: &menu
        kind: menu
        choices: {low: {kind: constant-charge}, high: {kind: constant-charge, charge: 2 money/s}}
    - name: shop2
      role: application-provider
      classes: {all: {fee: 1 money/s, sources: two}}
      strategy: *menu
    - name: users
      role: customer
      sources: [one, two]
      decision_interval: 5 s
      strategy:
        kind: best-choice
        utility: {kind: log, a: 1 money/s, x0: 1 Mbps}
        loyalty: 0
        curiosity: 1
"""


def test_the_menus_of_two_providers_are_composed_from(tmp_path: Path) -> None:
    """One user agent has flows with both providers, and tries strategies on both."""
    result = run(scenario_from_text(TWO, "two.yaml"), out=tmp_path / "r")
    said = result.raw.agents.query("name == 'strategy'")
    assert said.groupby("flow").size().min() >= 5 and set(said["flow"]) == {0, 1, 2, 3}
    assert [row.name for row in groups(tmp_path / "r")] == ["all of shop1", "all of shop2"]


def test_user_agents_compose_by_their_utilities(tmp_path: Path) -> None:
    """Users who need 1 Mbps mostly end with `steady`, and indifferent users with `thrifty`."""
    result = run(load(EXAMPLE), out=tmp_path / "r")
    said = result.raw.agents.query("name == 'strategy'")
    table = said.pivot(index="t_ps", columns="flow", values="value")
    every = range(200 * PS, 400 * PS, PS)
    held = table.reindex(table.index.union(every)).ffill().reindex(columns=range(8)).fillna(0)
    shares = held.loc[list(every)].apply(lambda column: column.value_counts(normalize=True))
    assert shares.loc[1.0, :3].mean() > 0.7
    assert shares.loc[0.0, 4:].mean() > 0.7


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ("{kind: menu, choices: {}}", "a mapping of names to strategies"),
        ("{kind: menu, choices: {a: {kind: qos-knob}}}", "a strategy for an application-provider"),
        ("{kind: menu, choices: {a: {kind: nonesuch}}}", "a strategy"),
        ("{kind: menu, choices: {a: {kind: constant-charge, charge: 2}}}", "quantity in money/s"),
        ("{kind: menu, choices: {a: {kind: cost-plus}}}", "a strategy for single flows"),
        (
            "{kind: menu, choices: {a: {kind: constant-throughput, threshold: 1 money/s}}}",
            "choices.a.rate: no 'rate'|no rate",
        ),
        ("{kind: fill-classes}", "no class with 'members'"),
    ],
)
def test_faults_of_a_menu_have_their_line(changed: str, message: str) -> None:
    """The error names the strategy and its fault."""
    with pytest.raises(ScenarioError, match=message) as caught:
        load(EXAMPLE, overrides=[f"market.agents.shop.strategy={changed}"])
    assert "market.agents" in str(caught.value) and "\n" not in str(caught.value)
