# SPDX-License-Identifier: Apache-2.0
"""The time for which flows were on, against a count second by second."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import market_world as world
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.switches import Switches

S = world.PS
LENGTH = 12  # seconds
TIMES = st.integers(0, LENGTH)
SAID = st.lists(st.tuples(TIMES, st.integers(-1, 2), st.integers(0, 1)), max_size=12)


def _plan(spans: list[tuple[float, float]], flows: int = 1) -> Plan:
    """A source per span [start, stop) in seconds, stop -1 for never; the first is a row of many."""
    sources = [
        world.source(
            f"s{i}", start_ps=round(start * S), stop_ps=round(stop * S) if stop >= 0 else -1
        )
        for i, (start, stop) in enumerate(spans)
    ]
    sources[0] = msgspec.structs.replace(sources[0], count=flows, rows="together")
    return world.plan(sources, duration_ps=LENGTH * S)


def _counted(spans: Any, flows: int, said: Any, row: int, low: int, high: int) -> float:
    """Mean number of flows on, a second at a time."""
    start, stop = spans[row]
    on = 0
    for second in range(low, high):
        state = 1
        for t, flow, value in sorted(said, key=lambda one: one[0]):
            if flow == row and t <= second:
                state = value
        within = start <= second and (stop < 0 or second < stop)
        on += state and within
    return on / (high - low) * (flows if row == 0 else 1)


@given(
    st.tuples(*[st.tuples(TIMES, st.integers(-1, LENGTH))] * 3),
    st.integers(2, 5),
    SAID,
    st.lists(TIMES, min_size=2, max_size=6, unique=True),
)
def test_means_are_those_of_a_count_second_by_second(
    spans: Any, flows: int, said: Any, edges: Any
) -> None:
    """Spans that begin and end anywhere, several words at a time, rows of many."""
    edges = sorted(edges)
    columns = list(zip(*sorted(said, key=lambda one: one[0]), strict=True)) or [(), (), ()]
    t, flow, value = (np.array(column) for column in columns)
    switches = Switches(
        _plan(list(spans), flows),
        t.astype(np.int64) * S,
        flow.astype(np.int64),
        value.astype(np.float64),
    )
    off = sorted({one for _, one, state in said if one >= 0 and not state})
    assert switches.rows.tolist() == off
    shares = switches.on(np.array(edges, dtype=np.int64) * S)
    assert shares.shape == (len(edges) - 1, len(off))
    for k, (low, high) in enumerate(zip(edges, edges[1:], strict=False)):
        for column, row in enumerate(off):
            expected = _counted(spans, flows, said, row, low, high)
            assert shares[k, column] == pytest.approx(expected, abs=1e-12)


def test_a_stop_amid_an_epoch_counts_to_the_moment() -> None:
    """A flow that starts at 2 s, pauses from 4 s to 6 s and stops at 7.5 s was on for 3.5 s."""
    said = np.array([4, 6]) * S, np.array([1, 1]), np.array([0.0, 1.0])
    switches = Switches(_plan([(0, -1), (2, 7.5)]), *said)
    shares = switches.on(np.array([0, 10 * S], dtype=np.int64))
    assert shares.tolist() == [[pytest.approx(0.35)]]
