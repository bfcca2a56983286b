# SPDX-License-Identifier: Apache-2.0
"""Admission by the marking rate of test streams, against sums and quantiles done by hand."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.calls import Call, StreamObservation
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.marking_quantile import MarkingQuantile

PS = 10**12
CALL = Call(0, 0)


def seen(t_s: float, dt_s: float, sent: int, marks: int) -> StreamObservation:
    """Two streams with these packets in all."""
    none = np.zeros(2, dtype=np.int64)
    half = np.array([sent // 2, sent - sent // 2])
    marked = np.array([marks, 0])
    return StreamObservation(
        round(t_s * PS), round(dt_s * PS), 1000, half, half, marked, none, none
    )


def test_window_and_samples_are_those_of_a_plain_list() -> None:
    """M is that of the last T; samples are of adjoining T; the threshold is their quantile."""
    draw = random.Random(3)
    strategy = MarkingQuantile(quantile=0.8, sample=10.0, learning=4)
    history: list[tuple[int, int]] = []
    samples: list[float] = []
    strategy.watch(seen(0, 0, 0, 0))
    assert strategy.marking_rate == 0 and strategy.admit(CALL)
    blocked = 0
    for second in range(1, 301):
        sent = draw.randint(30, 60)
        marks = draw.randint(0, 6) if second % 50 > 10 else draw.randint(0, 30)
        history.append((sent, marks))
        strategy.watch(seen(second, 1, sent, marks))
        last = history[-10:]
        m = sum(k for _, k in last) / sum(n for n, _ in last)
        assert strategy.marking_rate == pytest.approx(m, rel=1e-12)
        if second % 10 == 0:
            samples.append(m)
        if len(samples) < 4:
            assert strategy.threshold == math.inf and strategy.admit(CALL)
            continue
        least = min(s for s in samples if sum(o <= s for o in samples) >= 0.8 * len(samples) - 1e-9)
        assert strategy.threshold == pytest.approx(least, rel=1e-12)
        assert strategy.admit(CALL) == (m <= least + 1e-15)
        blocked += m > least
    assert blocked > 20
    assert set(strategy.readings) == {"marking_rate", "blocking_threshold"}


def test_in_a_steady_network_the_share_promised_is_blocked() -> None:
    """Independent samples: a share 1 - quantile of the time is above the threshold (99 %)."""
    draw = random.Random(5)
    strategy = MarkingQuantile(quantile=0.9, sample=1.0, learning=50)
    refused = asked = 0
    for second in range(4000):
        marks = sum(draw.random() < 0.1 for _ in range(100))
        strategy.watch(seen(second, 1, 100, marks))
        if second >= 1000:
            asked += 1
            refused += not strategy.admit(CALL)
    # Ties: marks are whole numbers, so that less than a tenth is above the quantile.
    exact = 1 - sum(math.comb(100, k) * 0.1**k * 0.9 ** (100 - k) for k in range(15))
    assert abs(refused / asked - exact) < 2.576 * math.sqrt(exact / asked)
    assert refused / asked <= 0.1


def test_silent_streams_block_nobody() -> None:
    """Test streams that send nothing teach nothing."""
    strategy = MarkingQuantile(sample=2.0, learning=1)
    for second in range(20):
        strategy.watch(seen(second, 1, 0, 0))
        assert strategy.admit(CALL) and strategy.threshold == math.inf


@pytest.mark.parametrize(
    ("key", "params"),
    [
        ("quantile", {"quantile": 0.0}),
        ("quantile", {"quantile": 1.1}),
        ("sample", {"sample": 0.0}),
        ("learning", {"learning": 0}),
    ],
)
def test_senseless_parameters_are_refused(key: str, params: dict) -> None:
    """A share outside (0, 1], no time or no sample to learn from."""
    with pytest.raises(Refused) as refusal:
        MarkingQuantile(**params)
    assert refusal.value.key == key


def test_a_promise_is_broken_above_the_share_only() -> None:
    """1 of 100 keeps a promise of 1 %, 2 of 100 break it; a call without packets keeps any."""
    tariff = CallTariff(1, 1, 0.01, 1)
    assert not tariff.broken(100, 1) and tariff.broken(100, 2)
    assert tariff.broken(99, 1) and not tariff.broken(0, 0)
    assert CallTariff(1, 1, 0.0, 1).broken(10**6, 1)
