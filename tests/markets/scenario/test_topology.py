# SPDX-License-Identifier: Apache-2.0
"""Topologies and demand matrices: their plans, and every fault with its place."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.plan import Plan
from ecnomy.markets.scenario import Scenario, load, scenario_from_text
from ecnomy.markets.scenario.topology import node_names

topohub = pytest.importorskip("topohub", reason="topohub is not installed: pip install topohub")

ABILENE = Path(__file__).parents[3] / "configs" / "examples" / "abilene.yaml"
TEXT = """\
version: 1
duration: 10 s
network:
  topology: topohub:sndlib/abilene
  names: {CHINng: Chicago}
  rate: 10 Mbps
  marking: {law: fixed, probability: 0.1}
demands:
  - name: demand
    scale: {busiest_link: 1.2}
    transport: {law: wtp}
"""


def raw_topology(name: str, **options: bool) -> dict[str, Any]:
    """topohub's own data; it leaves its file to the garbage collector."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        topology: dict[str, Any] = topohub.get(name, **options)
    return topology


def scenario(old: str = "", new: str = "", rest: str = "") -> Scenario:
    """The text above with one replacement and an addition at its end."""
    assert old in TEXT
    return scenario_from_text(TEXT.replace(old, new, 1) + rest, "net.yaml")


def offered(plan: Plan) -> list[float]:
    """Offered load over rate of each direction, framing included."""
    load = [0.0] * len(plan.links)
    for source in plan.sources:
        packet = source.transport.mss_bytes + source.transport.header_bytes  # type: ignore[union-attr]
        for link in source.path:
            wire = 1 + plan.links[link].framing_bytes / packet
            load[link] += source.count * source.traffic.params["rate_bps"] * wire
    return [x / link.rate_bps for x, link in zip(load, plan.links, strict=True)]


def test_abilene_is_what_topohub_says() -> None:
    """Nodes, edges, lengths and the matrix are unchanged; both directions have the same marking."""
    raw = raw_topology("sndlib/abilene", use_names=True)
    plan = make_plan(scenario())
    assert (len(plan.nodes), len(plan.links)) == (12, 30)
    for forward, backward, edge in zip(
        plan.links[::2], plan.links[1::2], raw["edges"], strict=True
    ):
        ends = [e.replace("CHINng", "Chicago") for e in (edge["source"], edge["target"])]
        assert forward.name == "-".join(ends)
        assert [plan.nodes[forward.source], plan.nodes[forward.target]] == ends
        assert forward.delay_ps == backward.delay_ps == round(edge["dist"] * 5_000_000)
        assert forward.marking == backward.marking
        assert forward.marking.law == "fixed"
    demands = {
        f"demand-{a}-{b}".replace("CHINng", "Chicago"): value
        for a, row in raw["graph"]["demands"].items()
        for b, value in row.items()
    }
    assert len(plan.sources) == len(demands) == 132
    scale = {s.traffic.params["rate_bps"] / demands[s.name] for s in plan.sources}
    assert max(scale) - min(scale) < 1 / 233  # whole bits per second of the smallest demand


def test_the_busiest_link_is_offered_the_requested_load() -> None:
    """The busiest link has the requested load, with framing, over all flows of a pair."""
    for new in ("rate: 10 Mbps\n  framing: 100 bytes", "rate: 10 Mbps\n  routing: hops"):
        plan = make_plan(scenario("rate: 10 Mbps", new))
        assert max(offered(plan)) == pytest.approx(1.2, rel=1e-5)
    plan = make_plan(scenario("busiest_link: 1.2}", "busiest_link: 0.5}\n    count: 4"))
    assert max(offered(plan)) == pytest.approx(0.5, rel=1e-4)
    assert {source.count for source in plan.sources} == {4}


