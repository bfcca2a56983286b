# SPDX-License-Identifier: Apache-2.0
"""REM, PI, adaptive virtual queue and threshold, projections: from YAML to the Plan, and back."""

from __future__ import annotations

import json

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.inputs.reading import write
from ecnomy.markets.plan.laws import law
from ecnomy.markets.scenario import Scenario, scenario_from_text


def scenario(marking: str, buffer: str = "150 kB") -> Scenario:
    """One link with this law."""
    return scenario_from_text(
        "version: 1\nduration: 10 s\nnetwork:\n  links:\n"
        f"    - {{name: l, from: a, to: b, rate: 8 Mbps, buffer: {buffer},\n"
        f"       marking: {{{marking}}}}}\n"
        "sources: [{name: s, from: a, to: b, transport: {law: reno}}]\n"
    )


CASES = [
    ("law: rem", "rem", {}),
    ("law: rem, price: pc1", "rem", {"price": "pc1", "capacity_share": 0.85}),
    (
        "law: rem, price: pc2, capacity_share: 0.5, interval: 1 ms, target_backlog: 20 packets",
        "rem",
        dict(price="pc2", capacity_share=0.5, interval_s=0.001, target_backlog_packets=20),
    ),
    (
        "law: rem, phi: 1.4, gamma: 0.01, alpha: 1, input_weight: 1, backlog_weight: 0.5, "
        "mark_at: arrival, unit: packets, mean_packet: 500 bytes",
        "rem",
        dict(phi=1.4, gamma=0.01, alpha=1, input_weight=1, backlog_weight=0.5, mark_at="arrival",
             unit="packets", mean_packet_bytes=500),
    ),
    (
        "law: pi, reference: 100 kB, a: 1.643e-4, b: 1.628e-4, mean_packet: 500 bytes",
        "pi",
        dict(unit="bytes", reference=100_000, a=1.643e-4, b=1.628e-4, mean_packet_bytes=500),
    ),
    (
        "law: pi, reference: 200 packets, a: 2e-5, b: 1e-5, interval: 10 ms",
        "pi",
        dict(reference=200, a=2e-5, b=1e-5, interval_s=0.01),
    ),
    ("law: adaptive-virtual-queue", "adaptive-virtual-queue", {"buffer_packets": 150}),
    (
        "law: adaptive-virtual-queue, utilization: 0.9, alpha: 1, buffer: 30 packets",
        "adaptive-virtual-queue",
        dict(utilization=0.9, alpha=1, buffer_packets=30),
    ),
    (
        "law: adaptive-threshold, utilization: 0.9, alpha: 1, mean_packet: 500 bytes",
        "adaptive-threshold",
        dict(utilization=0.9, alpha=1, buffer_packets=300, mean_packet_bytes=500),
    ),
    ("law: codel, target: 2 ms", "codel", dict(target_s=0.002, interval_s=0.1)),
    ("law: pie, update: 30 ms", "pie", dict(target_s=0.015, update_s=0.03, mark_p=0.1)),
    ("law: blue, limit: 20 packets", "blue", dict(freeze_s=0.1, limit_packets=20)),
    (
        "law: choke, min_threshold: 5 packets, max_threshold: 9 packets",
        "choke",
        dict(min_threshold=5, max_threshold=9, max_probability=0.1, weight=0.002),
    ),
    ("law: sfb, bin: 9 packets", "sfb", dict(levels=8, bins=16, bin_packets=9, rehash_s=600)),
    (
        "law: sred, memory: 50, mean_packet: 500 bytes",
        "sred",
        dict(max_probability=0.15, flows=256, memory=50, favours_small=1, buffer_packets=300,
             mean_packet_bytes=500),
    ),  # fmt: skip
    (
        "law: self-configuring-red, min_threshold: 2 kB, max_threshold: 9 kB",
        "self-configuring-red",
        dict(unit=1, min_threshold=2000, max_threshold=9000, decrease=3, increase=2),
    ),
    (
        "law: flow-projection, mean_packet: 500 bytes",
        "flow-projection",
        dict(buffer_packets=300, mean_packet_bytes=500),
    ),
    (
        "law: flow-projection, buffer: 80 packets, gap_divisor: 20, rtt_memory: 0.8, "
        "forget_rtts: 2, estimator: screened",
        "flow-projection",
        dict(buffer_packets=80, gap_divisor=20, rtt_memory=0.8, forget_rtts=2,
             estimator="screened"),
    ),
    ("law: flow-projection-heuristic", "flow-projection-heuristic", {"buffer_packets": 150}),
    (
        "law: flow-projection-heuristic, interval: 100 ms, least: 200 kbit, filter: parallel, "
        "stages: 2, buckets: 64",
        "flow-projection-heuristic",
        dict(buffer_packets=150, interval_s=0.1, least_bytes=25_000, filter="parallel", stages=2,
             buckets=64),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name", "values"), CASES)
def test_a_law_reaches_the_plan(text: str, name: str, values: dict[str, float | str]) -> None:
    """Given values have the law's units, others their defaults. The text reads back the same."""
    written = scenario(text)
    assert make_plan(written).links[0].marking == law("marking", name, values)
    again = scenario_from_text(json.dumps(write(written.document)))
    assert again.document == written.document


@pytest.mark.parametrize(
    ("text", "path", "fault"),
    [
        ("law: rem, phi: 1", "phi", "expected a number from 1"),
        ("law: rem, price: pc4", "price", "expected 'pc3', or one of pc1, pc2"),
        ("law: rem, interval: 1 packet", "interval", "expected a time"),
        ("law: pi, a: 1e-4, b: 1e-4", "reference", "no 'reference'"),
        ("law: pi, reference: 9 packets, b: 1e-4", "a", "no 'a'"),
        ("law: pi, reference: 9 packets, a: 1e-4, b: 2e-4", "a", "expected at least b, 0.0002"),
        ("law: flow-projection, estimator: best", "estimator", "one of rounds, screened"),
        ("law: flow-projection, stages: 3", "stages", "unknown key 'stages'"),
        ("law: flow-projection-heuristic, stages: 2.5", "stages", "a whole number from 1 to 16"),
        ("law: flow-projection-heuristic, least: 3 packets", "least", "expected a size"),
        ("law: adaptive-virtual-queue, utilization: 1.1", "utilization", "from 1e-06 to 1"),
    ],
)
def test_a_fault_is_named(text: str, path: str, fault: str) -> None:
    """The message gives the line, the path, and what was expected."""
    with pytest.raises(ScenarioError) as error:
        scenario(text)
    message = str(error.value)
    assert f"network.links[0].marking.{path}" in message and fault in message
    assert error.value.line == 6


@pytest.mark.parametrize(
    "name", ["adaptive-virtual-queue", "flow-projection", "flow-projection-heuristic"]
)
def test_an_unlimited_buffer_cannot_be_copied(name: str) -> None:
    """A law that copies the link's buffer needs a limited one."""
    with pytest.raises(ScenarioError, match="the link's buffer is unlimited"):
        scenario(f"law: {name}", buffer="unlimited")
