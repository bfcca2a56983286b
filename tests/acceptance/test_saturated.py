# SPDX-License-Identifier: Apache-2.0
"""Queues that more than double the round trip: sources get fewer marks than they pay for.

The marks that they get follow from the round trips: a window aims at the marks of two smallest
round trips in each longer one.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from ecnomy.analysis.run_report.page import write_run_page
from ecnomy.markets import run
from ecnomy.markets.cli.main import app
from ecnomy.markets.results.flow_targets import _in_force
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.saturated import saturated
from ecnomy.markets.scenario import Scenario, scenario_from_text

LEAST_S = 2 * 2e-3 + 8 * 40 / 40e6  # there and back, and the transmission of a SYN
TEXT = """\
version: 1
duration: 40 s
warmup: 10 s
network:
  links:
    - {{name: wire, from: a, to: b, rate: 40 Mbps, delay: 2 ms, buffer: 2000 packets,
       marking: {{law: red, min_threshold: 1 packets, max_threshold: {queue} packets,
                 max_probability: 1, weight: 0.02}}}}
sources:
  - {{name: gold, from: a, to: b, count: 3, rows: {rows},
     transport: {{law: wtp, send: {send}, mss: 960 bytes}}}}
market:
  epoch: 1 s
  price_per_mark: 0.01 money
  agents:
    - {{name: isp, role: connectivity-provider}}
    - name: shop
      role: application-provider
      classes: {{gold: {{fee: 2 money/s, sources: gold}}}}
"""


def scenario(queue: int, send: str = "ack-clocked", rows: str = "each") -> Scenario:
    """Three flows with a target of 200 marks/s each; a long queue marks all packets."""
    return scenario_from_text(TEXT.format(queue=queue, send=send, rows=rows))


@pytest.fixture(scope="module")
def long_queues(tmp_path_factory: pytest.TempPathFactory) -> RawRun:
    """A run with eighty waiting packets: 16 ms in addition to a round trip of 4 ms."""
    return run(scenario(800), out=tmp_path_factory.mktemp("long") / "r").raw


def test_the_marks_that_are_not_taken(long_queues: RawRun) -> None:
    """The share of time, and the part of the marks, follow from the round trips."""
    table = long_queues.flow_epochs
    rtt_s = table[table.t_ps > long_queues.measured.from_ps].srtt_s.to_numpy()
    (gold,) = saturated(long_queues)
    assert gold.asked_per_s == pytest.approx(200, rel=1e-9)
    assert gold.share == pytest.approx((rtt_s > 2 * LEAST_S).mean(), abs=0.03)
    part = np.minimum(2 * LEAST_S / rtt_s, 1).mean()
    assert gold.aimed_per_s == pytest.approx(200 * part, rel=0.02)
    assert gold.taken_per_s == pytest.approx(200 * part, rel=0.05)


def test_a_row_of_flows_has_the_figures_of_one(long_queues: RawRun, tmp_path: Path) -> None:
    """With `rows: together` a report has sums of the same packets; figures stay per flow."""
    together = scenario(800, rows="together")
    (alone,), (row,) = saturated(long_queues), saturated(run(together, out=tmp_path / "r").raw)
    assert row.asked_per_s == pytest.approx(200, rel=1e-9)
    for name in ("share", "aimed_per_s", "taken_per_s"):
        assert getattr(row, name) == pytest.approx(getattr(alone, name), rel=1e-3), name


def test_nothing_is_said_of_short_queues(tmp_path: Path) -> None:
    """There is no notice for short queues: ten waiting packets are only 2 ms."""
    assert saturated(run(scenario(80), out=tmp_path / "r").raw) == []


def test_show_report_and_json_say_so(long_queues: RawRun, tmp_path: Path) -> None:
    """The page and the summary name the source, and the JSON contains its figures."""
    words, page = "queueing more than doubled its round trip", tmp_path / "page.html"
    write_run_page(long_queues.path, page, [])
    assert words in page.read_text()
    shown = CliRunner().invoke(app, ["show", str(long_queues.path), "--no-plot"])
    assert words in " ".join(shown.output.split())
    shown = CliRunner().invoke(app, ["show", str(long_queues.path), "--json"])
    (gold,) = json.loads(shown.output)["saturated"]
    assert gold["source"] == "gold" and gold["share"] > 0.5


def test_a_decision_counts_from_the_report_at_its_time() -> None:
    """Flow 0 wants 1 mark/s from 0 s and 2 from 10 s; flow 1 wants 3 from 15 s, none before."""
    reports = SimpleNamespace(t_ps=np.array([0, 10, 20, 30]), rows=[0, 1])
    decided = pd.DataFrame({"t_ps": [0, 10, 15], "flow": [0, 0, 1], "value": [1.0, 2.0, 3.0]})
    targets = _in_force(decided, reports)  # type: ignore[arg-type]
    assert targets.tolist() == [[1, -1], [2, -1], [2, 3]]
