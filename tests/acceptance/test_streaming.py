# SPDX-License-Identifier: Apache-2.0
"""configs/examples/streaming.yaml: `average-rate` keeps its mean, unlike a mere cap."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from flow_rates import Rates
from tiers import seeds

SEEDS = seeds(3, fast=1)
X0_MBPS, THRESHOLD, OVER_S = 1.0, 0.5, 5.0
BURSTS, CROWD = (20, 120), (130, 200)


@functools.cache
def made(seed: int) -> Rates:
    return Rates("streaming.yaml", seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_mean_is_held_through_bursts(seed: int) -> None:
    """The mean is within 4 % of x0 over 100 s (D's bound allows 5 %), unlike with a mere cap."""
    stream, steady = made(seed).mbps("stream", *BURSTS), made(seed).mbps("steady", *BURSTS)
    assert stream == pytest.approx([X0_MBPS] * 2, rel=0.04)
    assert steady.max() < stream.min() and steady.mean() < 0.97 * X0_MBPS


@pytest.mark.parametrize("seed", SEEDS)
def test_no_more_than_the_interval_is_ever_made_good(seed: int) -> None:
    """Between any two times a flow sends at most x0 t + 2 x0 L, as D goes from bound to bound."""
    sent = made(seed).grown("stream", "acked_bytes") * 8 / 1e6
    ahead = sent.to_numpy() - X0_MBPS * sent.index.to_numpy()[:, None]
    rise = ahead - np.minimum.accumulate(ahead)
    assert (rise <= 2 * X0_MBPS * OVER_S).all()
    after = made(seed).mbps("stream", 220, 280)
    assert (after < 1.1 * X0_MBPS).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_lower_level_costs_the_threshold(seed: int) -> None:
    """In the crowd a flow sends well below x0. Its marks cost at most 1.1 times the threshold."""
    assert (made(seed).mbps("stream", *CROWD) < 0.7 * X0_MBPS).all()
    assert made(seed).charge("stream", *CROWD) == pytest.approx([THRESHOLD] * 2, rel=0.1)
