# SPDX-License-Identifier: Apache-2.0
"""Admission by a fixed share of marked probes, against sums done by hand."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ecnomy.agents.calls import Call, StreamObservation
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.probe_threshold import ProbeThreshold

PS = 10**12
CALL = Call(0, 0)


def observation(
    t_s: float, dt_s: float, delivered: int, marks: int, lost: int = 0
) -> StreamObservation:
    """Two streams with these packets in all."""
    none = np.zeros(2, dtype=np.int64)
    half = np.array([delivered // 2, delivered - delivered // 2])
    return StreamObservation(
        *(round(t_s * PS), round(dt_s * PS), 1000, half + 1, half),
        *(np.array([marks, 0]), none, np.array([0, lost])),
    )


def test_calls_are_let_in_as_a_plain_list_has_it() -> None:
    """Calls pass if no probe was lost and at most a tenth marked in the last ten reports of 1 s."""
    draw = random.Random(5)
    strategy = ProbeThreshold(threshold=0.1, window=10.0)
    history: list[tuple[int, int, int]] = []
    strategy.watch(observation(0, 0, 0, 0))
    answers = {True: 0, False: 0}
    for second in range(1, 401):
        delivered = draw.randint(20, 40)
        now = (delivered, draw.randint(0, 6), int(draw.random() < 0.02))
        history.append(now)
        strategy.watch(observation(second, 1, *now))
        last = history[-10:]
        share = sum(row[1] for row in last) / sum(row[0] for row in last)
        expected = len(history) >= 10 and share <= 0.1 and not any(row[2] for row in last)
        assert strategy.admit(CALL) == expected
        assert strategy.readings["marking_rate"] == pytest.approx(share, rel=1e-12)
        assert strategy.readings["probes_lost"] == sum(row[2] for row in last)
        answers[expected] += 1
    assert min(answers.values()) > 50


def test_nobody_is_let_in_on_no_probes() -> None:
    """Calls are refused in the first window and without probes."""
    strategy = ProbeThreshold(threshold=0.1, window=2.0)
    assert not strategy.admit(CALL)
    strategy.watch(observation(1, 1, 10, 0))
    assert not strategy.admit(CALL)
    strategy.watch(observation(2, 1, 10, 2))
    assert strategy.admit(CALL)  # 2 of 20
    strategy.watch(observation(3, 1, 10, 1))
    assert not strategy.admit(CALL)  # 3 of 20
    for t_s in (4, 5):
        strategy.watch(observation(t_s, 1, 0, 0))
    assert not strategy.admit(CALL)


@pytest.mark.parametrize(
    ("params", "key"),
    [
        ({"threshold": -0.1}, "threshold"),
        ({"threshold": 1.1}, "threshold"),
        ({"threshold": float("nan")}, "threshold"),
        ({"threshold": 0.1, "window": 0.0}, "window"),
    ],
)
def test_values_that_make_no_sense_are_refused(params: dict[str, float], key: str) -> None:
    """The error names the parameter."""
    with pytest.raises(Refused) as caught:
        ProbeThreshold(**params)
    assert caught.value.key == key
