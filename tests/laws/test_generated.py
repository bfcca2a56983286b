# SPDX-License-Identifier: Apache-2.0
"""Every law against its oracle, on parameters and arrivals that hypothesis invents."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from check_marking import compare_load_based, compare_virtual_queue
from check_once_per_round import compare_once_per_round
from check_random import compare_stream
from check_red import Step, compare_red
from check_traffic import compare_web_size
from check_window import WindowEvent, compare_reno, compare_round_trip, compare_rto, compare_wtp
from law_api import NEVER, Laws, WindowState
from oracle_marking import Arrival
from oracle_red import RedOptions
from tiers import examples

RATE = 10_000_000
RELAXED = settings(
    max_examples=examples(120),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

flags = st.booleans()
unit_interval = st.floats(1e-12, 1 - 1e-12)
sizes = st.integers(40, 9000)


@st.composite
def red_options(draw: st.DrawFn) -> RedOptions:
    """Any RED."""
    in_bytes, mean = draw(flags), draw(st.sampled_from([500.0, 1000.0, 1500.0]))
    unit = mean if in_bytes else 1.0
    low = draw(st.floats(0, 20))
    high = low + draw(st.floats(0.5, 30))
    limit = draw(st.one_of(st.just(-1.0), st.integers(1, 60).map(lambda n: n * unit)))
    return RedOptions(
        in_bytes, low * unit, high * unit, draw(st.floats(0, 1)), draw(st.floats(1e-3, 1)),
        draw(flags), draw(flags), draw(flags), draw(flags), draw(flags), draw(flags),
        draw(st.floats(0, 1)), draw(flags), mean, limit,
    )  # fmt: skip


@st.composite
def red_steps(draw: st.DrawFn) -> list[Step]:
    """Any queue; idle times off whole packet times of every mean size drawn above."""
    waiting = draw(st.lists(st.tuples(st.integers(0, 60), sizes, unit_interval), max_size=60))
    steps, now = [], 0
    for packets, size, u in waiting:
        idle = packets == 0 and u < 0.7
        since = now if idle else NEVER
        # 1/3 of the common divisor (400 us at 10 Mbit/s) of the three slots.
        now += int(u * 40) * 400_000_000 + 133_333_333
        steps.append(Step((packets, packets * 700, RATE, since), (0, size), now, u))
    return steps


@RELAXED
@given(options=red_options(), steps=red_steps())
def test_red(laws: Laws, options: RedOptions, steps: list[Step]) -> None:
    """RED with any options and any queue does what the pseudo-code says."""
    compare_red(laws, options, steps)


arrivals = st.lists(
    st.tuples(st.integers(0, 4 * 10**9), sizes, unit_interval), min_size=1, max_size=80
).map(
    lambda rows: [
        Arrival(at, size, u)
        for at, (_, size, u) in zip(accumulate(r[0] for r in rows), rows, strict=True)
    ]
)


@RELAXED
@given(
    theta=st.floats(0.01, 1),
    packets=st.floats(0, 30),
    mean=st.floats(40, 2000),
    per_overflow=flags,
    rate=st.integers(10**5, 10**9),
    arrivals=arrivals,
    by_packet=flags,
)
def test_virtual_queue(
    laws: Laws,
    theta: float,
    packets: float,
    mean: float,
    per_overflow: bool,
    rate: int,
    arrivals: list[Arrival],
    by_packet: bool,
) -> None:
    """Any virtual queue is the fluid buffer, or the server of whole packets."""
    compare_virtual_queue(laws, theta, packets, mean, per_overflow, rate, arrivals, by_packet)


@RELAXED
@given(
    interval_s=st.floats(1e-3, 0.1),
    threshold=st.floats(0, 2),
    slope=st.floats(0, 50),
    arrivals=arrivals,
)
def test_load_based(
    laws: Laws, interval_s: float, threshold: float, slope: float, arrivals: list[Arrival]
) -> None:
    """Any load-based law follows the windows computed from the whole list."""
    compare_load_based(laws, interval_s, threshold, slope, arrivals)


@st.composite
def windows(draw: st.DrawFn) -> WindowState:
    """A window inside its bounds, in slow start or not."""
    low = draw(st.sampled_from([1 / 64, 0.5, 1.0, 2.0]))
    high = low + draw(st.floats(0.5, 1e4))
    return draw(st.floats(low, high)), draw(st.sampled_from([0.0, 8.0, 1e9])), low, high


acks = st.tuples(st.just("ack"), st.integers(0, 8), st.integers(0, 3))
rare = st.one_of(
    st.tuples(st.sampled_from(["loss", "ece"]), st.floats(0, 100), st.just(0)),
    st.tuples(st.just("timeout"), st.floats(0, 100), st.just(0)),
    st.tuples(st.just("weight"), st.floats(1e-3, 100), st.just(0)),
)
window_events = st.lists(st.one_of(acks, acks, acks, rare), max_size=80)


@RELAXED
@given(
    form=st.integers(0, 2),
    gain=st.floats(1e-3, 2),
    w_inc=st.floats(0.01, 20),
    w_dec=st.floats(0.1, 20),
    start=windows(),
    events=window_events,
)
def test_wtp(
    laws: Laws,
    form: int,
    gain: float,
    w_inc: float,
    w_dec: float,
    start: WindowState,
    events: list[WindowEvent],
) -> None:
    """Any WTP window follows Eq. 5."""
    compare_wtp(laws, [form, gain, w_inc, w_dec], start, events)


abe = st.one_of(st.just(0.0), st.floats(0.01, 0.99))


@RELAXED
@given(
    decrease=st.floats(0.01, 0.99),
    least=st.floats(1, 20),
    beta_ecn=abe,
    start=windows(),
    events=window_events,
)
def test_reno(
    laws: Laws,
    decrease: float,
    least: float,
    beta_ecn: float,
    start: WindowState,
    events: list[WindowEvent],
) -> None:
    """Any Reno window follows RFC 5681, and RFC 8511 with ABE."""
    compare_reno(laws, [decrease, least, beta_ecn], start, events)


once_per_round = st.one_of(
    st.tuples(st.just("tahoe"), st.tuples(st.floats(0.01, 0.99), st.floats(1, 20), abe)),
    st.tuples(
        st.just("multcp"), st.tuples(st.floats(1, 1e3), st.sampled_from([0, 1]), st.floats(1, 20))
    ),
    st.tuples(
        st.just("wtp-sender"),
        st.tuples(st.floats(1e-3, 1), st.floats(0.01, 100), st.sampled_from([0, 1])),
    ),
)


@RELAXED
@given(law=once_per_round, start=windows(), events=window_events)
def test_once_per_round(
    laws: Laws,
    law: tuple[str, tuple[float, ...]],
    start: WindowState,
    events: list[WindowEvent],
) -> None:
    """Any Tahoe, MulTCP or sender-only WTP window follows its paper."""
    compare_once_per_round(laws, law[0], law[1], start, events)


picoseconds = st.integers(10**6, 10**13)


@RELAXED
@given(
    gaps=st.lists(
        st.tuples(st.one_of(picoseconds, st.sampled_from([0, 2 * 10**12])), picoseconds),
        min_size=1,
        max_size=40,
    )
)
def test_round_trip(laws: Laws, gaps: list[tuple[int, int]]) -> None:
    """Any samples at any times give the mean over the right buckets."""
    times = accumulate((gap for gap, _ in gaps), initial=1)
    compare_round_trip(laws, [(now, rtt) for now, (_, rtt) in zip(times, gaps, strict=False)])


@RELAXED
@given(
    low=st.integers(10**6, 10**12),
    room=st.integers(0, 10**14),
    events=st.lists(st.one_of(picoseconds, st.just(0)), max_size=80),
)
def test_rto(laws: Laws, low: int, room: int, events: list[int]) -> None:
    """Any samples and timeouts follow RFC 6298."""
    compare_rto(laws, low, low, low + room, events)


@RELAXED
@given(
    kind=st.integers(0, 2),
    mean=st.floats(1, 1e9),
    low=st.floats(1, 1e4),
    factor=st.floats(1.5, 1e4),
    shape=st.floats(0.2, 4),
    us=st.lists(st.floats(1e-9, 1 - 1e-9), min_size=1, max_size=20),
)
def test_web_size(
    laws: Laws, kind: int, mean: float, low: float, factor: float, shape: float, us: list[float]
) -> None:
    """Any file size distribution is inverted rightly."""
    compare_web_size(laws, kind, mean, low, low * factor, shape, us)


@RELAXED
@given(seed=st.integers(0, 2**64 - 1), name=st.text(max_size=40))
def test_stream(laws: Laws, seed: int, name: str) -> None:
    """Any seed and name give the stream that the oracle derives."""
    compare_stream(laws, seed, name, 5)
