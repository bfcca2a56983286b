# SPDX-License-Identifier: Apache-2.0
"""Figure 8a: sources whose weights give all sources the same window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.fig5 import CAPACITY, RTT_MS
from ecnomy.analysis.reproduce.athuraliya2000.rem import equal_windows
from ecnomy.analysis.reproduce.athuraliya2000.series import RecordedSeries
from ecnomy.analysis.reproduce.curve_style import look, theory_line
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "windows"]

BEGIN_S: Final = 1.0  # the paper's time 0
ORDER: Final = (1, 2, 3, 4)  # source k starts at k - 2 s of the paper's time
SPANS_S: Final = {2: (1.5, 2.0), 3: (2.5, 3.0), 4: (4.0, 7.0)}  # active -> settled from, to
POINTS: Final = 70


def windows(results: Path) -> dict[str, float | list[float]]:
    """Return each source's mean window while n sources are settled, and its window over time.

    Names are `s1.window.n` and `path.s1[i]`, with a value over time every 0.1 s.
    """
    recorded = RecordedSeries(results)
    columns: dict[str, float | list[float]] = {}
    for source in ORDER:
        at, window = recorded.windows(f"s{source}")
        for active, (start, end) in SPANS_S.items():
            if source <= active:
                own = window[(at > start) & (at <= end)]
                columns[f"s{source}.window.{active}"] = float(own.mean())
        grid = np.arange(POINTS) * 0.1 + 0.05
        path = window[np.searchsorted(at, grid).clip(0, len(window) - 1)]
        columns[f"path.s{source}"] = [
            float(value) if t > BEGIN_S + source - 2 or source == 1 else 0.0
            for t, value in zip(grid, path, strict=True)
        ]
    return columns


def _common(active: int) -> float:
    return equal_windows(CAPACITY, [RTT_MS[s] for s in ORDER[:active]])


def figures(studies: Studies) -> Samples:
    """Return windows divided by theory and by their mean, and rates x delays / their mean."""
    runs = studies["fig8a"]
    samples: dict[str, np.ndarray | float] = {}
    for active in SPANS_S:
        own = {s: runs.sample(f"s{s}.window.{active}") for s in ORDER[:active]}
        for s, window in own.items():
            samples[f"window_over_theory.{active}.s{s}"] = window / _common(active)
        mean = np.mean(list(own.values()), axis=0)
        samples |= {f"window_over_mean.{active}.s{s}": own[s] / mean for s in own}
    rates = {s: runs.sample(f"s{s}.goodput_bps") * RTT_MS[s] for s in ORDER}
    mean = np.mean(list(rates.values()), axis=0)
    samples |= {f"rate_times_delay.s{s}": rates[s] / mean for s in ORDER}
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw windows over time for the first seed."""
    axis = figure.subplots()
    runs = studies["fig8a"]
    at = np.arange(POINTS) * 0.1 + 0.05 - BEGIN_S
    for source in ORDER:
        path = runs.row(f"path.s{source}")[0]
        style = look(source - 1) | {"markersize": 3}
        label = f"S{source}, {RTT_MS[source]} ms"
        axis.plot(at, np.where(path > 0, path, np.nan), label=label, **style)
    for active, ends in {1: (-1, 0), 2: (0, 1), 3: (1, 2), 4: (2, 6)}.items():
        label = "theory" if active == 4 else "_nolegend_"
        theory_line(axis, ends, [_common(active)] * 2, label)
    axis.set(xlabel="time, s", ylabel="window, packets", ylim=(0, None))
    axis.legend(ncols=2)
