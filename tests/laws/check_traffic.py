# SPDX-License-Identifier: Apache-2.0
"""The traffic laws against cumulative distributions, and by Kolmogorov-Smirnov from fixed seeds.

An inversion is right where F(value) = u: the oracle evaluates F beside the whole number drawn.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from check_users import check_web_hyper
from law_api import FARTHEST, NEVER, Laws, Stream
from oracle_random import exponential_cdf, kolmogorov_smirnov, pareto_cdf, pareto_mean

__all__ = ["TRAFFIC_CHECKS", "brackets", "compare_web_size"]

PS: Final = 10**12
# The limit distribution exceeds 2.2 with probability 1.3e-4; the seeds are fixed.
KS_LIMIT: Final = 2.2
TINY: Final = 2.0**-54
LARGEST_DRAW: Final = 1 - 2.0**-53


def refused(laws: Laws, name: str, values: Sequence[float]) -> bool:
    """Whether a traffic law refuses its parameters."""
    try:
        laws.traffic(name, values)
    except ValueError:
        return True
    return False


def brackets(
    value: int, u: float, below: float, above: float, cdf: Callable[[float], float]
) -> bool:
    """Whether u lies between F(value - below) and F(value + above), up to rounding of F."""
    slack = 1e-13
    return cdf(value * (1 - 1e-12) - below) - slack <= u <= cdf(value * (1 + 1e-12) + above) + slack


def draws(seed: int, count: int) -> list[float]:
    """Return uniforms that include both ends of the interval."""
    draw = random.Random(seed)
    return [TINY, 0.5, LARGEST_DRAW, *(draw.random() or TINY for _ in range(count))]


def check_rate_capped(laws: Laws) -> None:
    """The cap ends exactly at the stated time; -1 means never."""
    for rate, until in ((1.0, 0.0), (500e3, 60.0), (1e15, 1e-12), (2.5e6, 123.456)):
        law, lifted = laws.traffic("rate-capped", [rate, until]), round(until * PS)
        assert law.lifted_at() == lifted
        for now in {0, max(0, lifted - 1), lifted, lifted + 1, 10**18}:
            expected = int(rate) if now < lifted else -1
            assert law.cap_bps(now) == expected, (rate, until, now)
    forever = laws.traffic("rate-capped", [500e3, -1.0])
    assert forever.lifted_at() == NEVER
    assert all(forever.cap_bps(now) == 500_000 for now in (0, 1, 10**18))
    assert refused(laws, "rate-capped", [0.0, -1.0])
    assert refused(laws, "rate-capped", [math.nan, -1.0])


def check_rate_capped_range(laws: Laws) -> None:
    """The latest accepted time does not overflow 64 bits."""
    row = {r[0]: r for r in laws.tables()["traffic"]["rate-capped"]}["until_s"]
    law = laws.traffic("rate-capped", [1e6, row[4]])
    assert law.lifted_at() == round(row[4] * PS), f"{row[4]} s became {law.lifted_at()} ps"


def check_cbr(laws: Laws) -> None:
    """Gaps are equal, after a phase that is uniform in one interval or 0."""
    for interval_s in (1e-9, 0.02, 0.1, 3.0):
        interval = round(interval_s * PS)
        fixed = laws.traffic("cbr", [interval_s, 0.0])
        assert fixed.first([0.7]) == (0, 0) and fixed.gap([0.7]) == (interval, 0)
        law = laws.traffic("cbr", [interval_s, 1.0])
        for u in draws(2, 200):
            phase, used = law.first([u])
            assert used == 1 and abs(phase - u * interval) <= 1 + 1e-12 * interval, (interval, u)
            assert 0 <= phase <= interval and law.gap([u]) == (interval, 0), (interval, u, phase)
    assert refused(laws, "cbr", [0.0, 1.0]) and refused(laws, "cbr", [0.1, 0.5])


def check_poisson(laws: Laws) -> None:
    """Every gap, including the first, satisfies F(gap) = u."""
    for mean_s in (1e-6, 0.01, 5.0):
        law, mean = laws.traffic("poisson", [mean_s]), mean_s * PS
        for u in draws(3, 300):
            for gap, used in (law.first([u]), law.gap([u])):
                near = brackets(gap, u, 0.0, 1.0, partial(exponential_cdf, mean=mean))
                assert used == 1 and gap >= 0 and near, f"mean {mean_s} s, u {u}: gap {gap}"
    assert refused(laws, "poisson", [0.0]) and refused(laws, "poisson", [-0.1])


def check_poisson_statistics(laws: Laws) -> None:
    """Twenty thousand gaps from a keyed stream are exponential with the requested mean."""
    law, mean, n = laws.traffic("poisson", [0.01]), 0.01 * PS, 20_000
    stream = laws.stream(1, "source/calls/0/traffic") if _has_stream(laws) else None
    gaps = [law.gap([u])[0] for u in _uniforms(stream, n)]
    assert kolmogorov_smirnov(gaps, lambda x: exponential_cdf(x, mean)) < KS_LIMIT
    assert abs(sum(gaps) / n - mean) < 4 * mean / math.sqrt(n)


def check_poisson_range(laws: Laws) -> None:
    """The largest mean that is accepted gives times for the largest draw, the farthest at most."""
    top = laws.tables()["traffic"]["poisson"][0][4]
    law = laws.traffic("poisson", [top])
    for gap, _ in (law.first([LARGEST_DRAW]), law.gap([LARGEST_DRAW])):
        assert gap == FARTHEST, f"mean {top} s, the largest draw gave {gap} ps"
    assert top * PS < law.gap([0.99])[0] < FARTHEST


def check_web_reading(laws: Laws) -> None:
    """Reading times satisfy F(time) = u and are exponential as a sample; a mean of 0 is refused."""
    law, mean, n = laws.traffic("web", [5.0, 2, 1.0, 1.0, 5e6, 1.2, 0, -1, 0]), 5.0 * PS, 10_000
    for u in draws(4, 300):
        value, used = law.reading([u])
        near = brackets(value, u, 0.0, 1.0, lambda x: exponential_cdf(x, mean))
        assert used == 1 and near, f"u {u}: {value}"
    stream = laws.stream(2, "source/web/0/traffic") if _has_stream(laws) else None
    times = [law.reading([u])[0] for u in _uniforms(stream, n)]
    assert kolmogorov_smirnov(times, lambda x: exponential_cdf(x, mean)) < KS_LIMIT
    assert refused(laws, "web", [0.0, 2, 1.0, 1.0, 5e6, 1.2, 0, -1, 0])


def check_web_reading_range(laws: Laws) -> None:
    """The largest mean that is accepted gives times for the largest draw, the farthest at most."""
    top = laws.tables()["traffic"]["web"][0][4]
    for hyper in (0, 1):
        law = laws.traffic("web", [top, 0, 1.0, 1.0, 5e6, 1.2, hyper, -1, 0])
        value = law.reading([LARGEST_DRAW] * 2)[0]
        assert value == FARTHEST, f"mean {top} s, the largest draw gave {value} ps"
        assert 0.1 * top * PS < law.reading([0.5] * 2)[0] < FARTHEST


def compare_web_size(
    laws: Laws, kind: int, mean: float, low: float, high: float, shape: float, us: Sequence[float]
) -> None:
    """Drawn sizes against the distribution, rounded to whole bytes, at least one."""
    law = laws.traffic("web", [5.0, kind, mean, low, high, shape, 0, -1, 0])
    for u in us:
        size, used = law.file_bytes([u])
        where = f"kind {kind}, mean {mean}, [{low}, {high}], shape {shape}, u {u}: {size}"
        assert size >= 1 and used == (kind != 0), where
        if kind == 0:
            assert size == max(1, math.floor(mean + 0.5)), where
            continue

        def cdf(x: float) -> float:
            return exponential_cdf(x, mean) if kind == 1 else pareto_cdf(x, low, high, shape)

        below = 1.0 if size == 1 else 0.5  # sizes that round to 0 become one byte
        slack = high * 1e-9 if kind == 2 else 0.0  # 1 - u (1 - tail) cancels near the upper end
        assert brackets(size, u, below + slack, 0.5 + slack, cdf), where
        assert kind != 2 or low - 0.5 <= size <= high * (1 + 1e-9) + 0.5, where


def check_web_size(laws: Laws) -> None:
    """Fixed, exponential and truncated Pareto sizes agree, with degenerate ranges too."""
    us = draws(6, 300)
    for mean in (1.0, 1.4, 700.0, 5e4):
        compare_web_size(laws, 0, mean, 1, 5e6, 1.2, us[:3])
        compare_web_size(laws, 1, mean, 1, 5e6, 1.2, us)
    for low, high, shape in ((1, 5e6, 1.2), (1000, 5e6, 1.2), (5, 1800, 0.825), (100, 200, 3.0)):
        compare_web_size(laws, 2, 1.0, low, high, shape, us)
    assert not refused(laws, "web", [5.0, 2, 1.0, 777.0, 777.0, 1.2, 0, -1, 0]), (
        "a range of one size"
    )
    one_size = laws.traffic("web", [5.0, 2, 1.0, 777.0, 777.0, 1.2, 0, -1, 0])
    assert {one_size.file_bytes([u])[0] for u in us} == {777}
    assert refused(laws, "web", [5.0, 2, 1.0, 100.0, 99.0, 1.2, 0, -1, 0])


def check_web_size_statistics(laws: Laws) -> None:
    """Twenty thousand truncated Pareto sizes have the formula's distribution and mean."""
    low, high, shape, n = 2000.0, 5e6, 1.2, 20_000
    law = laws.traffic("web", [5.0, 2, 1.0, low, high, shape, 0, -1, 0])
    stream = laws.stream(3, "source/web/1/traffic") if _has_stream(laws) else None
    sizes = [law.file_bytes([u])[0] for u in _uniforms(stream, n)]
    assert kolmogorov_smirnov(sizes, lambda x: pareto_cdf(x + 0.5, low, high, shape)) < KS_LIMIT
    mean = pareto_mean(low, high, shape)
    deviation = math.sqrt(pareto_mean(low, high, shape, 2) - mean**2)
    assert abs(sum(sizes) / n - mean) < 4 * deviation / math.sqrt(n)