def test_other_scales_and_matrices() -> None:
    """Scales may be a total or bits per unit of the matrix, and a matrix may be uniform."""
    rates = [
        s.traffic.params["rate_bps"]
        for s in make_plan(scenario("busiest_link: 1.2", "total: 50 Mbps")).sources
    ]
    assert sum(rates) == pytest.approx(50e6, rel=1e-5)
    plan = make_plan(scenario("busiest_link: 1.2", "unit: 10 bps"))
    assert plan.sources[0].traffic.params["rate_bps"] == 10 * 1140  # ATLAM5 to ATLAng
    some = "{unit: 1 Mbps}\n    matrix: uniform\n    from: [Chicago, DNVRng]\n    to: NYCMng"
    plan = make_plan(scenario("{busiest_link: 1.2}", some))
    assert [s.name for s in plan.sources] == ["demand-Chicago-NYCMng", "demand-DNVRng-NYCMng"]
    assert {s.traffic.params["rate_bps"] for s in plan.sources} == {1e6}


def test_datagrams_at_the_demand() -> None:
    """Over UDP, a pair sends packets at a constant rate, or as a Poisson process."""
    for kind, param in (("", "interval_s"), ("\n    traffic: poisson", "mean_interval_s")):
        udp = f"{{law: udp, payload: 972 bytes}}{kind}"
        text = TEXT.replace("{law: wtp}", udp).replace("busiest_link: 1.2", "unit: 10 bps")
        plan = make_plan(scenario_from_text(text))
        assert plan.sources[0].traffic.params[param] == pytest.approx(8000 / 11400)


def test_overrides_and_more_links() -> None:
    """A link of the topology may have its own values, whichever end is named first."""
    more = (
        "rate: 10 Mbps\n  overrides:\n"
        "    HSTNng-ATLAng: {rate: 3 Mbps, delay: 9 ms, buffer: 7 packets, marking: {law: red, "
        "min_threshold: 1 packets, max_threshold: 3 packets}}\n"
        "  links: [{name: access, from: home, to: Chicago, rate: 1 Mbps}]"
    )
    plan = make_plan(scenario("rate: 10 Mbps", more))
    links = {link.name: link for link in plan.links}
    assert list(links)[:2] == ["access", "access.reverse"]
    for name in ("ATLAng-HSTNng", "ATLAng-HSTNng.reverse"):
        link = links[name]
        assert (link.rate_bps, link.delay_ps, link.buffer_packets) == (3_000_000, 9 * 10**9, 7)
        assert link.marking.law == "red"
    assert links["Chicago-NYCMng"].rate_bps == 10_000_000


def test_the_resolved_scenario_needs_no_topohub() -> None:
    """The resolved scenario has links, positions and sources, and the same plan."""
    first = load(ABILENE)
    resolved = first.resolved()
    assert "topology" not in resolved["network"]
    assert resolved["network"]["positions"]["Chicago"] == [-87.62, 41.83]
    demand = {s["name"]: s for s in resolved["sources"]}["demand-Chicago-Houston"]
    assert demand["traffic"]["kind"] == "rate-capped"
    assert demand["group"] == "demand"
    again = scenario_from_text(msgspec.json.encode(resolved).decode())
    assert make_plan(again).to_json() == make_plan(first).to_json()
    assert again.market == first.market


def test_demands_are_the_same_for_every_seed() -> None:
    """Choices between equal paths depend on the seed; demands and names do not."""
    text = TEXT.replace("rate: 10 Mbps", "rate: 10 Mbps\n  routing: hops\n  equal_cost: hash")
    one, two = (make_plan(scenario_from_text(text + f"seed: {seed}\n")) for seed in (1, 2))
    assert [(s.name, s.traffic) for s in one.sources] == [(s.name, s.traffic) for s in two.sources]
    assert [s.path for s in one.sources] != [s.path for s in two.sources]


