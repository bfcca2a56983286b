# SPDX-License-Identifier: Apache-2.0
"""L4S in scenarios: codepoints, the dual queue's keys, and what `check` warns of."""

from __future__ import annotations

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.plan import Plan
from ecnomy.markets.scenario import scenario_from_text

DUAL = "scheduler: {kind: dualpi2}"
RED = (
    "marking: {law: red, min_threshold: 5 packets, max_threshold: 15 packets, max_probability: 0.1}"
)


def text(queue: str, *transports: str, delay: str = "10 ms") -> str:
    """Sources s0, s1, ... over one link."""
    sources = "\n".join(
        f"  - {{name: s{i}, from: a, to: b, transport: {one}}}" for i, one in enumerate(transports)
    )
    link = f"{{name: link, from: a, to: b, rate: 100 Mbps, delay: {delay}, {queue}}}"
    head = f"version: 1\nduration: 9 s\nnetwork:\n  links:\n    - {link}\n"
    return f"{head}sources:\n{sources}\n"


def plan(queue: str, *transports: str) -> Plan:
    """The plan of these sources."""
    return make_plan(scenario_from_text(text(queue, *transports)))


def warned(queue: str, *transports: str, delay: str = "10 ms") -> list[str]:
    """What `check` says of ECT(1), marks and queues."""
    scenario = scenario_from_text(text(queue, *transports, delay=delay))
    found = warnings(scenario, make_plan(scenario))
    return [line for line in found if "ECT(1)" in line or "L4S" in line or "no link" in line]


def test_a_source_is_in_the_class_of_its_codepoint() -> None:
    """ECT(1) senders are in the first class, all others in the second."""
    made = plan(DUAL, "{law: prague}", "{law: newreno}", "{law: wtp, codepoint: ect-1}")
    link = made.links[0]
    assert link.scheduler is not None
    assert link.scheduler.names == ["l4s", "classic"]
    assert [source.classes for source in made.sources] == [[0], [1], [0]]
    assert [source.ack_classes for source in made.sources] == [[], [], []]


def test_prague_is_paced_ect_1_in_all_its_packets() -> None:
    """RFC 9331 section 4; without ECN it is nothing of that."""
    (source,) = plan(DUAL, "{law: prague}").sources
    tcp = source.transport
    assert (tcp.codepoint, tcp.ect, tcp.echo, tcp.send) == ("ect-1", "all", "accurate", "paced")
    (source,) = plan(DUAL, "{law: prague, ecn: off}").sources
    assert source.transport.ect == "data"
    (source,) = plan(DUAL, "{law: dctcp}").sources
    assert (source.transport.codepoint, source.transport.ect) == ("ect-0", "data")


def test_keys_have_units_and_the_laws_defaults() -> None:
    """Times become seconds; what is not written is Linux's."""
    made = plan(
        "scheduler: {kind: dualpi2, form: rfc9332, step: 800 us, target: 5 ms}", "{law: prague}"
    )
    scheduler = made.links[0].scheduler
    assert scheduler is not None
    params = scheduler.law.params
    assert (params["form"], params["step_s"], params["target_s"]) == (1, 0.0008, 0.005)
    assert (params["update_s"], params["alpha"], params["coupling"]) == (0.016, 41 / 256, 2)


@pytest.mark.parametrize(
    ("queue", "place", "expected"),
    [
        ("scheduler: {kind: dualpi2, form: docsis}", "scheduler.form", "one of linux, rfc9332"),
        ("scheduler: {kind: dualpi2, step: 1}", "scheduler.step", "such as 1 ms"),
        ("scheduler: {kind: dualpi2, classes: []}", "scheduler.classes", "form"),
        (f"{DUAL}, {RED}", "marking", "none; dualpi2 marks by itself"),
        (f"{DUAL}, not_ect: pass", "not_ect", "drop, because dualpi2 drops"),
    ],
)
def test_a_fault_is_named_with_its_place(queue: str, place: str, expected: str) -> None:
    """One line with file, place, found and expected."""
    with pytest.raises(ScenarioError) as error:
        plan(queue, "{law: prague}")
    assert place in str(error.value)
    assert expected in str(error.value)


def test_check_warns_of_senders_that_do_not_answer_l4s_marks() -> None:
    """Reno on ECT(1) is starved, DCTCP is for data centres; Prague, WTP and CUBIC pass."""
    assert warned(DUAL, "{law: prague}", "{law: wtp, codepoint: ect-1}", "{law: cubic}") == []
    (line,) = warned(DUAL, "{law: newreno, codepoint: ect-1}")
    assert line.startswith("source s0: newreno sends ECT(1), but answers at most one mark")
    (line,) = warned(DUAL, "{law: prague, ecn: rfc3168}")
    assert "Use 'ecn: accurate'" in line
    (line,) = warned(DUAL, "{law: wtp}")
    assert line.startswith("source s0: wtp sends ECT(0), so link link marks it as classic traffic")
    (line,) = warned(DUAL, "{law: dctcp, codepoint: ect-1}")
    assert "round trip of 20.1 ms" in line
    assert warned(DUAL, "{law: dctcp, codepoint: ect-1}", delay="100 us") == []


def test_check_warns_of_l4s_and_classic_flows_in_one_marking_queue() -> None:
    """Not where the queue only drops, and not where nobody is classic."""
    (line,) = warned(RED, "{law: prague}", "{law: cubic}")
    assert line.startswith("link link: s0 (L4S) and s1 (classic) share one marking queue")
    assert warned("not_ect: drop", "{law: prague}", "{law: cubic}") == []
    assert warned(RED, "{law: prague}", "{law: wtp}") == []
    assert warned(RED, "{law: wtp}", "{law: cubic}") == []
    (line,) = warned(RED, "{law: wtp, codepoint: ect-1}", "{law: cubic}")
    assert "s0 (L4S) and s1 (classic)" in line


def test_check_warns_of_what_a_dual_queue_ignores_or_drops() -> None:
    """A source's `class`; packets that cannot be marked, which are classic whatever is written."""
    lines = text(DUAL, "{law: prague, ecn: off}").replace("s0,", "s0, class: gold,")
    scenario = scenario_from_text(lines)
    made = make_plan(scenario)
    assert made.sources[0].classes == [1]
    found = warnings(scenario, made)
    assert any("s0: 'class' has no effect" in line for line in found)
    assert any("s0: its packets are not ECN-capable, so link link drops" in line for line in found)
