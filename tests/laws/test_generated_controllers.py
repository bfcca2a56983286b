# SPDX-License-Identifier: Apache-2.0
"""REM, PI, adaptive virtual queue and projections with generated parameters and events."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from check_controllers import compare_avq, compare_pi, compare_rem
from check_projection import compare_projection
from law_api import Laws
from oracle_controllers import Period, RemOptions
from oracle_marking import Arrival
from oracle_projection import Options
from tiers import examples

RELAXED = settings(
    max_examples=examples(100),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

flags = st.booleans()
unit_interval = st.floats(1e-12, 1 - 1e-12)
sizes = st.integers(40, 9000)
rem_options = st.builds(
    RemOptions,
    price=st.integers(0, 2),
    phi=st.floats(1.0001, 3),
    gamma=st.floats(0, 0.1),
    alpha=st.floats(0, 2),
    target=st.floats(0, 50),
    capacity_share=st.floats(0.1, 1),
    interval_s=st.floats(1e-4, 0.1),
    input_weight=st.floats(0.01, 1),
    backlog_weight=st.floats(0.01, 1),
    at_arrival=flags,
    in_bytes=flags,
    mean_bytes=st.floats(40, 2000),
)
periods = st.lists(
    st.builds(
        Period, st.lists(sizes, max_size=8).map(tuple), st.integers(0, 200), st.integers(0, 200_000)
    ),
    max_size=25,
)


# A price so small that 1 - phi^-price is 0 in floats, but 1e-308 as computed by the law.
@example(
    options=RemOptions(1, 2.0, 2.3e-308, 0.0, 0.0, 1.0, 0.0625, 1.0, 1.0),
    periods=[Period((), 1, 1), Period((40,), 0, 0)],
    seed=0,
)
@RELAXED
@given(options=rem_options, periods=periods, seed=st.integers(0, 99))
def test_rem(laws: Laws, options: RemOptions, periods: list[Period], seed: int) -> None:
    """Any REM follows its prices."""
    compare_rem(laws, options, periods, seed)


@RELAXED
@given(
    reference=st.floats(0, 500),
    a=st.floats(1e-6, 0.1),
    share=st.floats(0, 1),
    queues=st.lists(st.integers(0, 10**6), max_size=60),
    in_bytes=flags,
)
def test_pi(
    laws: Laws, reference: float, a: float, share: float, queues: list[int], in_bytes: bool
) -> None:
    """Any PI controller follows its recursion."""
    compare_pi(laws, reference, a, a * share, queues, in_bytes)


@RELAXED
@given(
    gamma=st.floats(0.01, 1),
    alpha=st.floats(0, 10),
    packets=st.floats(0, 30),
    rate=st.integers(10**5, 10**9),
    rows=st.lists(st.tuples(st.integers(0, 4 * 10**9), sizes), min_size=1, max_size=80),
)
def test_adaptive_virtual_queue(
    laws: Laws,
    gamma: float,
    alpha: float,
    packets: float,
    rate: int,
    rows: list[tuple[int, int]],
) -> None:
    """Any adaptive virtual queue follows its pseudo-code."""
    times = accumulate(gap for gap, _ in rows)
    arrivals = [Arrival(at, size, 0.0) for at, (_, size) in zip(times, rows, strict=True)]
    compare_avq(laws, gamma, alpha, packets, rate, arrivals)


projections = st.builds(
    Options,
    buffer_packets=st.floats(0, 60),
    mean_bytes=st.floats(400, 1500),
    k=st.floats(0.3, 200),
    memory=st.floats(0, 1),
    forget=st.floats(0, 10),
    screened=flags,
    interval_s=st.floats(0.02, 0.2),
    least_bytes=st.floats(0, 20_000),
    parallel=flags,
    stages=st.integers(1, 4),
    buckets=st.integers(1, 20),
)


@settings(RELAXED, max_examples=examples(60))
@given(
    options=projections,
    heuristic=flags,
    flows=st.integers(1, 12),
    seed=st.integers(0, 999),
    room=st.floats(0.3, 2),
)
def test_projection(
    laws: Laws, options: Options, heuristic: bool, flows: int, seed: int, room: float
) -> None:
    """Any projection, with any filter, marks the same packets as its oracle."""
    compare_projection(laws, options, heuristic, flows, 200, seed, room)
