# SPDX-License-Identifier: Apache-2.0
"""configs/examples/all-or-nothing.yaml: x0 while it is affordable, otherwise only trials."""

from __future__ import annotations

import functools

import pytest

from flow_rates import Rates
from tiers import seeds

SEEDS = seeds(3, fast=1)
VIDEO = (2, 3)  # flows
X0_MBPS, THRESHOLD = 1.0, 0.5
INTERVAL_S, RETRY_S = 5.0, 20.0
CALM, CROWDED, CALM_AGAIN = (20, 80), (100, 180), (180, 320)


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
