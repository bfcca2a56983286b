# SPDX-License-Identifier: Apache-2.0
"""`loss`, `reordering`, `delay_profile` and `duplex: half` in YAML: values in plans, errors."""

from __future__ import annotations

import json

import pytest
from msgspec import UNSET

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.plan import DelayProfile, DelayStep, Plan, Reordering
from ecnomy.markets.scenario import scenario_from_text

PS = 10**12
TEXT = """version: 1
duration: 10 s
network:
  links:
    - {{name: near, from: a, to: r, rate: 8 Mbps}}
    - {{name: far, from: r, to: b, rate: 8 Mbps, {keys}}}
sources:
  - {{name: there, from: a, to: b, traffic: {{kind: greedy}}, transport: {{law: reno}}}}
  - {{name: back, from: b, to: a, traffic: {{kind: greedy}}, transport: {{law: reno}}}}
"""


def plan_of(keys: str) -> Plan:
    """The plan; the resolved scenario must give the same one."""
    scenario = scenario_from_text(TEXT.format(keys=keys))
    again = scenario_from_text(json.dumps(scenario.resolved()))
    plan = make_plan(scenario)
    assert make_plan(again) == plan
    return plan


def test_losses_hold_for_both_directions_unless_one_says_otherwise() -> None:
    """Each direction has its own stream; by default nothing is lost."""
    links = {link.name: link for link in plan_of("loss: 0.01").links}
    assert [links[n].loss for n in ("near", "far", "far.reverse")] == [0.0, 0.01, 0.01]
    assert links["far.reverse"].loss_stream == "link/far.reverse/loss"
    links = {link.name: link for link in plan_of("loss: 0.01, reverse: {loss: 0}").links}
    assert links["far.reverse"].loss == 0.0


def test_reordering_holds_for_both_directions_unless_one_says_otherwise() -> None:
    """Each direction has its own stream; by default the plan has no such key."""
    late = "reordering: {probability: 0.02, delay: 3 ms}"
    links = {link.name: link for link in plan_of(late).links}
    assert links["near"].reordering is links["near.reverse"].reordering is UNSET
    for name in ("far", "far.reverse"):
        assert links[name].reordering == Reordering(
            probability=0.02, delay_ps=3 * 10**9, stream=f"link/{name}/reordering"
        )
    in_order = f"{late}, reverse: {{reordering: {{probability: 0, delay: 0 ms}}}}"
    links = {link.name: link for link in plan_of(in_order).links}
    assert links["far.reverse"].reordering is UNSET and links["far"].reordering is not UNSET


def test_a_delay_profile_holds_for_both_directions_unless_one_says_otherwise() -> None:
    """Steps begin at simulated time 0; a profile without a delay is not in the plan."""
    own = "delay_profile: {period: 30 s, offset: 20 s, steps: {15 s: 40 ms, 0 s: 2 ms}}"
    links = {link.name: link for link in plan_of(own).links}
    assert links["near"].delay_profile is UNSET
    for name in ("far", "far.reverse"):
        steps = [
            DelayStep(0, 40 * 10**9),
            DelayStep(10 * PS, 2 * 10**9),
            DelayStep(25 * PS, 40 * 10**9),
        ]
        assert links[name].delay_profile == DelayProfile(period_ps=30 * PS, steps=steps)
    constant = f"{own}, reverse: {{delay_profile: {{steps: {{0 s: 0 s}}}}}}"
    links = {link.name: link for link in plan_of(constant).links}
    assert links["far.reverse"].delay_profile is UNSET
    assert links["far"].delay_profile is not UNSET


def test_half_duplex_links_are_one_link_that_paths_take_both_ways() -> None:
    """The link has no reverse; data and ACKs of both sources share it."""
    plan = plan_of("duplex: half")
    assert [link.name for link in plan.links] == ["near", "near.reverse", "far"]
    assert [link.half_duplex for link in plan.links] == [False, False, True]
    there, back = plan.sources
    assert (there.path, there.ack_path) == ([0, 2], [2, 1])
    assert (back.path, back.ack_path) == ([2, 1], [0, 2])
    whole = plan_of("duplex: true").sources[1]
    assert (whole.path, whole.ack_path) == ([3, 1], [0, 2])


@pytest.mark.parametrize(
    ("keys", "path", "found", "expected"),
    [
        ("loss: 1", "loss", "1", "a probability from 0 to 0.99"),
        ("loss: 1 %", "loss", "'1 %'", "a probability"),
        ("reverse: {loss: -0.1}", "reverse.loss", "-0.1", "a probability"),
        ("reordering: 0.1", "reordering", "0.1", "a mapping"),
        ("reordering: {delay: 1 ms}", "reordering.probability", "no 'probability'", "a prob"),
        ("reordering: {probability: 2, delay: 1 ms}", "reordering.probability", "2", "from 0 to 1"),
        ("delay_profile: 40 ms", "delay_profile", "'40 ms'", "a mapping"),
        ("delay_profile: {steps: 40 ms}", "delay_profile.steps", "'40 ms'", "times to delays"),
        (
            "delay_profile: {period: 1 s, steps: {1 s: 2 ms}}",
            "delay_profile.steps",
            "a step at 1 s",
            "before the end of the period at 1 s",
        ),
        ("duplex: both", "duplex", "'both'", "true, false or half"),
        (
            "duplex: half, reverse: {rate: 1 Mbps}",
            "reverse",
            "a mapping",
            "no 'reverse', because duplex is half",
        ),
        (
            "duplex: false, reverse: {}",
            "reverse",
            "a mapping",
            "no 'reverse', because duplex is false",
        ),
    ],
)
def test_one_line_says_what_is_wrong(keys: str, path: str, found: str, expected: str) -> None:
    """One line gives file, line, place, and the values found and expected."""
    with pytest.raises(ScenarioError) as caught:
        scenario_from_text(TEXT.format(keys=keys), "s.yaml")
    fault = caught.value
    assert fault.path == f"network.links[1].{path}"
    assert found in fault.found and expected in fault.expected, str(fault)
    assert "\n" not in str(fault) and "s.yaml:6" in str(fault)
