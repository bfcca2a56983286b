# SPDX-License-Identifier: Apache-2.0
"""`network.marking` for all links that state none, and `network.links.*` in paths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets import scenario as scenarios
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.compile.summary import summary
from ecnomy.markets.inputs.variants import load_tree
from ecnomy.markets.plan import Plan
from ecnomy.markets.scenario import load, scenario_from_text
from ecnomy.markets.scenario.shared_marking import with_shared_marking

CONFIGS = Path(__file__).parents[3] / "configs"
RED = "{law: red, min_threshold: 5 packets, max_threshold: 15 packets, max_probability: 0.5}"
TEXT = """version: 1
duration: 10 s
network:
  {shared}
  links:
    - {{name: near, from: a, to: r, rate: 8 Mbps{near}}}
    - {{name: far, from: r, to: b, rate: 8 Mbps{far}}}
sources: [{{name: s, from: a, to: b, transport: {{law: reno}}}}]
"""
TOPOLOGY = """version: 1
duration: 10 s
network:
  topology: topohub:sndlib/abilene
  rate: 10 Mbps
  overrides: {ATLAng-HSTNng: {rate: 3 Mbps, loss: 0.01, marking: {max_probability: 0.9}}}
  links: [{name: access, from: home, to: CHINng, rate: 1 Mbps}]
  marking: MARKING
sources: [{name: s, from: home, to: NYCMng, transport: {law: reno}}]
"""


def text(shared: str = f"marking: {RED}", near: str = "", far: str = "") -> str:
    """Two links with a shared marking and their own."""
    return TEXT.format(shared=shared, near=near, far=far)


def plan_of(written: str, *overrides: str) -> Plan:
    """The plan; the resolved scenario must give the same one."""
    scenario = scenario_from_text(written, overrides=overrides)
    assert make_plan(scenario_from_text(json.dumps(scenario.resolved()))) == make_plan(scenario)
    return make_plan(scenario)


def marking(plan: Plan, key: str) -> dict[str, Any]:
    """One parameter of the marking of each link that has it, by the link's name."""
    links = {link.name: link.marking.params for link in plan.links}
    return {name: params[key] for name, params in links.items() if key in params}


def test_a_shared_marking_is_what_each_link_would_have_written() -> None:
    """A shared marking gives the same plan as one per link, with drop-tail in reverse."""
    each = text("routing: hops", f", marking: {RED}", f", marking: {RED}")
    assert plan_of(text()).to_json() == plan_of(each).to_json()
    assert marking(plan_of(text()), "max_probability") == {"near": 0.5, "far": 0.5}


def test_a_link_without_a_law_changes_the_shared_one_and_one_with_a_law_has_its_own() -> None:
    """A link without `law` changes the shared marking, and one with `law` has its own."""
    plan = plan_of(text(near=", marking: {max_probability: 0.2}, reverse: {marking: {}}"))
    wanted = {"near": 0.2, "near.reverse": 0.5, "far": 0.5}
    assert marking(plan, "max_probability") == wanted
    own = "{law: red, min_threshold: 7 packets, max_threshold: 9 packets}"
    plan = plan_of(text(far=f", marking: {own}"))
    assert marking(plan, "max_probability") == {"near": 0.5, "far": 0.1}


def test_a_scheduler_takes_no_shared_marking() -> None:
    """A link with a scheduler marks in its classes."""
    plan = plan_of(text(near=", scheduler: {kind: class-based, classes: [{}, {}]}"))
    assert marking(plan, "max_probability") == {"far": 0.5}


@pytest.mark.parametrize(
    ("shared", "near", "line", "said"),
    [
        ("marking: {law: red}", "", 4, "marking: found no 'min_threshold', 'max"),
        ("marking: {law: wred}", ", marking: {law: drop-tail}", 4, "network.marking.law"),
        ("marking: {law: virtual-queue}", ", buffer: unlimited", 4, "unlimited"),
        (f"marking: {RED}", ", marking: {weight: x}", 6, "network.links[0].marking.weight"),
        ("routing: hops", ", marking: {weight: 0.1}", 6, "no 'law'"),
        ("marking: red", "", 4, "found 'red'"),
    ],
)
def test_faults_are_named_with_their_line(shared: str, near: str, line: int, said: str) -> None:
    """The shared marking is checked even if no link uses it."""
    with pytest.raises(ScenarioError) as caught:
        scenario_from_text(text(shared, near), "x.yaml")
    assert str(caught.value).startswith(f"x.yaml:{line}: ")
    assert said in str(caught.value)