def test_agents_call_all_pairs_by_the_name_of_the_demands() -> None:
    """The name of a matrix, or of a group, stands for its sources."""
    market = (
        "market:\n  price_per_mark: 1 money\n  agents:\n"
        "    - {name: isp, role: connectivity-provider}\n"
        "    - {name: me, role: customer, sources: demand}\n"
    )
    spec = scenario(rest=market).market
    assert spec is not None
    assert spec.agents[1].sources == tuple(s.name for s in make_plan(scenario()).sources)
    with pytest.raises(ScenarioError) as caught:
        scenario(rest=market.replace("sources: demand", "sources: demands"))
    assert caught.value.expected == "'demand'"
    twice = market.replace("sources: demand", "sources: [demand, demand-Chicago-NYCMng]")
    with pytest.raises(ScenarioError) as caught:
        scenario(rest=twice)
    assert "which already belongs to customer 'me'" in caught.value.found


@pytest.mark.parametrize(
    "name",
    [
        "sndlib/germany50",
        "sndlib/dfn-bwin",
        "gabriel/25/0",
        "topozoo/Abilene",
        "topozoo/Uninett2011",
    ]
    + ["caida/2024-08/1103", "backbone/africa"],
)
def test_topologies_of_every_family(name: str) -> None:
    """Missing, repeated and letterless names are replaced; each pair of neighbours is linked."""
    raw = raw_topology(name)
    links = "links: [{name: a, from: first, to: second, rate: 1 Mbps}]"
    text = (
        "version: 1\nduration: 1 s\n"
        f"network: {{topology: 'topohub:{name}', rate: 1 Mbps, {links}}}\n"
        "sources: [{name: s, from: first, to: second, transport: {law: wtp}}]\n"
    )
    resolved = scenario_from_text(text)
    plan = make_plan(resolved)
    assert len(plan.links) == 2 * len(raw["edges"]) + 2
    assert len(plan.nodes) == len(raw["nodes"]) + 2
    assert len({link.name for link in plan.links}) == len(plan.links)
    again = scenario_from_text(msgspec.json.encode(resolved.resolved()).decode())
    assert make_plan(again).to_json() == plan.to_json()


def test_names_of_nodes() -> None:
    """Accents and signs are removed, missing and repeated names numbered; all are short."""
    given = {0: "São Paulo", 1: "", 2: "St. John's (NB)", 3: "St Johns NB", 4: "1st", 5: "x" * 50}
    given |= {6: "St-Johns-NB", 7: "St_Johns_NB_6", 8: "x" * 50}
    names = node_names(given)
    assert [names[i] for i in (0, 1, 2, 4)] == ["Sao_Paulo", "n1", "St_John_s_NB", "n1st"]
    assert len(set(names.values())) == len(given)
    assert max(map(len, names.values())) <= 28


