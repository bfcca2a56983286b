# SPDX-License-Identifier: Apache-2.0
"""Scenarios as they load: defaults, extends, overrides, strict YAML, laws against their headers."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.agents.spec import AgentSpec, ClassSpec, StrategySpec
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.inputs.reading import write
from ecnomy.markets.plan.law_table import MARKING, law_table
from ecnomy.markets.plan.laws import law
from ecnomy.markets.scenario import load, scenario_from_text
from ecnomy.markets.scenario.marking import DROP_TAIL, marking_form
from ecnomy.markets.scenario.transport import WindowForm, Wtp, window_form

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "configs" / "examples").glob("*.yaml"))
SMALL = """\
version: 1
duration: 10 s
network:
  links:
    - {name: pipe, from: a, to: b, rate: 10 Mbps, marking: {law: fixed, probability: 0.1}}
sources:
  - {name: one, from: a, to: b, transport: {law: wtp}}
  - {name: two, from: a, to: b, transport: {law: reno}}
"""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_load_and_resolve_to_themselves(path: Path) -> None:
    """A manifest's scenario loads, and gives the same plan."""
    scenario = load(path)
    again = scenario_from_text(json.dumps(scenario.resolved()))
    assert again.document == scenario.document
    assert again.market == scenario.market
    assert make_plan(again) == make_plan(scenario)


def test_the_market_of_the_sample() -> None:
    """Money is in micro-units, parameters in the unit that the strategy states."""
    market = load(ROOT / "configs" / "examples" / "sample.yaml").market
    assert market is not None
    assert market.price_micro_per_mark == 2000
    assert market.agents == (
        AgentSpec("isp", "connectivity-provider"),
        AgentSpec(
            "shop",
            "application-provider",
            (ClassSpec("gold", 4_000_000, ("gold",)), ClassSpec("silver", 1_000_000, ("silver",))),
        ),
        AgentSpec(
            "knobs",
            "customer",
            sources=("gold", "silver"),
            strategy=StrategySpec("qos-knob", {"patience": 10.0}),
        ),
    )


def test_a_variant_is_laid_over_its_base(tmp_path: Path) -> None:
    """Mappings merge, named lists merge by name, other lists replace, null removes."""
    (tmp_path / "base.yaml").write_text(
        SMALL + "record: {series: [cwnd, rtt], trace: true}\ntitle: base\n"
    )
    variant = tmp_path / "variant.yaml"
    variant.write_text(
        "extends: base.yaml\nduration: 20 s\ntitle: null\nrecord: {series: [queue]}\nsources:\n"
        "  - {name: three, from: b, to: a, transport: {law: reno}}\n"
        "  - {name: two, count: 4, transport: {law: wtp, gain: 0.2}}\n"
    )
    document = load(variant).document
    assert (document.duration, document.title) == (20 * 10**12, "")
    assert (document.record.series, document.record.trace) == (("queue",), True)
    assert [source.name for source in document.sources] == ["one", "two", "three"]
    assert document.sources[1].count == 4
    assert isinstance(document.sources[1].transport, Wtp)


def test_bases_may_have_bases_in_other_folders(tmp_path: Path) -> None:
    """Each `extends` is relative to the file that contains it."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "base.yaml").write_text(SMALL)
    (tmp_path / "deep" / "middle.yaml").write_text("extends: ../base.yaml\nseed: 5\n")
    (tmp_path / "top.yaml").write_text("extends: deep/middle.yaml\ntitle: top\n")
    scenario = load(tmp_path / "top.yaml")
    assert (scenario.title, scenario.seed) == ("top", 5)


def test_another_law_brings_its_own_parameters(tmp_path: Path) -> None:
    """A variant with another law does not inherit parameters that mean nothing to it."""
    (tmp_path / "base.yaml").write_text(SMALL)
    variant = tmp_path / "variant.yaml"
    variant.write_text(
        "extends: base.yaml\nnetwork: {links: [{name: pipe, marking: {law: load-based}}]}\n"
    )
    link = load(variant).document.network.links[0]
    assert link.marking == marking_form("load-based")()
    assert link.rate == 10**7


@pytest.mark.parametrize("known", [True, False])
def test_a_misspelt_name_in_a_variant_is_an_item_without_keys(known: bool, tmp_path: Path) -> None:
    """The message names the base's most similar item; without one, only the keys."""
    (tmp_path / "base.yaml").write_text(SMALL)
    variant = tmp_path / "variant.yaml"
    name = "tow" if known else "gold"
    variant.write_text(f"extends: base.yaml\nsources:\n  - {{name: {name}, count: 2}}\n")
    with pytest.raises(
        ScenarioError, match=r"variant.yaml:3: sources\[2\]: found no 'transport', "
    ) as caught:
        load(variant)
    hint = "; to change an item of the extended file, use its name 'two'"
    assert (
        caught.value.expected.endswith(hint) is known and ("extended" in str(caught.value)) is known
    )


def test_a_name_twice_in_a_variant_is_refused(tmp_path: Path) -> None:
    """Merging by name does not hide that the variant names one item twice."""
    (tmp_path / "base.yaml").write_text(SMALL)
    variant = tmp_path / "variant.yaml"
    variant.write_text("extends: base.yaml\nsources: [{name: two, count: 2}, {name: two}]\n")
    with pytest.raises(ScenarioError):
        load(variant)


