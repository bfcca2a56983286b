# SPDX-License-Identifier: Apache-2.0
"""The owners of links, and the price of a mark if there are several carriers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.agents.roles import ROLES
from ecnomy.agents.spec import AgentSpec
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.compile.summary import summary
from ecnomy.markets.economy.settlement import SETTLEMENTS
from ecnomy.markets.scenario import scenario_from_text
from ecnomy.markets.scenario.document import RULES
from ecnomy.markets.session.preparing import market_of
from ecnomy.markets.terms.ownership import Misowned, owners_of

LINKS = [("core1", "a"), ("core1.reverse", "b"), ("edge", "b"), ("edge.reverse", "c")]
TEXT = """\
version: 1
duration: 2 s
network:
  links:
    - {name: core, from: a, to: b, rate: 10 Mbps, delay: 5 ms}
    - {name: edge, from: b, to: c, rate: 10 Mbps, delay: 5 ms}
sources:
  - {name: s, from: a, to: c, transport: {law: wtp}}
market:
  price_per_mark: 1 money
  agents:
    - {name: far, role: connectivity-provider, FAR}
    - {name: near, role: connectivity-provider, NEAR}
"""


def carrier(*links: str, nodes: tuple[str, ...] = ()) -> AgentSpec:
    """A carrier that owns these links."""
    return AgentSpec("x", "connectivity-provider", links=links, nodes=nodes)


@pytest.mark.parametrize(
    ("carriers", "owners"),
    [
        ([carrier()], [0, 0, 0, 0]),
        ([carrier("core*"), carrier("edge*")], [0, 0, 1, 1]),
        ([carrier("core1"), carrier("edge")], [0, 0, 1, 1]),
        ([carrier("core1", "edge.reverse"), carrier("edge")], [0, 0, 1, 0]),
        ([carrier("*.reverse"), carrier("core1", "edge")], [1, 0, 1, 0]),
        ([carrier(nodes=("a",)), carrier(nodes=("b", "c"))], [0, 1, 1, 1]),
        ([carrier("core1.reverse", nodes=("a",)), carrier("edge?reverse", "edge")], [0, 0, 1, 1]),
    ],
)
def test_owners(carriers: list[AgentSpec], owners: list[int]) -> None:
    """Owners are found by name, pattern and node. A reverse link has the owner of its link."""
    assert owners_of(LINKS, carriers) == owners


@pytest.mark.parametrize(
    ("carriers", "at", "message"),
    [
        ([carrier("core*"), carrier("*1")], (1, "links"), "'core1', which already belongs to 'x'"),
        ([carrier("core*"), carrier("core2")], (1, "links"), "'core2'"),
        ([carrier("core*"), carrier(nodes=("z",))], (1, "nodes"), "'z'"),
        ([carrier("core*"), carrier()], (1, "links"), "neither 'links' nor 'nodes'"),
        ([carrier("core*")], (-1, "agents"), "edge, edge.reverse outside every domain"),
    ],
)
def test_what_does_not_fit(carriers: list[AgentSpec], at: tuple[int, str], message: str) -> None:
    """Links without an owner or with two, and names without a link, are refused."""
    with pytest.raises(Misowned) as caught:
        owners_of(LINKS, carriers)
    assert (caught.value.carrier, caught.value.key) == at
    assert message in caught.value.found


@pytest.mark.parametrize(
    ("far", "near", "place"),
    [
        ("links: core", "links: edge", ""),
        ("nodes: [a, b]", "nodes: c", ""),
        ("links: core", "links: rim", r"s.yaml:13: market.agents\[1\].links: found 'rim'"),
        ("links: core", "links: '*'", r"s.yaml:13: market.agents\[1\].links: found 'core', which"),
        ("links: core", "nodes: c", r"s.yaml:12: market.agents: found edge outside every domain"),
        ("links: core", "classes: {a: {fee: 1 money/s}}", "classes of a connectivity-provider"),
        ("links: core", "links: edge, price_per_mark: 0 money", "price_per_mark: found '0 money'"),
    ],
)
def test_check_names_the_place(far: str, near: str, place: str) -> None:
    """A fault gives one line with its place. Valid domains are read and written back."""
    text = TEXT.replace("FAR", far).replace("NEAR", near)
    if place:
        with pytest.raises(ScenarioError, match=place):
            scenario_from_text(text, "s.yaml")
        return
    scenario = scenario_from_text(text, "s.yaml")
    assert scenario.market is not None and scenario.market.settlement == "retail"
    again = scenario.resolved()["market"]["agents"]
    assert [set(agent) & {"links", "nodes"} for agent in again] == [{far.split(":")[0]}] * 2


def test_an_unknown_settlement_is_refused() -> None:
    """The error lists the known ones; scenarios use the names of the rules."""
    assert tuple(SETTLEMENTS) == RULES
    text = TEXT.replace("FAR", "links: core").replace("NEAR", "links: edge")
    text = text.replace("  price_per", "  settlement: barter\n  price_per")
    with pytest.raises(ScenarioError, match="found 'barter', expected one of retail, cascade"):
        scenario_from_text(text, "s.yaml")
    with pytest.raises(ScenarioError, match="s.yaml:10: market.settlement: found 'lab:Mine'"):
        scenario_from_text(text.replace("barter", "lab:Mine"), "s.yaml")


def test_the_market_names_no_role() -> None:
    """The market's code contains no role name."""
    folder = Path(__file__).parents[2] / "markets" / "ecnomy" / "markets"
    uses = [
        f"{file.relative_to(folder)}: {word}"
        for file in folder.rglob("*.py")
        if file.name != "samples.py"  # an example for each key, as users write it
        for word in ROLES
        if re.search(rf"[\"']{word}[\"']", file.read_text())
    ]
    assert uses == []


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("retail", "s: through far, near; 2 money per mark, paid to far"),
        ("direct", "s: through far, near; 2 to 3 money per mark, where set"),
    ],
)
def test_check_says_what_a_mark_costs(rule: str, message: str) -> None:
    """`check` prints the price of a mark by domains, if there are several carriers."""
    text = TEXT.replace("FAR", "links: core, price_per_mark: 2 money")
    text = text.replace("NEAR", "links: edge, price_per_mark: 3 money")
    scenario = scenario_from_text(text.replace("market:", f"market:\n  settlement: {rule}"))
    said = summary(scenario, make_plan(scenario))
    assert message in said and f"marks are settled by {rule}" in said
    lone = text.replace(", links: core", "").split("    - {name: near")[0]
    scenario = scenario_from_text(lone)
    assert "ways" not in summary(scenario, make_plan(scenario))


def test_a_price_posted_between_two_reports_holds_at_once() -> None:
    """The same holds for `direct`, where a source's price is a stored mean over carriers."""
    text = TEXT.replace("FAR", "links: core, price_per_mark: 2 money")
    text = text.replace("NEAR", "links: edge, price_per_mark: 3 money")
    scenario = scenario_from_text(text.replace("market:", "market:\n  settlement: direct"))
    market = market_of(make_plan(scenario), scenario.market)
    assert market.row_price_micro().tolist() == [2_000_000]
    market.post_price("far", 5)
    assert market.row_price_micro().tolist() == [5_000_000]