def test_every_link_by_its_path() -> None:
    """For shared or separate markings, whole or single values: the last override applies."""
    own = f", marking: {RED}"
    path = "network.links.*.marking"
    for written in (text(), text(near=own), text("routing: hops", own, own)):
        plan = plan_of(written, f"{path}.max_probability=0.2")
        assert marking(plan, "max_probability") == {"near": 0.2, "far": 0.2}
        plan = plan_of(written, f"{path}={{law: fixed, probability: 0.3}}", f"{path}.probability=1")
        assert marking(plan, "probability") == {"near": 1, "far": 1}
        plan = plan_of(written, f"{path}[law=red].max_probability=0.3")
        assert marking(plan, "max_probability") == {"near": 0.3, "far": 0.3}


def test_one_links_value_goes_before_the_shared_one() -> None:
    """A link's own value takes precedence over the shared one, in either order of overrides."""
    sets = ("network.links.far.marking.max_probability=0.9", "network.marking.max_probability=0.3")
    for order in (sets, sets[::-1]):
        assert marking(plan_of(text(), *order), "max_probability") == {"near": 0.3, "far": 0.9}


def test_conditions_that_hold_nowhere_are_refused_on_the_command_line(tmp_path: Path) -> None:
    """The refusal is one line; in a variant of a sweep, they leave a point unchanged."""
    file = tmp_path / "s.yaml"
    file.write_text(text(), encoding="utf-8")
    nowhere = "network.links.*.marking[law=pi].a=1"
    with pytest.raises(ScenarioError, match="a condition that matches nothing"):
        load(file, overrides=[nowhere])
    assert plan_of(text(), nowhere) == plan_of(text())


def test_links_of_a_topology() -> None:
    """Written links share its marking, and `network.links.*` reaches those of the topology."""
    pytest.importorskip("topohub", reason="topohub is not installed: pip install topohub")
    own = ("ATLAng-HSTNng", "ATLAng-HSTNng.reverse")
    written = TOPOLOGY.replace("MARKING", RED)
    marks = marking(plan_of(written), "max_probability")
    assert (len(marks), {marks.pop(name) for name in own}) == (31, {0.9})
    assert set(marks.values()) == {0.5}
    plan = plan_of(written, "network.links.*.marking.max_probability=0.2")
    marks = marking(plan, "max_probability")
    assert (len(marks), set(marks.values())) == (31, {0.2})
    plan = plan_of(written, "network.links.*.rate=2 Mbps")
    assert {link.rate_bps for link in plan.links} == {2_000_000}
    assert {link.name for link in plan.links if link.loss} == set(own)


def test_scenarios_without_a_shared_marking_stay_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such documents do not change; a topology's plan is the same with and without the step."""
    trees = [load_tree(file) for file in sorted(CONFIGS.glob("examples/*.yaml"))]
    shared = [tree for tree in trees if "marking" in tree.mapping()["network"].mapping()]
    assert all(with_shared_marking(tree) is tree for tree in trees if tree not in shared)
    assert (len(shared), len(trees) > 20) == (1, True)
    pytest.importorskip("topohub", reason="topohub is not installed: pip install topohub")
    with_it = make_plan(load(CONFIGS / "examples" / "abilene.yaml")).to_json()
    monkeypatch.setattr(scenarios, "with_shared_marking", lambda root: root)
    assert make_plan(load(CONFIGS / "examples" / "abilene.yaml")).to_json() == with_it


def test_check_says_what_each_link_got() -> None:
    """Equal links share a row, which shows values other than the defaults."""
    scenario = scenario_from_text(text(far=", marking: {max_probability: 0.2, gentle: false}"))
    shown = summary(scenario, make_plan(scenario)).splitlines()
    rows = shown[shown.index("marking (3 kinds)") + 1 :][:3]
    assert rows == [
        "  red (min_threshold 5, max_threshold 15, max_probability 0.5): near",
        "  drop-tail: near.reverse, far.reverse",
        "  red (min_threshold 5, max_threshold 15, max_probability 0.2, gentle no): far",
    ]