FAULTS = {
    "unknown topology": (
        "sndlib/abilene",
        "sndlib/abilen",
        4,
        "network.topology",
        "'sndlib/abilene', or",
    ),
    "no prefix": ("topohub:", "zoo:", 4, "network.topology", "topohub:sndlib/abilene"),
    "a way out": ("sndlib/abilene", "../../abilene", 4, "network.topology", "a topology such as"),
    "no rate": ("  rate: 10 Mbps\n", "", 4, "network.rate", "'rate' for the topology's links"),
    "renamed nobody": ("CHINng", "CHINg", 5, "network.names.CHINg", "'CHINng'"),
    "renamed alike": ("Chicago", "NYCMng", 5, "network.names.CHINng", "a unique name"),
    "override of nothing": (
        "rate: 10 Mbps",
        "rate: 10 Mbps\n  overrides: {Chicago-STTLng: {rate: 1 Mbps}}",
        7,
        "network.overrides.Chicago-STTLng",
        "<from>-<to> of the topology",
    ),
    "override twice": (
        "rate: 10 Mbps",
        "rate: 10 Mbps\n  overrides: {Chicago-NYCMng: {}, NYCMng-Chicago: {}}",
        7,
        "network.overrides.NYCMng-Chicago",
        "each link once",
    ),
    "two delays": (
        "rate: 10 Mbps",
        "rate: 10 Mbps\n  delay: 1 ms\n  delay_per_km: 5 us",
        7,
        "network.delay",
        "one of them",
    ),
    "no matrix": (
        "sndlib/abilene\n  names: {CHINng: Chicago}",
        "topozoo/Abilene",
        8,
        "demands[0].matrix",
        "a matrix",
    ),
    "unknown node": (
        "transport:",
        "from: [Chicago, Boston]\n    transport:",
        11,
        "demands[0].from[1]",
        "one of",
    ),
    "two scales": ("1.2}", "1.2, total: 1 Mbps}", 10, "demands[0].scale.total", "one of busiest"),
    "no scale": ("busiest_link: 1.2", "", 10, "demands[0].scale.busiest_link", "one of busiest"),
    "wrong traffic": (
        "transport:",
        "traffic: cbr\n    transport:",
        11,
        "demands[0].traffic",
        "rate-capped",
    ),
    "too little": ("busiest_link: 1.2", "total: 1 bps", 9, "demands[0]", "1 bit/s"),
    "without topology": (
        "topology: topohub:sndlib/abilene",
        "links: [{name: l, from: a, to: b, rate: 1 Mbps}]",
        5,
        "network.names",
        "'names' of each link under 'links'",
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_faults_are_named_with_their_place(case: str) -> None:
    """A single fault is reported at its place."""
    old, new, line, path, expected = FAULTS[case]
    with pytest.raises(ScenarioError) as caught:
        make_plan(scenario(old, new))
    error = caught.value
    assert (error.file, error.line, error.path) == ("net.yaml", line, path)
    assert expected in error.expected
    assert "\n" not in str(error)


@pytest.mark.parametrize("km", [None, 0.0])
def test_a_topology_without_lengths(km: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lengths that are missing or all 0 are refused unless all links are given a delay."""
    edge = {"source": 0, "target": 1} | ({} if km is None else {"dist": km})
    nodes = [{"id": 0, "name": "A"}, {"id": 1, "name": "B"}]
    bare = {"graph": {"demands": {0: {1: 7.0}}}, "nodes": nodes, "edges": [edge]}
    monkeypatch.setattr(topohub, "get", lambda key: bare)
    with pytest.raises(ScenarioError) as caught:
        scenario("  names: {CHINng: Chicago}\n")
    assert (caught.value.line, caught.value.path) == (4, "network.topology")
    assert "a 'delay' for all links" in caught.value.expected
    plan = make_plan(scenario("  names: {CHINng: Chicago}\n", "  delay: 2 ms\n"))
    assert {link.delay_ps for link in plan.links} == {2 * 10**9}
    assert [source.name for source in plan.sources] == ["demand-A-B"]


def test_unreachable_pairs_are_named() -> None:
    """The message names three and counts the others; a matrix's source has the matrix's place."""
    island = "rate: 10 Mbps\n  links: [{name: sea, from: one, to: two, rate: 1 Mbps}]"
    text = TEXT.replace("rate: 10 Mbps", island)
    text = text.replace("transport:", "matrix: uniform\n    from: one\n    transport:")
    with pytest.raises(ScenarioError) as caught:
        scenario_from_text(text, "net.yaml")
    error = caught.value
    assert (error.line, error.path) == (10, "demands[0]")
    assert error.found.startswith("no path from one to ATLAM5, one to ATLAng, one to HSTNng and 9")
    with pytest.raises(ScenarioError) as caught:
        make_plan(scenario_from_text(text.replace("busiest_link: 1.2", "unit: 1 bps"), "net.yaml"))
    error = caught.value
    assert (error.line, error.path) == (10, "demands[0].to")
    assert error.found == "'ATLAM5', which 'one' cannot reach"


def test_missing_topohub_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without topohub, the message gives the command that installs it."""
    monkeypatch.setitem(sys.modules, "topohub", None)
    with pytest.raises(ScenarioError, match=r"topohub.*pip install 'ecnomy\[all\]'"):
        scenario()
