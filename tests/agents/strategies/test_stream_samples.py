# SPDX-License-Identifier: Apache-2.0
"""Samples of test streams: their counts between two times."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from ecnomy.agents.strategies.stream_samples import StreamSamples

S = 10**12


def report(second: int, sent: int, marks: int, late: int) -> Any:
    """An observation of one stream, a second after the last."""
    columns = {"sent": sent, "marks": marks, "late": late, "lost": 0}
    arrays = {name: np.array([value]) for name, value in columns.items()}
    return SimpleNamespace(t_ps=second * S, dt_ps=S, **arrays)


def test_no_more_are_marked_or_bad_than_were_sent() -> None:
    """A packet sent in one report may arrive, marked and late, in the next."""
    samples = StreamSamples(1.0)
    samples.watch(report(1, sent=3, marks=1, late=0))
    samples.watch(report(2, sent=1, marks=2, late=3))
    both, second = samples.during(0, 2 * S), samples.during(S, 2 * S)
    assert (both.packets, both.marks, both.bad) == (4, 3, 3)
    assert (second.packets, second.marks, second.bad) == (1, 1, 1)
