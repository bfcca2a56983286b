# SPDX-License-Identifier: Apache-2.0
"""ACK-clocked WTP at its floor of one packet: its time at the floor, its surplus of marks.

Eq. 4 of siris2002 runs packet by packet in plain numpy, beside the engine and its tables.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ecnomy.analysis.run_report.page import write_run_page
from ecnomy.markets import run
from ecnomy.markets.cli.main import app
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.results.floors import floors
from ecnomy.markets.scenario import Scenario, scenario_from_text

GAIN, WEIGHT = 0.5, 0.16  # marks per round trip: 4 marks/s at 40 ms
PROBABILITY = 0.19
TEXT = """\
version: 1
duration: 120 s
warmup: 20 s
network:
  links:
    - {{name: wire, from: a, to: b, rate: 100 Mbps, delay: 20 ms,
       marking: {{law: fixed, probability: {p}}}}}
sources:
  - {{name: low, from: a, to: b, count: 6,
     transport: {{law: wtp, gain: {gain}, weight: {w}, send: {send}, mss: 960 bytes}}}}
market:
  epoch: 1 s
  price_per_mark: 0.1 money
  agents: [{{name: isp, role: connectivity-provider}}]
"""


def scenario(send: str = "ack-clocked", w: float = WEIGHT) -> Scenario:
    """Six flows on a link that marks at random."""
    return scenario_from_text(TEXT.format(p=PROBABILITY, gain=GAIN, w=w, send=send))


def stepped(packets: int = 200_000) -> tuple[float, float]:
    """Share of time with one packet in flight, and marks per round trip, by Eq. 4 per packet.

    The integer part of the window is in flight, an ACK comes after its part of a round trip.
    """
    marked = np.random.default_rng(1).random(packets) < PROBABILITY
    cwnd, low, time = 1.0, 0.0, 0.0
    for hit in marked.tolist():
        cwnd = max(1.0, cwnd + GAIN * (WEIGHT / cwnd - hit))
        time += 1 / int(cwnd)
        low += (int(cwnd) == 1) / int(cwnd)
    return low / time, float(marked.sum()) / time


def test_share_of_time_and_marks_taken_too_much(tmp_path: Path) -> None:
    """Share and marks agree with the steps, and `check` predicted the approximate surplus."""
    result = run(scenario(), out=tmp_path / "r")
    (floor,) = floors(result.raw)
    share, marks = stepped()
    assert floor.source == "low" and floor.window == 1
    assert floor.share == pytest.approx(share, abs=0.04)  # 600 samples
    assert 0.95 < share < 0.99
    assert floor.over == pytest.approx(marks / WEIGHT, rel=0.03)
    (line,) = (w for w in warnings(scenario(), make_plan(scenario())) if "in flight" in w)
    assert "source low" in line and f"about {PROBABILITY / WEIGHT:.3g} times" in line


@pytest.mark.parametrize(("send", "w"), [("paced", WEIGHT), ("ack-clocked", 2.0)])
def test_nothing_is_said_where_windows_hold(send: str, w: float, tmp_path: Path) -> None:
    """There is no warning for paced flows, or for windows of ten packets."""
    assert floors(run(scenario(send, w), out=tmp_path / "r").raw) == []
    plan = make_plan(scenario(send, w))
    assert not any("in flight" in line for line in warnings(scenario(send, w), plan))


def test_flows_in_one_row_have_one_floor_each(tmp_path: Path) -> None:
    """With `rows: together` a report has the sum of windows, and the floor is their sum."""
    text = TEXT.format(p=PROBABILITY, gain=GAIN, w=WEIGHT, send="ack-clocked")
    together = text.replace("count: 6,", "count: 6, rows: together,")
    alone, sums = (
        floors(run(scenario_from_text(case), out=tmp_path / name).raw)[0]
        for name, case in (("each", text), ("together", together))
    )
    assert sums.asked_per_s == pytest.approx(alone.asked_per_s, rel=0.02)
    assert sums.taken_per_s == pytest.approx(alone.taken_per_s, rel=0.03)
    assert sums.window == alone.window and sums.share == pytest.approx(alone.share, abs=0.05)


def test_show_report_and_json_say_so(tmp_path: Path) -> None:
    """The page and the summary name the source, and the JSON contains its figures."""
    run(scenario(), out=tmp_path / "r")
    words = "low: its windows were at the floor"
    page = tmp_path / "page.html"
    write_run_page(tmp_path / "r", page, [])
    assert words in page.read_text()
    shown = CliRunner().invoke(app, ["show", str(tmp_path / "r"), "--no-plot"])
    assert words in " ".join(shown.output.split())
    shown = CliRunner().invoke(app, ["show", str(tmp_path / "r"), "--json"])
    (floor,) = json.loads(shown.output)["floors"]
    assert floor["source"] == "low" and floor["share"] > 0.05
