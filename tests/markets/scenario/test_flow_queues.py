# SPDX-License-Identifier: Apache-2.0
"""`scheduler: {kind: fq-codel}` in scenarios: its keys, its class, and what `check` says."""

from __future__ import annotations

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.compile.summary import summary
from ecnomy.markets.plan import Law
from one_queue import plan, scenario


def test_the_keys_are_the_parameters_of_the_law() -> None:
    """The keys have Linux's defaults, and all packets are in one class."""
    made = plan("scheduler: {kind: fq-codel}").links[0].scheduler
    assert made is not None
    linux = {"target_s": 0.005, "interval_s": 0.1, "quantum_bytes": 1514, "queues": 1024}
    assert made.law == Law("fq-codel", linux | {"ce_threshold_s": 0, "ce_packets": 0})
    assert (made.classes, made.names) == ([Law("flow-class", {})], ["flows"])
    written = (
        "{kind: fq-codel, target: 2 ms, interval: 20 ms, quantum: 300 bytes, queues: 64, "
        "ce_threshold: 1 ms, ce_packets: all}"
    )
    own = plan(f"scheduler: {written}")
    assert own.links[0].scheduler is not None
    values = own.links[0].scheduler.law.params
    assert list(values.values()) == [0.002, 0.02, 300, 64, 0.001, 1]
    assert [source.classes for source in own.sources] == [[0]]


def test_check_says_how_the_link_sorts() -> None:
    """The link sorts by flow, L4S needs no dual queue, and a source's class has no effect."""
    document = scenario("scheduler: {kind: fq-codel}", "transport: {law: prague}, class: 1")
    assert "  by flow: link" in summary(document, make_plan(document))
    said = warnings(document, make_plan(document))
    assert [line for line in said if "L4S" in line or "ECT(1)" in line] == []
    assert any(line.startswith("s: 'class' has no effect") for line in said)


@pytest.mark.parametrize(
    ("queue", "place", "expected"),
    [
        ("scheduler: {kind: fq-codel, queues: 0}", "scheduler.queues", "from 1 to 65536"),
        ("scheduler: {kind: fq-codel, flows: 9}", "scheduler.flows", "target"),
        ("scheduler: {kind: fq-codel}, not_ect: pass", "not_ect", "drop, because fq-codel drops"),
        (
            "scheduler: {kind: fq-codel}, marking: {law: codel}",
            "marking",
            "no marking law, because fq-codel marks by itself",
        ),
    ],
)
def test_a_fault_is_named_with_its_place(queue: str, place: str, expected: str) -> None:
    """A fault gives one line with file, place, and the values found and expected."""
    with pytest.raises(ScenarioError) as error:
        plan(queue)
    assert place in str(error.value) and expected in str(error.value)
