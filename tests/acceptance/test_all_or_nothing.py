# SPDX-License-Identifier: Apache-2.0
"""configs/examples/all-or-nothing.yaml: x0 while it is affordable, otherwise only trials."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import pytest

from ecnomy.markets import run
from ecnomy.markets.scenario import scenario_from_text
from flow_rates import Rates
from tiers import seeds

SEEDS = seeds(3, fast=1)
VIDEO = (2, 3)  # flows
X0_MBPS, THRESHOLD = 1.0, 0.5
INTERVAL_S, RETRY_S = 5.0, 20.0
CALM, CROWDED, CALM_AGAIN = (20, 80), (120, 180), (180, 320)  # the crowd comes at 80 s


@functools.cache
def made(seed: int) -> Rates:
    return Rates("all-or-nothing.yaml", seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_x0_while_affordable(seed: int) -> None:
    """While x0 is affordable, the flow is on and within 5 % of x0 in every 10 s."""
    for flow in VIDEO:
        assert made(seed).on(flow, *CALM) == [CALM]
    for t in range(*CALM, 10):
        assert made(seed).mbps("video", t, t + 10) == pytest.approx([X0_MBPS] * 2, rel=0.05)


@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_nothing_while_it_is_not(seed: int) -> None:
    """In the crowd the flow is on only for trials of two decisions, and else sends nothing."""
    sent = made(seed).grown("video", "sent")
    for flow in VIDEO:
        spans = made(seed).on(flow, *CROWDED)
        assert all(b - a <= 2 * INTERVAL_S + 1 for a, b in spans)
        assert sum(b - a for a, b in spans) <= 0.5 * (CROWDED[1] - CROWDED[0])
        begins, ends = [CROWDED[0], *(b for _, b in spans)], [*(a for a, _ in spans), CROWDED[1]]
        for first, last in zip(begins, ends, strict=True):
            if last > first:
                assert sent.loc[last, flow] == sent.loc[first, flow]
    assert (made(seed).charge("video", *CROWDED) < THRESHOLD).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_it_comes_back(seed: int) -> None:
    """The flow returns within the longest wait after failures, and stays at x0 to the end."""
    for row, flow in enumerate(VIDEO):
        spans = made(seed).on(flow, *CALM_AGAIN)
        assert spans[-1][1] == CALM_AGAIN[1] and spans[-1][0] < CALM_AGAIN[0] + 1.5 * 4 * RETRY_S
        last_s = (spans[-1][0] + 2 * INTERVAL_S, CALM_AGAIN[1])
        assert made(seed).mbps("video", *last_s)[row] == pytest.approx(X0_MBPS, rel=0.05)


# x0 is 125 packets/s. At a load of 0.6 + p / 0.5 = 0.87, nine users get 0.97 x0 for 0.16 money/s.
NINE = """\
version: 1
duration: 900 s
warmup: 300 s
network:
  links:
    - {name: line, from: a, to: b, rate: 10 Mbps, delay: 10 ms, buffer: 2000 packets,
       marking: {law: load-based, threshold: 0.6, slope: 0.5, interval: 100 ms}}
sources:
  - {name: s, count: 12, from: a, to: b, transport: {law: wtp, gain: 0.1, mss: 960 bytes}}
market:
  price_per_mark: 0.01 money
  agents:
    - {name: isp, role: connectivity-provider}
    - {name: users, role: price-handler, sources: s,
       strategy: {kind: all-or-nothing, rate: 1 Mbps, threshold: 0.16 money/s}}
"""


@pytest.mark.parametrize("seed", SEEDS)
def test_a_newcomer_does_not_drive_all_others_away(seed: int) -> None:
    """Twelve users with room for nine at 0.97 x0, above `satisfied`: about nine are on.

    All decide at the same report. When all left for one newcomer, 7.5 were on, and as few as two.
    """
    with tempfile.TemporaryDirectory() as folder:
        result = run(scenario_from_text(NINE, seed=seed), out=Path(folder) / "run")
        on = result.timeseries("active", by="source")["s"].loc[300:]
    print(seed, round(float(on.mean()), 2), on.min())
    assert on.mean() == pytest.approx(9, abs=0.3)
    assert on.min() >= 6
