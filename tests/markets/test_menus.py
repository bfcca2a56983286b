# SPDX-License-Identifier: Apache-2.0
"""Menus: buyers choose among the tariffs of a contract, flow by flow."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.agents.errors import ScenarioError, StrategyError
from ecnomy.markets import make_plan, run
from ecnomy.markets.compile.summary import summary
from ecnomy.markets.scenario import scenario_from_text
from menu_lab import LOG

S = 10**12
TEXT = """\
version: 1
duration: 12 s
network:
  links:
    - {name: wire, from: a, to: b, rate: 4 Mbps, delay: 5 ms,
       marking: {law: fixed, probability: 0.02}}
sources:
  - {name: films, count: 2, from: a, to: b, transport: {law: newreno}}
  - {name: mail, from: a, to: b, transport: {law: newreno}}
  - {name: other, from: a, to: b, transport: {law: newreno}}
market:
  epoch: 1 s
  price_per_mark: 0.001 money
  agents:
    - name: isp
      role: connectivity-provider
      contracts:
        - name: line
          meter: bytes
          sources: [films, mail, other]
          tariff: {kind: menu, choices: {light: {kind: per-unit, price: 3 money/MB},
                   heavy: {kind: two-part, fee: 0.4 money/s, price: 0.5 money/MB}}}
        - {name: rent, meter: time, sources: [films, mail],
           tariff: {kind: flat, price: 0.1 money/s}}
        - {name: marked, meter: marks, sources: mail,
           tariff: {kind: menu, choices: {each: {kind: posted},
                   none: {kind: flat, price: 0 money/s}}}}
    - {name: ann, role: customer, sources: [films, mail], decision_interval: 1 s,
       strategy: {kind: 'menu_lab:Chooser'}}
    - {name: bob, role: customer, sources: other}
"""


BUYERS = """\
version: 1
duration: 60 s
network:
  links:
    - {name: wire, from: a, to: b, rate: 1 Gbps, delay: 10 ms,
       marking: {law: fixed, probability: 0.02}}
sources:
  - {name: home, count: 2, from: a, to: b, transport: {law: wtp, mark_rate: 5 marks/s}}
market:
  price_per_mark: 0.01 money
  agents:
    - name: isp
      role: connectivity-provider
      contracts: [{meter: bytes, sources: home, tariff: TARIFF}]
    - {name: ann, role: price-handler, sources: home, strategy:
       {kind: elastic-utility, utility: {kind: sqrt, a: 0.05 money/s, x0: 1 Mbps}}}
"""


@pytest.mark.parametrize(
    "tariff",
    [
        "{kind: flat, price: 0.02 money/s}",
        "{kind: two-part, fee: 0.01 money/s, price: 0.01 money/MB}",
        "{kind: per-unit, price: 0.02 money/MB}",
    ],
)
def test_users_buy_under_a_menu_what_they_buy_under_its_tariff(tmp_path: Path, tariff: str) -> None:
    """The fee of a chosen tariff is a charge by time, not a price of use."""
    menu = (
        f"{{kind: menu, choices: {{first: {tariff}, dear: {{kind: per-unit, price: 9 money/MB}}}}}}"
    )
    alone, chosen = (
        run(scenario_from_text(BUYERS.replace("TARIFF", one)), out=tmp_path / str(number)).flows
        for number, one in enumerate((tariff, menu))
    )
    assert alone.delivered.tolist() == chosen.delivered.tolist()
    assert alone.ce.tolist() == chosen.ce.tolist()
    assert alone.delivered.min() > 2000


def test_each_flow_pays_by_its_choice(tmp_path: Path) -> None:
    """Bills match the reported bytes. Each tariff carries over its own fraction of a micro-unit."""
    LOG.clear()
    result = run(scenario_from_text(TEXT), out=tmp_path / "r")
    table = result.flow_epochs.set_index(["t_ps", "flow"])["delivered_bytes"].unstack()
    grown = table.diff().iloc[1:]

    def choice(second: int, flow: int) -> str:  # in the epoch that ends then
        if flow == 3 or second > 9:
            return "light"
        return "heavy" if second > 7 or (second > 4 and flow == 0) else "light"

    owed = {flow: {"light": 0.0, "heavy": 0.0} for flow in range(4)}
    for t_ps, row in grown.iterrows():
        for flow, count in row.items():
            chosen = choice(int(t_ps) // S, int(flow))
            owed[int(flow)][chosen] += 3 * count if chosen == "light" else 400_000 + 0.5 * count
    bills = (
        result.raw.ledger.query("kind == 'line'").groupby("flow")["amount_micro"].sum().to_dict()
    )
    assert bills == {
        flow: sum(int(part + 1e-6) for part in both.values()) for flow, both in owed.items()
    }
    said = result.raw.agents.query("name == 'tariff:line'")
    rows = zip(said["t_ps"] // S, said["agent"], said["flow"], said["value"], strict=True)
    assert list(rows) == [
        *[(4, "ann", 0, 1.0), (7, "ann", 1, 1.0), (7, "ann", 2, 1.0)],
        *[(9, "ann", flow, 0.0) for flow in (0, 1, 2)],
    ]


def test_strategies_observe_their_choices(tmp_path: Path) -> None:
    """Strategies observe the choices of their agent's flows, in the order of contracts."""
    LOG.clear()
    run(scenario_from_text(TEXT), out=tmp_path / "r")
    chosen = {(t, name): rest for t, _, name, *rest in LOG}
    assert {seller for _, seller, *_ in LOG} == {"isp"}
    assert chosen[4, "line"] == [("light", "heavy"), [0, 1, 2], [0, 0, 0]]
    assert chosen[5, "line"][2] == chosen[7, "line"][2] == [1, 0, 0]
    assert chosen[8, "line"][2] == [1, 1, 1] and chosen[10, "line"][2] == [0, 0, 0]
    assert chosen[4, "marked"] == [("each", "none"), [2], [0]]


