# SPDX-License-Identifier: Apache-2.0
"""Decisions after too few marks: what is counted, when it is said, and a market that says it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ecnomy.agents.strategies.few_marks import SAMPLES, FewMarks
from ecnomy.markets.cli.main import app

ALL = np.array([True, True])


def advice(marks: list[float], curvature: list[float], decisions: int, judged=ALL) -> str:
    few = FewMarks()
    for _ in range(decisions):
        few.learn(np.array(marks), np.array(curvature), 4.0, np.array(judged))
    return few.advice


def test_the_interval_brings_six_marks_times_r() -> None:
    """3 marks in 4 s, R 0.2 and 0.6: n R is 1.2, so five times 4 s; elasticity 3 / 1.2."""
    assert advice([3, 3], [0.2, 0.6], SAMPLES // 2) == (
        "decides after 3 marks per flow, too few for a demand of elasticity 2.5, so flows buy "
        "less than their demand; set its decision_interval to about 20 s"
    )


@pytest.mark.parametrize(
    ("marks", "curvature", "decisions", "judged"),
    [
        ([3, 3], [0.2, 0.6], SAMPLES // 2 - 1, ALL),  # not long enough
        ([6, 6], [0.2, 0.6], SAMPLES, ALL),  # n R is 2.4
        ([0, 0.19], [0.2, 0.6], SAMPLES, ALL),  # marks do not limit rates
        ([3, 3], [1.0, np.inf], SAMPLES, ALL),  # no elastic demand
        ([3, 9], [0.2, 0.6], SAMPLES, [False, True]),  # only the second flow counts
    ],
)
def test_nothing_is_said_without_cause(
    marks: list[float], curvature: list[float], decisions: int, judged: list[bool]
) -> None:
    """Few decisions, enough marks, hardly any mark, R of 1 and more, flows that do not count."""
    assert advice(marks, curvature, decisions, judged) == ""


SCENARIO = """
version: 1
duration: {duration} s
network:
  links:
    - {{name: link, from: a, to: b, rate: 100 Mbps, delay: 10 ms,
       marking: {{law: fixed, probability: 0.05}}}}
sources:
  - {{name: home, count: 20, from: a, to: b, transport: {{law: wtp, mss: 960 bytes}}}}
market:
  epoch: 2 s
  price_per_mark: 0.4 money
  agents:
    - {{name: isp, role: connectivity-provider}}
    - {{name: users, role: price-handler, sources: home, decision_interval: {interval} s,
       strategy: {{kind: elastic-utility, utility: {{kind: log, a: 1 money/s, x0: 320 kbps}}}}}}
seed: 1
"""


@pytest.mark.parametrize(("interval", "warns"), [(2, True), (40, False)])
def test_a_run_says_so_once(interval: int, warns: bool, tmp_path: Path) -> None:
    """At 0.8 of the price without demand, 20 flows meet a mark or two in 2 s each."""
    text = SCENARIO.format(duration=32 * interval, interval=interval)
    file = tmp_path / "few.yaml"
    file.write_text(text)
    done = CliRunner().invoke(app, ["run", str(file), "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    assert done.stderr.count("users decides after 1.") == warns, done.stderr
