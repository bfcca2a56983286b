# SPDX-License-Identifier: Apache-2.0
"""Weights beyond a link's supply of marks: the bound in `check`, and a run that exceeds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.markets import run
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.scenario import load, scenario_from_text

TEXT = """\
version: 1
duration: 30 s
warmup: 10 s
network:
  links:
    - {name: pipe, from: a, to: b, rate: 10 Mbps, delay: 10 ms, buffer: 100 packets, marking: {law: red, min_threshold: 10 packets, max_threshold: 60 packets, max_probability: 1, weight: 0.01}}
sources:
  - {name: light, count: 4, from: a, to: b, transport: {law: wtp, gain: 0.05}}
  - {name: heavy, from: a, to: b, transport: {law: wtp, gain: 0.05, weight: 4}}
"""  # noqa: E501
WEIGHT = "sources.heavy.transport.weight"
# 20 ms of delays and a packet of 1500 bytes on its way at 10 Mbps, and the buffer.
ROOM = 0.0212 * 10e6 / (8 * 1500) + 100


def doubts(*overrides: str) -> list[str]:
    """The warnings of `check` on weights."""
    scenario = scenario_from_text(TEXT, overrides=overrides)
    return [one for one in warnings(scenario, make_plan(scenario)) if "marks per round trip" in one]


def test_the_bound_is_what_round_trip_and_buffer_hold() -> None:
    """Four flows of weight 1 use 4 of the bound, and the rest remains for the heavy one."""
    assert doubts(f"{WEIGHT}={ROOM - 4.01}") == []
    (one,) = doubts(f"{WEIGHT}={ROOM - 3.99}")
    assert f"expected weights of at most {ROOM:.4g} marks in total" in one
    assert doubts(f"{WEIGHT}=5000", "network.links.pipe.buffer=10000 packets") == []
    assert doubts(f"{WEIGHT}=5000", "sources.heavy.transport.cwnd_max=50 packets") == []


def test_it_names_the_file_the_place_and_what_was_found(tmp_path: Path) -> None:
    """One line names the heaviest source."""
    file = tmp_path / "heavy.yaml"
    file.write_text(TEXT.replace("weight: 4", "weight: 5000"))
    scenario = load(file)
    (one,) = [w for w in warnings(scenario, make_plan(scenario)) if "round trip" in w]
    assert one.startswith(f"{file}:9: sources[1].transport.weight: found 5000, but all flows on")
    assert "\n" not in one


def test_the_place_counts_all_sources_of_the_file() -> None:
    """A source without a weight stands first, so the heaviest source is the third."""
    other = "sources:\n  - {name: other, from: a, to: b, transport: {law: reno}}\n"
    scenario = scenario_from_text(TEXT.replace("sources:\n", other), overrides=[f"{WEIGHT}=5000"])
    (one,) = [w for w in warnings(scenario, make_plan(scenario)) if "marks per round trip" in w]
    assert "sources[2].transport.weight: found 5000, but all flows on" in one


def test_the_longest_round_trip_fills_the_pipe() -> None:
    """A second hop of 30 ms and 1 Gbps belongs to the light flows only: 60 ms more."""
    links = "  links:\n    - {name: far, from: b, to: c, rate: 1 Gbps, delay: 30 ms}\n"
    text = TEXT.replace("  links:\n", links).replace("count: 4, from: a, to: b", "from: a, to: c")
    scenario = scenario_from_text(text, overrides=[f"{WEIGHT}=5000"])
    (one,) = [w for w in warnings(scenario, make_plan(scenario)) if "marks per round trip" in w]
    assert f"at most {ROOM + (0.06 + 12e-6) * 10e6 / 12e3:.4g} marks in total" in one


def test_a_law_that_marks_fewer_lowers_the_bound() -> None:
    """If a tenth of the packets are marked, the bound is a tenth as high."""
    fixed = "network.links.pipe.marking={law: fixed, probability: 0.1}"
    (one,) = doubts(fixed, f"{WEIGHT}=20")
    assert f"at most {ROOM / 10:.4g} marks" in one


@pytest.mark.parametrize(("weight", "least", "most"), [(100, 9.3, 10), (5000, 0, 5)])
def test_beyond_the_bound_a_flow_gets_less(
    tmp_path: Path, weight: int, least: float, most: float
) -> None:
    """Within the bound, a flow gets its share of the rate. Beyond it, less than half remains."""
    scenario = scenario_from_text(TEXT, overrides=[f"{WEIGHT}={weight}"])
    flows = run(scenario, seed=1, out=tmp_path / "run").flows
    (rate,) = flows[flows["source"] == "heavy"]["goodput_mbps"]
    assert least < rate < most
    assert bool(doubts(f"{WEIGHT}={weight}")) == (weight > ROOM)
