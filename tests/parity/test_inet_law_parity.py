# SPDX-License-Identifier: Apache-2.0
"""The calls of the OMNeT++ modules to the laws, repeated, have the same answers."""

from __future__ import annotations

import os
from pathlib import Path
from unittest import mock

import pytest

import drive_omnet
from law_api import load_module
from law_build import build_module
from law_replay import replay
from parity_plans import DEPARTURES, MARKING, TIMERS, WINDOWS, crowded, decisions

pytestmark = pytest.mark.skipif(bool(drive_omnet.missing()), reason=drive_omnet.missing())


@pytest.mark.parametrize("marking", ["red", "load-based", "threshold-departing", "rem", "choke"])
def test_inet_calls_replay(marking: str, tmp_path: Path) -> None:
    """Every call of every law of a run on INET has the same outcome when repeated."""
    plan = crowded(marking)
    with mock.patch.dict(os.environ, {"ECNOMY_LAW_LOG": str(tmp_path / "log")}):
        drive_omnet.run(plan, decisions(plan))
    with (tmp_path / "log").open() as lines:
        replayed = replay(load_module(build_module()), lines)
    assert replayed.differing == []
    law = MARKING[marking].law
    for window in WINDOWS:
        assert replayed.calls[window, "ack"] > 0, window
    assert replayed.calls["wtp", "weight"] > 0
    assert replayed.calls[law, "arrival"] > 1000
    assert (replayed.calls[law, "departure"] > 0) == (marking in DEPARTURES)
    assert (replayed.calls[law, "timer"] > 0) == (law in TIMERS)
