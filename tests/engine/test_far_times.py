# SPDX-License-Identifier: Apache-2.0
"""Pauses that reach beyond the end of time, and sums of delays that overflow."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

import plans
from class_plans import line, weights
from drive import run
from ecnomy.agents.errors import EngineError
from ecnomy.markets.bridge.messages import Decide, Report
from ecnomy.markets.plan import Law, Plan

PS = 10**12
LONGEST_MEAN_S = 2e5
BRANCHES = np.array([5.0, 20.0, 80.0, 400.0])  # andreassen2002 2.2.2, experiments T5
PROBABILITIES = np.array([0.44674, 0.3, 0.20855, 0.04471])


def readers(count: int, duration_s: float) -> Plan:
    """Web users who read for days, hyper-exponentially, and then fetch a byte."""
    sizes = dict(size=0, size_mean_bytes=1, size_min_bytes=1, size_max_bytes=1, size_shape=1.2)
    values = dict(reading_mean_s=LONGEST_MEAN_S, reading=1, patience_s=-1, lasting=0) | sizes
    traffic = Law("web", {name: float(value) for name, value in values.items()})
    users = plans.source("users", [0], [1], plans.tcp(plans.RENO), traffic, count=count)
    links = plans.duplex("pipe", 0, 1, 1e9, 0.001)
    return plans.plan(links, [users], duration_s, epoch_s=duration_s)


def test_pauses_beyond_the_end_of_time_are_waited_for() -> None:
    """Hundreds of 2,000 users draw a pause beyond 106 days without overflow; all others fetch.

    The number of files is within five standard deviations of a renewal process's.
    """
    count, duration_s = 2_000, 4e6
    files = run(readers(count, duration_s)).table("transfers")
    per_user = np.bincount(files["flow"], minlength=count)
    draw = np.random.default_rng(1)
    branch = draw.choice(BRANCHES / (BRANCHES @ PROBABILITIES), (count, 400), p=PROBABILITIES)
    ends = np.cumsum(draw.exponential(LONGEST_MEAN_S * branch), axis=1)
    assert (ends[:, -1] > duration_s).all()
    expected = (ends < duration_s).sum(axis=1)
    spread = expected.std() * np.sqrt(2 / count)
    assert abs(per_user.mean() - expected.mean()) < 5 * spread
    assert files["complete"].all() and (files["start_ps"] >= 0).all()


def ends_as_no_number(plan: Plan, what: str) -> None:
    """The run ends with the named error; all sums reported until then are correct."""

    def decide(report: Report) -> Decide:
        delay_sum_ps = report.flows["delay_sum_ps"]
        least = report.flows["delivered"] * plan.links[0].delay_ps
        assert (delay_sum_ps >= least).all() and (least >= 0).all()
        return Decide(report.epoch)

    with pytest.raises(EngineError, match=rf"out-of-range: {what}.delay_sum_ps\[\d+\] is beyond"):
        run(plan, decide)


@pytest.mark.parametrize("rows", ["each", "together"])
@pytest.mark.parametrize("epoch_s", [1.0, 300.0])
def test_a_sum_that_wraps_within_an_epoch_is_not_reported(rows: str, epoch_s: float) -> None:
    """A sum that passes 2^64 ps at 287 s, and then looks valid again, is not reported."""
    rate_bps, delay_s = 16e6, 250.0
    traffic = Law("cbr", {"interval_s": 8000 / rate_bps, "random_phase": 0.0})
    count = 2 if rows == "together" else 1
    source = plans.source("s", [0], [], plans.udp(), traffic, count=count, rows=rows)
    links = [plans.link("moon", 0, 1, rate_bps * count, delay_s)]
    ends_as_no_number(plans.plan(links, [source], 300.0, epoch_s=epoch_s), "flows")


def test_a_call_whose_sum_overflows_is_not_reported() -> None:
    """A call of twenty packets with delays of 10^6 s each has a sum that overflows."""
    law = dict(idle_mean_s=1.0, call_mean_s=LONGEST_MEAN_S, interval_s=1e4, random_phase=0.0)
    law = {name: float(value) for name, value in law.items()}
    user = plans.source("talk", [0], [], plans.udp(200), plans.voip(**law), stop_s=1e6)
    links = [plans.link("moon", 0, 1, 1e6, 1e6)]
    plan = plans.plan(links, [user], 4e6, epoch_s=4e6, calls=True)
    ends_as_no_number(plan, "calls")


def test_waits_of_a_class_whose_sum_overflows_are_not_reported() -> None:
    """The sum of waits of 200 packets that take 1,000 s each, 2 x 10^19 ps, is not reported."""
    burst = Law("cbr", {"interval_s": 1e-3, "random_phase": 0.0})
    of, traffic = weights([{"share": 0.5}]), [(0, 1000, burst, 1)]
    plan = line(of, traffic, duration_s=1e6, rate_bps=8.0, every_s=1e6, buffer=200)
    sources = [msgspec.structs.replace(plan.sources[0], stop_ps=PS)]
    whole = msgspec.structs.replace(plan, sources=sources, epoch_ps=plan.duration_ps)
    ends_as_no_number(whole.sealed(), "classes")
