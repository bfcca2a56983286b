# SPDX-License-Identifier: Apache-2.0
"""The settling time of windows that `check` estimates, against simulated windows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from drive import run
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.compile.slow_windows import settlings
from ecnomy.markets.scenario import scenario_from_text

TEXT = """\
version: 1
duration: 60 s
network:
  links:
    - {name: pipe, from: a, to: b, rate: 1 Gbps, delay: 50 ms,
       marking: {law: fixed, probability: 0.02}}
sources:
  - {name: s, from: a, to: b, count: 40, spread: 0.1 s, transport: LAW}
"""
LAWS = {
    "proportional": "{law: wtp, gain: 0.2, weight: 1, mss: 960 bytes}",
    "inverse": "{law: wtp, gain: 0.4, weight: 2, form: inverse-decrease, mss: 960 bytes}",
}


@pytest.mark.parametrize("name", LAWS)
def test_windows_come_to_rest_as_reckoned(name: str) -> None:
    """From one packet on, W(t) is W (1 - exp(-t / time)), after one time constant and two."""
    scenario = scenario_from_text(TEXT.replace("LAW", LAWS[name]))
    plan = make_plan(scenario)
    (settling,) = settlings(scenario, plan)
    assert settling.time_s == pytest.approx(25.0, rel=0.01)
    outcome = run(plan)
    for times in (1, 2):
        report = outcome.at(times * 25.0)
        expected = settling.window - (settling.window - 1) * math.exp(-times)
        assert np.mean(report.flows["cwnd"]) == pytest.approx(expected, rel=0.08), times
