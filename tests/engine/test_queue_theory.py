# SPDX-License-Identifier: Apache-2.0
"""A link against queueing theory: Poisson arrivals, constant service (Pollaczek-Khinchine)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import plans
from drive import run
from ecnomy.markets.plan import Law
from tiers import in_full, seeds

SERVICE_S = 0.001
PACKETS = 10**6
SEEDS = range(len(seeds(10)))


def mean_wait(load: float, seed: int) -> float:
    """Mean wait in seconds, service excluded, by Little's law over a run of PACKETS."""
    gap_s = SERVICE_S / load
    links = [plans.link("l", 0, 1, 8000 / SERVICE_S, 0.0)]
    traffic = Law("poisson", {"mean_interval_s": gap_s})
    flow = plans.source("p", [0], [], plans.udp(1000), traffic)
    outcome = run(plans.plan(links, [flow], PACKETS * gap_s, epoch_s=500, seed=seed))
    link = outcome.reports[-1].links
    return float(link["queue_integral"][0] / link["departures"][0])


@pytest.mark.parametrize("load", [0.5, 0.8, 0.9])
def test_md1_mean_wait(load: float) -> None:
    """The mean wait is within 3 % of the M/D/1 formula, in full depth with its 99 % interval."""
    theory = load * SERVICE_S / (2 * (1 - load))
    ratio = np.array([mean_wait(load, seed) for seed in SEEDS]) / theory
    half = stats.t.ppf(0.995, len(ratio) - 1) * stats.sem(ratio) if in_full() else 0.0
    assert 0.97 < ratio.mean() - half and ratio.mean() + half < 1.03, (ratio.mean(), half)


def test_utilisation_is_the_offered_load() -> None:
    """Busy time and transmitted bytes both give the offered load of a constant-rate source."""
    links = [plans.link("l", 0, 1, 8e6, 0.005)]
    traffic = Law("cbr", {"interval_s": 0.002, "random_phase": 1.0})
    outcome = run(plans.plan(links, [plans.source("c", [0], [], plans.udp(1000), traffic)], 100))
    over = outcome.over(10, 90, "links")
    assert over["busy_ps"][0] == 40 * plans.PS
    assert over["departed_bytes"][0] == 40_000_000
    assert outcome.reports[-1].links["queue_max"][0] == 0
