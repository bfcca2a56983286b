# SPDX-License-Identifier: Apache-2.0
"""Measures of the five periods of 2 s in Figures 5 to 7, in which sources come and go."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.reproduce.athuraliya2000.series import RecordedSeries, cv

__all__ = ["ACTIVE", "PERIOD_S", "PHI", "STARTS_S", "periods", "settling_s", "trajectory"]

BEGIN_S: Final = 2.0  # the paper's time 0
PERIOD_S: Final = 2.0
TRANSIENT_S: Final = 0.5  # at the start of each period
STARTS_S: Final = tuple(BEGIN_S + PERIOD_S * k for k in range(5))
ACTIVE: Final = ({1, 2}, {1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3}, {1, 2})  # sources of each period
PHI: Final = 1.4
POINTS: Final = 80  # number of points of a trajectory
SMOOTH_S: Final = 0.1


def periods(results: Path) -> dict[str, float | list[float]]:
    """Return measures of each period k = 0 ... 4, for s1 to s4 and for the bottleneck.

    Returns:
        `s1.window.k`, `s1.window_std.k` and `s1.window_cv.k`, the mean, standard deviation and
        coefficient of variation of the window after the first 0.5 s; `s1.second.i`, the mean window
        in each second in which s1 is active; `backlog.k` and `backlog_late.k`, packets over the
        whole period and after its first 0.5 s; `use.k`, utilisation; `peak`, the largest sampled
        backlog; `settle.price.k` and `settle.window.k` (of s1), seconds to 90 % of the step at the
        start of the period; and `path.s1[i]`, `path.backlog[i]` and `path.price[i]`, samples for
        the figure.
    """
    recorded = RecordedSeries(results)
    columns: dict[str, float | list[float]] = {}
    for source in (1, 2, 3, 4):
        at, window = recorded.windows(f"s{source}")
        for k, start in enumerate(STARTS_S):
            if source in ACTIVE[k]:
                own = _within(at, window, start + TRANSIENT_S, start + PERIOD_S)
                columns[f"s{source}.window.{k}"] = float(own.mean())
                columns[f"s{source}.window_std.{k}"] = float(own.std())
                columns[f"s{source}.window_cv.{k}"] = cv(own)
        for second in range(10):
            if source in ACTIVE[second // 2]:
                begin = BEGIN_S + second
                mean = _within(at, window, begin, begin + 1).mean()
                columns[f"s{source}.second.{second}"] = float(mean)
        columns[f"path.s{source}"] = trajectory(at, window, source)
    return columns | _of_link(recorded) | _settling(recorded)


def _of_link(recorded: RecordedSeries) -> dict[str, float | list[float]]:
    at, backlog = recorded.backlog("bottleneck")
    _, price = _price(recorded)
    samples: dict[str, float | list[float]] = {
        "peak": float(_within(at, backlog, BEGIN_S, STARTS_S[-1] + PERIOD_S).max()),
        "path.backlog": trajectory(at, backlog),
        "path.price": trajectory(at, price),
    }
    epochs = recorded.epochs("bottleneck")
    times = np.asarray(epochs["t_ps"], dtype=np.float64) / PS_PER_S
    rate_bps = recorded.run.plan.links[recorded.links["bottleneck"]].rate_bps
    for k, start in enumerate(STARTS_S):
        ends = [int(np.argmin(np.abs(times - t))) for t in (start, start + PERIOD_S)]
        sent, waited = (np.asarray(epochs[c])[ends] for c in ("departed_bytes", "queue_integral"))
        samples[f"use.{k}"] = float(8 * (sent[1] - sent[0]) / (rate_bps * PERIOD_S))
        samples[f"backlog.{k}"] = float((waited[1] - waited[0]) / PERIOD_S)
        late = _within(at, backlog, start + TRANSIENT_S, start + PERIOD_S)
        samples[f"backlog_late.{k}"] = float(late.mean())
    return samples


def _price(recorded: RecordedSeries) -> tuple[Floats, Floats]:
    at, marking = recorded.marking("bottleneck")
    return at, -np.log1p(-marking) / math.log(PHI)


def _settling(recorded: RecordedSeries) -> dict[str, float | list[float]]:
    curves = {"window": recorded.windows("s1"), "price": _price(recorded)}
    return {
        f"settle.{name}.{k}": settling_s(at, values, STARTS_S[k])
        for name, (at, values) in curves.items()
        for k in range(1, 5)
    }


def settling_s(at: Floats, values: Floats, start: float) -> float:
    """Return the time in which a curve, smoothed over 0.1 s, completes 90 % of its step.

    The step leads from the mean of the second before `start` to the mean of the period's last
    second.

    Args:
        at: times of the curve, seconds.
        values: values of the curve at these times.
        start: start of the step, seconds.

    Returns:
        Seconds after `start`, or the length of a period if the curve does not get that far.
    """
    before = _within(at, values, start - 1, start).mean()
    after = _within(at, values, start + PERIOD_S - 1, start + PERIOD_S).mean()
    inside = (at > start) & (at <= start + PERIOD_S)
    width = max(1, round(SMOOTH_S / float(np.median(np.diff(at)))))
    smooth = np.convolve(values[inside], np.ones(width) / width, mode="valid")
    made = (smooth - before) / (after - before) >= 0.9
    if not made.any():
        return PERIOD_S
    return float(at[inside][int(np.argmax(made)) + width - 1] - start)


def trajectory(at: Floats, values: Floats, source: int = 1) -> list[float]:
    """Return coarse samples from the paper's time 0 to 10 s, with 0 while `source` is inactive."""
    grid = BEGIN_S + (np.arange(POINTS) + 0.5) * 5 * PERIOD_S / POINTS
    picked = values[np.searchsorted(at, grid).clip(0, len(values) - 1)]
    active = [source in ACTIVE[int((t - BEGIN_S) // PERIOD_S)] for t in grid]
    return [float(value) if on else 0.0 for value, on in zip(picked, active, strict=True)]


def _within(at: Floats, values: Floats, start: float, end: float) -> Floats:
    return values[(at > start) & (at <= end)]