def test_sellers_may_give_their_contracts_one_name(tmp_path: Path) -> None:
    """A choice reaches the menu of its seller, although another seller's contract has its name."""
    LOG.clear()
    text = TEXT.replace("sources: [films, mail, other]", "sources: [films, mail]")
    shop = """\
    - name: shop
      role: application-provider
      classes: {all: {fee: 0.1 money/s}}
      contracts:
        - {name: line, meter: marks, sources: other,
           tariff: {kind: menu, choices: {light: {kind: flat, price: 5 money/s},
                    heavy: {kind: flat, price: 6 money/s}}}}
"""
    text = text.replace("  agents:\n", f"  agents:\n{shop}")
    result = run(scenario_from_text(text), out=tmp_path / "r")
    said = result.raw.agents.query("name == 'tariff:line'")
    assert said["flow"].to_list() == [0, 1, 2, 0, 1, 2]
    bills = result.raw.ledger.query("kind == 'line' and credit == 'isp'")
    assert set(bills["flow"]) == {0, 1, 2}


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ("choice: huge", "chose 'huge' from 'line', expected one of light, heavy"),
        ("flow: 3", "chose 'heavy' for 3, expected a flow of "),
        ("flow: 9", "chose 'heavy' for 9, expected a flow of "),
        (
            "note: 'tariff:line'",
            "the note 'tariff:line' has the name of a column of the table `agents`",
        ),
    ],
)
def test_what_cannot_be_chosen_is_refused(tmp_path: Path, params: str, says: str) -> None:
    """Unknown choices, flows of other agents and notes under reserved names are refused."""
    text = TEXT.replace("kind: 'menu_lab:Chooser'", f"kind: 'menu_lab:Wrong', {params}")
    with pytest.raises(StrategyError, match=says):
        run(scenario_from_text(text), out=tmp_path / "r")


def test_check_names_the_choices() -> None:
    """`check` names the meter and the choices of tariffs. The scenario reads back unchanged."""
    given = scenario_from_text(TEXT)
    lines = summary(given, make_plan(given))
    assert "sells bytes as line: light, heavy" in lines


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("3 money/MB", "3 money/h", r"tariff.choices.light.price: found a price of 3 money/h"),
        (
            "{kind: per-unit, price: 3 money/MB}",
            "{kind: menu, choices: {a: {kind: posted}}}",
            "found 'menu'",
        ),
        (
            "each: {kind: posted}",
            "each: {kind: posted, per: s}",
            "found a posted price in money/s, expected a tariff for marks: per: mark",
        ),
        (
            "marked, meter: marks",
            "marked, meter: packets",
            "expected a tariff for packets: another kind",
        ),
    ],
)
def test_bad_menus_are_named(old: str, new: str, says: str) -> None:
    """Menus with wrong prices, with a menu inside, or with an impossible posted price fail."""
    with pytest.raises(ScenarioError, match=says):
        scenario_from_text(TEXT.replace(old, new))
