# SPDX-License-Identifier: Apache-2.0
"""Crowds whose reports would not fit into a frame are refused before an engine is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.scenario import scenario_from_text
from ecnomy.markets.session.runner import run

TEXT = """\
version: 1
duration: 1 s
network: {links: [{name: pipe, from: a, to: b, rate: 10 Mbps}]}
sources:
  - {name: few, from: a, to: b, count: 7, traffic: {kind: cbr, rate: 1 kbps}, transport: {law: udp}}
  - {name: crowd, from: a, to: b, count: COUNT, traffic: {kind: cbr, rate: 1 kbps},
     transport: {law: udp}, rows: ROWS}
"""


def text(count: int, rows: str = "each") -> str:
    """A crowd beside seven flows."""
    return TEXT.replace("COUNT", str(count)).replace("ROWS", rows)


def test_a_million_rows_are_refused_at_their_place(tmp_path: Path) -> None:
    """The message names line, number, limit and remedy; nothing is written."""
    scenario = scenario_from_text(text(1_000_000), "crowd.yaml")
    with pytest.raises(ScenarioError) as caught:
        run(scenario, out=tmp_path / "results")
    assert caught.value.path == "sources[1].count"
    for part in (
        "crowd.yaml:6",
        "1,000,000 flows",
        "at most 349,5",
        "rows: together",
        "67,108,864",
    ):
        assert part in str(caught.value), part
    assert not (tmp_path / "results").exists()


def test_what_is_said_to_fit_fits() -> None:
    """The number in the message is the largest that is accepted."""
    with pytest.raises(ScenarioError) as caught:
        make_plan(scenario_from_text(text(1_000_000)))
    most = int(caught.value.expected.split("at most ")[1].split(" ")[0].replace(",", ""))
    assert make_plan(scenario_from_text(text(most))).row_count == most + 7
    with pytest.raises(ScenarioError, match="one row each"):
        make_plan(scenario_from_text(text(most + 1)))


def test_a_million_flows_in_one_row_are_welcome() -> None:
    """A million flows in one row are accepted, as the message advises."""
    assert make_plan(scenario_from_text(text(1_000_000, "together"))).row_count == 8


def test_two_crowds_too_many() -> None:
    """If there are too many flows even without one crowd, the message is about all of them."""
    both = text(500_000).replace("count: 7", "count: 500000")
    with pytest.raises(ScenarioError, match="in other sources, for at most 349,5.. rows in total"):
        make_plan(scenario_from_text(both))
