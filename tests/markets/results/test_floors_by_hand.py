# SPDX-License-Identifier: Apache-2.0
"""Windows at their floor: time, targets and marks of random reports, against plain sums."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ecnomy.markets import make_plan
from ecnomy.markets.results.floors import Floor, floors
from ecnomy.markets.results.manifest import Measured
from ecnomy.markets.scenario import scenario_from_text

PS = 10**12
TEXT = """\
version: 1
duration: 40 s
network: {links: [{name: wire, from: a, to: b, rate: 4 Mbps}]}
sources:
  - {name: apart, count: 2, from: a, to: b, transport: {law: wtp, weight: 1, send: ack-clocked}}
  - {name: alike, count: 3, rows: together, from: a, to: b,
     transport: {law: wtp, weight: 1, send: ack-clocked}}
  - {name: paced, from: a, to: b, transport: {law: wtp, weight: 1, send: paced}}
  - {name: other, from: a, to: b, transport: {law: newreno}}
"""
ROWS = {"apart": (0, 1), "alike": (2,)}
FLOWS = {"apart": 1, "alike": 3}
T_S = [0, 1, 3, 4, 8, 9, 12, 13]


def table(seed: int, ce: int) -> pd.DataFrame:
    """Eight reports of five rows of flows; `ce` marks at most in each."""
    rng = np.random.Generator(np.random.Philox(seed))
    count = len(T_S) * 5
    per_row = np.tile([1, 1, 3, 1, 1], len(T_S))
    return pd.DataFrame(
        {
            "t_ps": np.repeat(np.array(T_S) * PS, 5),
            "flow": np.tile(np.arange(5), len(T_S)),
            "cwnd": rng.choice([1.0, 1.99, 2.0, 6.0], count) * per_row,
            "weight": rng.choice([0.5, 1.5], count) * per_row,
            "srtt_s": rng.choice([0.0, 0.1, 0.4], count, p=[0.1, 0.5, 0.4]),
            "active": rng.choice([0, 1], count, p=[0.2, 0.8]) * per_row,
            "ce": rng.integers(0, ce, (len(T_S), 5)).cumsum(axis=0).ravel(),
        }
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ce", [8, 150])
def test_floors_are_those_of_a_recount(seed: int, ce: int) -> None:
    """Floors count from the second report of the window on, for flows with a round trip."""
    plan, kept = make_plan(scenario_from_text(TEXT)), table(seed, ce)
    run: Any = SimpleNamespace(
        plan=plan, measured=Measured(PS, 12 * PS), table=lambda _, columns: kept[list(columns)]
    )
    expected = []
    for name, rows in ROWS.items():
        flows, time_s, low_s, requested, taken = FLOWS[name], 0, 0, 0.0, 0
        for row in rows:
            own = kept[kept["flow"] == row].to_dict("records")
            for then, now in zip(own, own[1:], strict=False):
                inside = then["t_ps"] >= PS and now["t_ps"] <= 12 * PS
                if inside and now["active"] and now["srtt_s"]:
                    dt_s = (now["t_ps"] - then["t_ps"]) / PS
                    time_s += dt_s
                    low_s += dt_s * (now["cwnd"] / flows < 2)
                    requested += dt_s * now["weight"] / now["srtt_s"]
                    taken += now["ce"] - then["ce"]
        share, asked_per_s, taken_per_s = (
            low_s / time_s,
            requested / time_s / flows,
            taken / time_s / flows,
        )
        if share > 0.05 and taken_per_s > 1.05 * asked_per_s:
            expected.append(Floor(name, 1.0, share, asked_per_s, taken_per_s))
    notices = floors(run)
    assert [one.source for one in notices] == [one.source for one in expected]
    assert bool(notices) == (ce == 150)
    for one, other in zip(notices, expected, strict=True):
        for key in ("window", "share", "asked_per_s", "taken_per_s", "over"):
            assert math.isclose(getattr(one, key), getattr(other, key), rel_tol=1e-12), key
