# SPDX-License-Identifier: Apache-2.0
"""The notice of marks lost to halved windows, on scripted reports without an engine."""

from __future__ import annotations

from pathlib import Path

import pytest

import market_world as world
from ecnomy.markets.model.market import Market
from ecnomy.markets.results.losses import losses
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.results.writer import ResultsWriter
from market_world import PS


@pytest.mark.parametrize(("marks_per_s", "noticed"), [(6, True), (3, False)])
def test_a_loss_costs_as_many_marks_as_the_window_before_it(
    tmp_path: Path, marks_per_s: int, noticed: bool
) -> None:
    """A loss every two seconds halves a window of 6, as 6 marks of gain 0.5 would.

    If 6 of 10 marks/s are received, 8 are missing in two seconds, over half of them due to the
    loss. If 3 are received, 14 are missing, and most of them have another cause.
    """
    plan = world.plan([world.source("gold")], duration_ps=8 * PS)
    market = Market(plan, world.shop({"gold": (1_000_000, ("gold",))}, price=100_000))
    writer = ResultsWriter(tmp_path / "run", plan, {"title": "t"})
    writer.engine("fake", "1.0")
    for t in range(9):
        state = {"cwnd": [3.0 if t % 2 else 6.0], "weight": [1.0], "srtt_s": [0.1]}
        counts = {"sent": [60 * t], "lost": [(t + 1) // 2], "ce": [marks_per_s * t]}
        report = world.report(plan, t * PS, t, **state, **counts)
        market.decide(report)
        writer.report(report, market)
    writer.finish(market, {})
    writer.close()
    notices = [
        (one.source, one.asked_per_s, one.taken_per_s) for one in losses(open_raw(tmp_path / "run"))
    ]
    assert notices == ([("gold", 10.0, float(marks_per_s))] if noticed else [])
