# SPDX-License-Identifier: Apache-2.0
"""`probe-threshold` on packets: each call against the probes of the previous ten seconds.

Kelly's finding (reported in Andreassen 2002, 1.2) is also tested: if other traffic grows,
calls are blocked.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd
import pytest

from ecnomy.markets import load, run

EXAMPLE = Path(__file__).parents[2] / "configs" / "examples" / "probe-admission.yaml"
PS = 10**12
RUSH = (120, 180)
SHORT = (
    "duration=240 s", "warmup=20 s", "sources.callers.traffic.idle=60 s",
    "sources.callers.traffic.call=20 s", "sources.rush.start=120 s", "sources.rush.stop=180 s",
)  # fmt: skip
THRESHOLD, WINDOW_S = 0.05, 10
STREAMS = ("test-10", "test-20", "test-30", "probe")


def simulated(*overrides: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Calls, and for each report the probes delivered, marked and lost so far."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = load(EXAMPLE, overrides=[*SHORT, *overrides])
        result = run(scenario, seed=3, out=Path(folder) / "run")
        calls, epochs, flows = result.calls, result.flow_epochs, result.raw.flows
    probes = flows[flows["source"].isin(STREAMS)]["flow"]
    of = epochs[epochs["flow"].isin(probes)]
    return calls, of.groupby("t_ps")[["delivered", "ce", "lost"]].sum()


@pytest.fixture(scope="module")
def probed() -> tuple[pd.DataFrame, pd.DataFrame]:
    return simulated()


def test_every_call_is_answered_by_its_probes(probed: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    """A call is admitted if no probe of the last 10 s is lost, and at most 5 % are marked."""
    calls, probes = probed
    answers = {0: 0, 1: 0}
    for start_ps, accepted in zip(calls["start_ps"], calls["accepted"], strict=True):
        report = start_ps // PS  # answered from the last report
        if start_ps % PS == 0:
            continue
        answers[int(accepted)] += 1
        if report < WINDOW_S:
            assert not accepted
            continue
        delivered, marked, lost = (
            probes.loc[report * PS] - probes.loc[(report - WINDOW_S) * PS]
        ).tolist()
        assert bool(accepted) == (lost == 0 and marked <= THRESHOLD * delivered)
    assert min(answers.values()) > 100


def test_calls_give_way_to_a_rush_of_others(probed: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    """A larger share is blocked while forty more users surf: Kelly's finding."""
    calls, _ = probed
    start_s = calls["start_ps"] / PS
    within = (start_s > RUSH[0] + WINDOW_S) & (start_s < RUSH[1])
    before = (start_s > 2 * WINDOW_S) & (start_s < RUSH[0])
    blocked = 1 - calls["accepted"]
    print(f"blocked {blocked[before].mean():.3f} before, {blocked[within].mean():.3f} in the rush")
    assert blocked[within].mean() > blocked[before].mean() + 0.2
