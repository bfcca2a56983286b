# SPDX-License-Identifier: Apache-2.0
"""A small results folder, written without an engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import market_world as world
from ecnomy.markets.bridge.messages import Record
from ecnomy.markets.model.market import Market
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.writer import ResultsWriter
from market_world import PS

CLASSES: dict[str, tuple[int, tuple[str, ...]]] = {"gold": (4_000_000, ("gold",))}


def scene() -> Plan:
    """A gold and a web flow for 4 s, the first of them warm-up."""
    sources = [world.source("gold"), world.source("web")]
    return world.plan(sources, duration_ps=4 * PS, warmup_ps=PS, series=["cwnd"])


def write(folder: Path, *, until: int = 4, reason: str | None = None, force: bool = False) -> Path:
    """A run whose flows deliver 100 and 50 packets a second, 10 of the first's marked."""
    plan = scene()
    market = Market(plan, world.shop(CLASSES))
    writer = ResultsWriter(folder, plan, {"title": "t"}, force=force)
    writer.engine("fake", "1.0")
    for t in range(until + 1):
        report = world.report(
            plan,
            t * PS,
            t,
            delivered=[100 * t, 50 * t],
            acked_bytes=[100_000 * t, 50_000 * t],
            ce=[10 * t, 0],
            ce_bytes=[10_000 * t, 0],
            delay_sum_ps=[100 * t * PS // 50, 0],
            cwnd_integral=[5.0 * t, 0],
            cwnd=[7.0, 1.0],
            link_departures=[150 * t],
            link_departed_bytes=[150_000 * t],
            link_arrivals=[160 * t],
            link_marks=[16 * t],
            link_queue_integral=[3.0 * t],
            link_queue_max=[9],
        )
        market.decide(report)
        writer.report(report, market)
        ints = {
            name: np.array([t * PS if name == "t_ps" else 0])
            for name in ("t_ps", "name", "subject")
        }
        writer.record(Record("series", {**ints, "value": np.array([0.5 * t])}))
    writer.finish(market, {"host": "here"}, reason=reason)
    writer.close()
    return folder
