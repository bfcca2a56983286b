# SPDX-License-Identifier: Apache-2.0
"""CoDel, PIE, BLUE, SRED, self-configuring RED with generated parameters and events."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from check_aqm import CodelEvent, PieEvent, compare_codel, compare_pie
from check_blue import BlueEvent, compare_blue, compare_self_configuring_red
from check_red import red_arrivals
from check_sred import SredPacket, compare_sred
from law_api import Laws
from oracle_aqm import BlueOptions, CodelOptions, PieOptions, SelfConfiguringOptions
from oracle_sred import SredOptions
from tiers import examples

RELAXED = settings(
    max_examples=examples(100),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
PS_PER_MS = 10**9

share = st.floats(1e-6, 1 - 1e-6)
sizes = st.integers(40, 9000)


def times(least_us: int, most_us: int) -> st.SearchStrategy[float]:
    """Whole microseconds, in seconds."""
    return st.integers(least_us, most_us).map(lambda us: us / 1e6)


codel_options = st.builds(CodelOptions, times(1, 20_000), times(10, 100_000))
codel_events = st.lists(
    st.builds(
        CodelEvent,
        gap=st.integers(0, 20 * PS_PER_MS),
        kind=st.sampled_from(["arrive", "arrive", "arrive", "full", "depart", "depart"]),
        size=sizes,
    ),
    max_size=120,
)
pie_options = st.builds(
    PieOptions,
    target_s=times(100, 50_000),
    update_s=times(1000, 50_000),
    alpha=st.floats(0.01, 20),
    beta=st.floats(0.01, 200),
    max_burst_s=times(0, 100_000),
    mark_p=st.floats(0, 1),
    mean_bytes=st.floats(40, 2000),
)
pie_events = st.lists(
    st.builds(
        PieEvent,
        kind=st.sampled_from(["timer", "arrive", "arrive", "full"]),
        waiting_bytes=st.one_of(st.just(0), st.integers(0, 10**4), st.integers(0, 10**7)),
        u=share,
        rate_bps=st.sampled_from([10**6, 12 * 10**6, 10**9]),
    ),
    max_size=80,
)
blue_options = st.builds(
    BlueOptions,
    increment=st.floats(0.001, 1),
    decrement=st.floats(0.001, 1),
    freeze_s=times(0, 50_000),
    limit_packets=st.integers(-1, 10).map(float),
)
blue_events = st.lists(
    st.builds(
        BlueEvent,
        gap=st.integers(0, 50).map(lambda ms: ms * PS_PER_MS),
        packets=st.integers(0, 12),
        idle=st.one_of(st.just(-1), st.integers(0, 50).map(lambda ms: ms * PS_PER_MS)),
        full=st.booleans(),
        u=share,
    ),
    max_size=80,
)

dyadic = st.integers(0, 2**16 - 1).map(lambda k: k / 2**16)  # exact times a list's length
sred_options = st.builds(
    SredOptions,
    max_p=st.floats(0, 1),
    flows=st.floats(1, 100),
    memory=st.integers(1, 9),
    overwrite=st.floats(0, 1),
    full=st.booleans(),
    buffer_packets=st.integers(0, 50).map(float),
    mean_bytes=st.integers(100, 1500).map(float),
)
sred_packets = st.lists(
    st.builds(
        SredPacket, st.integers(0, 4), st.integers(0, 30_000), st.tuples(dyadic, dyadic, dyadic)
    ),
    max_size=60,
)


@RELAXED
@given(options=sred_options, packets=sred_packets, later=st.none() | sred_options)
def test_sred(
    laws: Laws, options: SredOptions, packets: list[SredPacket], later: SredOptions | None
) -> None:
    """Any SRED counts hits, and marks by their frequency."""
    compare_sred(laws, options, packets, later)


@RELAXED
@given(options=codel_options, events=codel_events, later=st.none() | codel_options)
def test_codel(
    laws: Laws, options: CodelOptions, events: list[CodelEvent], later: CodelOptions | None
) -> None:
    """Any CoDel marks when the RFC's queue would drop."""
    compare_codel(laws, options, events, later)


@RELAXED
@given(options=pie_options, events=pie_events, later=st.none() | pie_options)
def test_pie(
    laws: Laws, options: PieOptions, events: list[PieEvent], later: PieOptions | None
) -> None:
    """Any PIE follows the RFC's pseudo-code, with a constant interval."""
    if later is not None:
        later = later._replace(update_s=options.update_s)
    compare_pie(laws, options, events, later)


@RELAXED
@given(options=blue_options, events=blue_events, later=st.none() | blue_options)
def test_blue(
    laws: Laws, options: BlueOptions, events: list[BlueEvent], later: BlueOptions | None
) -> None:
    """Any BLUE follows its events."""
    compare_blue(laws, options, events, later)


@RELAXED
@given(
    in_bytes=st.booleans(),
    low=st.floats(0.5, 10),
    width=st.floats(0.5, 10),
    max_p=st.floats(0.001, 1),
    weight=st.floats(0.01, 1),
    factors=st.tuples(st.floats(1, 10), st.floats(1, 10)),
    seed=st.integers(0, 99),
)
def test_self_configuring_red(
    laws: Laws,
    in_bytes: bool,
    low: float,
    width: float,
    max_p: float,
    weight: float,
    factors: tuple[float, float],
    seed: int,
) -> None:
    """Any self-configuring RED equals RED with its oracle's max_p."""
    unit = 1000.0 if in_bytes else 1.0
    options = SelfConfiguringOptions(
        in_bytes, low * unit, (low + width) * unit, max_p, weight, *factors
    )
    steps = list(red_arrivals(options.red(max_p), 60, seed))
    compare_self_configuring_red(laws, options, steps)