def test_a_condition_on_what_a_link_does_not_have_leaves_the_link_as_it_is() -> None:
    """Of two links, one of them without `marking`, only the link with the law changes."""
    bare = "    - {name: bare, from: b, to: c, rate: 10 Mbps}\nsources:"
    text = SMALL.replace("sources:", bare)
    change = "network.links.*.marking[law=fixed].probability=0.2"
    changed = scenario_from_text(text, overrides=[change])
    links = {link.name: link.marking for link in changed.document.network.links}
    assert links["pipe"] == marking_form("fixed")(probability=0.2)
    assert links["bare"] == DROP_TAIL


def test_overrides_and_seed() -> None:
    """--set reaches values by name and by index, in order, and the seed has an argument."""
    overrides = [
        "sources.two.count=3",
        "sources[0].count=5",
        "network.links.pipe.rate=5 Mbps",
        "network.links.pipe.marking={law: drop-tail}",
        "title=a title",
        "sources.two.count=4",
    ]
    scenario = scenario_from_text(SMALL, overrides=overrides, seed=2**64 - 1)
    document = scenario.document
    assert [source.count for source in document.sources] == [5, 4]
    assert document.network.links[0].rate == 5 * 10**6
    assert document.network.links[0].marking == DROP_TAIL
    assert (scenario.title, scenario.seed) == ("a title", 2**64 - 1)
    with pytest.raises(ScenarioError) as caught:
        scenario_from_text(SMALL, seed=-1)
    assert caught.value.file == "--seed"


def test_strict_scalars() -> None:
    """1e6 is a number, yes and off are text, 010 is ten, quotes make text of anything."""
    text = SMALL + "title: off\nseed: 010\n"
    assert scenario_from_text(text).title == "off"
    assert scenario_from_text(text).seed == 10
    probability = (
        scenario_from_text(SMALL.replace("0.1}", "1e-1}")).document.network.links[0].marking
    )
    assert probability == marking_form("fixed")(probability=0.1)
    assert scenario_from_text(SMALL + 'title: "1e6"\n').title == "1e6"
    with pytest.raises(ScenarioError):
        scenario_from_text(SMALL + "title: 1e6\n")


def test_defaults_of_transports_follow_the_law() -> None:
    """WTP is paced with accurate echo, Reno ACK-clocked by RFC 3168 and RFC 5681."""
    wtp, reno = (source.transport for source in scenario_from_text(SMALL).document.sources)
    assert isinstance(wtp, Wtp)
    assert (wtp.send, wtp.ecn, wtp.cwnd_min, wtp.slow_start) == ("paced", "accurate", 1 / 64, False)
    assert (wtp.weight, wtp.initial_window) == (1.0, 1.0)
    assert isinstance(reno, WindowForm) and reno.law == "reno"
    assert (reno.send, reno.ecn, reno.cwnd_min) == ("ack-clocked", "rfc3168", 1.0)
    assert (reno.slow_start, reno.initial_window) == (True, 3.0)
    assert Wtp(send="ack-clocked").cwnd_min == 1.0
    assert [window_form("reno")(mss=mss).initial_window for mss in (1095, 1096, 2190, 2191)] == [
        4,
        3,
        3,
        2,
    ]


@pytest.mark.parametrize("name", sorted(MARKING))
def test_defaults_of_marking_are_those_of_the_laws(name: str) -> None:
    """A marking law written with required keys alone has the defaults of its table.

    Its buffer is that of the link, of 3 packets.
    """
    entry = law_table()["marking"][name]
    order = [more for more, _ in entry.at_least]
    required = [p for p in entry.parameters if p.default is None]
    values = {p.name: min(3.0 + 2 * order.count(p.name), p.max / 2) for p in required}
    keys = ""
    for p in required:
        unit = {"unit": "packets"}.get(p.unit, p.unit)
        if p.name != "buffer_packets":
            keys += f", {p.name.removesuffix('_' + unit)}: {values[p.name]} {unit}"
    fixed = "marking: {law: fixed, probability: 0.1}"
    text = SMALL.replace(fixed, f"buffer: 3 packets, marking: {{law: {name}{keys}}}")
    made = make_plan(scenario_from_text(text)).links[0].marking
    assert made == law("marking", name, values)


def test_a_law_refuses_what_its_range_excludes() -> None:
    """Values outside a law's range are refused, so no plan fails in the engine."""
    with pytest.raises(ValueError, match="probability is 1.5, expected 0 to 1"):
        law("marking", "fixed", {"probability": 1.5})
    with pytest.raises(ValueError, match="probability is None"):
        law("marking", "fixed", {})
    with pytest.raises(ValueError, match="no parameter p"):
        law("marking", "fixed", {"p": 0.5})


def test_written_values_read_back() -> None:
    """Every value is written back as it was read, and floats are exact."""
    text = SMALL.replace(
        "{law: wtp}", "{law: wtp, weight: 0.1 marks, cwnd_max: 1e3, min_rto: 1 ms}"
    )
    document = scenario_from_text(text).document
    written = write(document)
    assert msgspec.json.decode(msgspec.json.encode(written)) == written
    assert written["sources"][0]["transport"]["weight"] == "0.1 mark"
    assert scenario_from_text(json.dumps(written)).document == document
