# SPDX-License-Identifier: Apache-2.0
"""Decisions after too few marks: the counts, the conditions of the notice, and a run with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ecnomy.agents.strategies.few_marks import SAMPLES, FewMarks
from ecnomy.markets import run
from ecnomy.markets.cli.main import app
from ecnomy.markets.scenario import scenario_from_text

ALL = np.array([True, True])


def advice(marks: list[float], curvature: list[float], decisions: int, judged=ALL) -> str:
    few = FewMarks()
    for _ in range(decisions):
        few.learn(np.array(marks), np.array(curvature), 4.0, np.array(judged))
    return few.advice


def test_the_interval_brings_six_marks_times_r() -> None:
    """For 3 marks in 4 s and R of 0.2 and 0.6, n R is 1.2, so the notice has five times 4 s."""
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
    """There is no notice after few decisions, with enough or hardly any marks, or for R >= 1."""
    assert advice(marks, curvature, decisions, judged) == ""


@pytest.mark.parametrize(
    ("marks", "curvature", "dt_s", "judged", "needs_s"),
    [
        ([3, 3], [0.2, 0.6], 4.0, ALL, 20.0),  # n R is 1.2 in 4 s
        ([12, 12], [0.2, 0.6], 4.0, ALL, 5.0),  # also where n R suffices
        ([3, 3], [0.2, 0.6], 40.0, ALL, 60.0),  # at most
        ([3, 3], [0.0, 0.0], 4.0, ALL, 60.0),
        ([0.1, 0.1], [0.2, 0.6], 4.0, ALL, 0.0),  # marks do not limit rates
        ([3, 3], [1.0, np.inf], 4.0, ALL, 0.0),  # no elastic demand
        ([3, 9], [0.2, 0.6], 4.0, [True, False], 40.0),
        ([3, 9], [0.2, 0.6], 4.0, [False, False], 0.0),
    ],
)
def test_an_adaptive_interval_covers_six_marks_times_r(
    marks: list[float], curvature: list[float], dt_s: float, judged: list[bool], needs_s: float
) -> None:
    """The interval is 6 dt / (n R) of means over flows, from the tenth decision on, up to 60 s."""
    few = FewMarks()
    for decision in range(12):
        few.learn(np.array(marks), np.array(curvature), dt_s, np.array(judged))
        known = pytest.approx(needs_s, rel=1e-12)
        assert few.needs_s == (known if decision >= 9 else 0)


def test_recent_marks_count_most() -> None:
    """After a hundred decisions with many marks, twenty with few decide."""
    few = FewMarks()
    for n in [50.0] * 100 + [2.0] * 20:
        few.learn(np.array([n]), np.array([0.5]), 5.0, np.array([True]))
    kept = 0.9 ** np.arange(120)[::-1]
    mean = float(kept @ np.array([25.0] * 100 + [1.0] * 20)) / kept.sum()
    assert few.needs_s == pytest.approx(30 / mean, rel=1e-12)


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
    - {{name: users, role: price-handler, sources: home{interval},
       strategy: {{kind: elastic-utility, utility: {{kind: log, a: 1 money/s, x0: 320 kbps}}}}}}
seed: 1
"""


def test_users_without_an_interval_buy_their_demand(tmp_path: Path) -> None:
    """Users without an interval buy 80 kbps each. With decisions every 5 s, it is 35 % less."""
    text = SCENARIO.format(duration=600, interval="")
    result = run(scenario_from_text(text, "few.yaml"), out=tmp_path / "run")
    epochs = result.raw.flow_epochs
    late = epochs[epochs.t_ps >= 200 * 10**12].groupby("flow")["acked_bytes"]
    bought_bps = 8 * (late.last() - late.first()).mean() / 400
    assert bought_bps == pytest.approx(80e3, rel=0.1)


CHOOSERS = """
    - {{name: other, role: connectivity-provider, links: second, price_per_mark: 0.4 money}}
    - {{name: users, role: customer, sources: [home, away]{interval}, strategy: {{kind: best-offer,
       elastic: true, utility: {{kind: log, a: 1 money/s, x0: 320 kbps}}}}}}
"""
AWAY = """    - {{name: second, from: c, to: b, rate: 100 Mbps, delay: 10 ms,
       marking: {{law: fixed, probability: 0.05}}}}
sources:
  - {{name: away, count: 20, from: c, to: b, transport: {{law: wtp, mss: 960 bytes}}}}
"""


def choosers() -> str:
    """Return the scenario with the same users and two carriers at one price."""
    head, _, end = SCENARIO.replace("sources:\n", AWAY).partition("    - {{name: users")
    head = head.replace(
        "role: connectivity-provider}}", "role: connectivity-provider, links: link}}"
    )
    return head + CHOOSERS.lstrip("\n") + end[end.index("seed:") :]


def test_users_without_an_interval_who_choose_their_carrier_buy_their_demand(
    tmp_path: Path,
) -> None:
    """Users who choose their carrier buy 80 kbps each, too, and 30 % less with few marks."""
    text = choosers().format(duration=1600, interval="")
    result = run(scenario_from_text(text, "few.yaml"), out=tmp_path / "run")
    epochs = result.raw.flow_epochs
    late = epochs[epochs.t_ps >= 800 * 10**12].groupby("t_ps")["acked_bytes"].sum()
    bought_bps = 8 * (late.iloc[-1] - late.iloc[0]) / 800 / 20
    assert bought_bps == pytest.approx(80e3, rel=0.12)


@pytest.mark.parametrize("customer", [False, True])
@pytest.mark.parametrize(("interval", "warns"), [(2, True), (40, False)])
def test_a_run_says_so_once(interval: int, warns: bool, customer: bool, tmp_path: Path) -> None:
    """A run gives the notice once, if 20 flows receive a mark or two in 2 s each."""
    interval_key = f", decision_interval: {interval} s"
    text = choosers() if customer else SCENARIO
    text = text.format(duration=32 * interval, interval=interval_key)
    file = tmp_path / "few.yaml"
    file.write_text(text)
    done = CliRunner().invoke(app, ["run", str(file), "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    assert ("users decides after" in done.stderr) == warns, done.stderr
