# SPDX-License-Identifier: Apache-2.0
"""Prague beside CUBIC at queues of RFC 3168, with and without `fallback`, and at DualPI2."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from ecnomy.markets import run
from ecnomy.markets.scenario import scenario_from_text
from tiers import seeds

SCENARIO = """\
version: 1
duration: 60 s
warmup: 20 s
network:
  links:
    - {name: line, from: a, to: b, rate: 50 Mbps, delay: 10 ms, buffer: 2000 packets, QUEUE}
sources:
  - {name: prague, from: a, to: b, transport: {law: prague, fallback: FALLBACK}}
  - {name: cubic, from: a, to: b, transport: {law: cubic}, spread: 1 s}
"""
CLASSIC = {
    "pie": "marking: {law: pie, mark_p: 1}",
    "codel": "marking: {law: codel}",
    "red": "marking: {law: red, min_threshold: 30 packets, max_threshold: 90 packets}",
}


def share_of_cubic(queue: str, fallback: bool, seed: int) -> float:
    """The goodput of CUBIC over its fair share."""
    text = SCENARIO.replace("QUEUE", queue).replace("FALLBACK", str(fallback).lower())
    with tempfile.TemporaryDirectory() as folder:
        flows = run(scenario_from_text(text, seed=seed), out=Path(folder) / "run").flows
    rates = flows.groupby("source")["goodput_bps"].sum()
    return float(2 * rates["cubic"] / rates.sum())


@pytest.mark.parametrize("seed", seeds(5, fast=1))
@pytest.mark.parametrize("queue", CLASSIC)
def test_cubic_keeps_most_of_its_share_at_a_classic_queue(queue: str, seed: int) -> None:
    """Without the fallback, CUBIC keeps an eighth of its share, with it at least 3/4."""
    without, with_it = (share_of_cubic(CLASSIC[queue], falls, seed) for falls in (False, True))
    print(queue, seed, round(without, 3), round(with_it, 3))
    assert without < 0.25
    assert 0.75 < with_it < 4 / 3


@pytest.mark.parametrize("seed", seeds(5, fast=1))
def test_prague_at_dualpi2_is_the_same(seed: int) -> None:
    """Its queue varies by less than 0.75 ms, so the score stays 0."""
    shares = {share_of_cubic("scheduler: {kind: dualpi2}", falls, seed) for falls in (False, True)}
    assert len(shares) == 1