def check_start(laws: Laws) -> None:
    """Member i starts at `at` + i stagger + U spread; without a spread nothing is drawn."""
    for at, stagger, spread in ((0, 0, 0), (5, 7, 0), (10**12, 10**11, 5 * 10**12)):
        for index, u in ((0, 0.25), (3, 0.5), (99, LARGEST_DRAW)):
            value, used = laws.start(at, stagger, spread, index, [u])
            assert used == (spread > 0)
            assert abs(value - (at + index * stagger + u * spread)) <= 1


def check_start_range(laws: Laws) -> None:
    """Starts beyond the end of time are limited to it. No sum or product of times overflows."""
    most = 2**63 - 1
    for at, stagger, spread, index in (
        (FARTHEST, FARTHEST, FARTHEST, 1),
        (0, FARTHEST, 0, 4),
        (0, 10**12, 0, 10**12),
        (600, 0, FARTHEST, 0),
        (0, most, most, most),
    ):
        value, _ = laws.start(at, stagger, spread, index, [LARGEST_DRAW])
        assert value == FARTHEST, f"{at} + {index} x {stagger} + U x {spread} gave {value}"
    exact = FARTHEST // 7
    assert laws.start(3, exact, 0, 6, [])[0] == 3 + 6 * exact
    assert laws.start(FARTHEST - 5, 2, 0, 2, [])[0] == FARTHEST - 1


def _has_stream(laws: Laws) -> bool:
    """Whether the module was linked with stream.cc (a mutant's module holds only one law)."""
    try:
        laws.stream(0, "")
    except RuntimeError:
        return False
    return True


def _uniforms(stream: Stream | None, count: int) -> list[float]:
    if stream is not None:
        return [stream.uniform() for _ in range(count)]
    draw = random.Random(count)
    return [draw.random() or TINY for _ in range(count)]


TRAFFIC_CHECKS = {
    "rate-capped": [check_rate_capped, check_rate_capped_range],
    "cbr": [check_cbr],
    "poisson": [check_poisson, check_poisson_range, check_poisson_statistics],
    "web": [
        check_web_reading,
        check_web_reading_range,
        check_web_size,
        check_web_size_statistics,
        check_web_hyper,
    ],
    "start": [check_start, check_start_range],
}
