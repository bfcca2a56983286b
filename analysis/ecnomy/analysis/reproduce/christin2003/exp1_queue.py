# SPDX-License-Identifier: Apache-2.0
"""Figure 5: queue lengths of six algorithms in experiment 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.christin2003.controls import controls
from ecnomy.analysis.reproduce.christin2003.laws import ALGORITHMS, algorithms, by_options
from ecnomy.analysis.reproduce.christin2003.panels import six_panels
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_BUFFER_BYTES: Final = 150_000.0


def figures(studies: Studies) -> Samples:
    """Return the mean and standard deviation of the queue over windows of 0.25 s, per seed."""
    samples: dict[str, np.ndarray | float] = {}
    runs = algorithms(studies)
    for name, own in runs.items():
        mean, std = own.sample("queue_mean_bytes"), own.sample("queue_std_bytes")
        samples[f"queue_kB.{name}"] = mean / 1e3
        samples[f"queue_over_buffer.{name}"] = mean / _BUFFER_BYTES
        samples[f"std_over_mean.{name}"] = std / mean
    exact = runs["pi-exact"].sample("queue_std_bytes")
    samples["std.heuristic_over_pi-exact"] = runs["heuristic"].sample("queue_std_bytes") / exact
    samples |= _intervals(studies)
    return samples | controls(studies)


def _intervals(studies: Studies) -> dict[str, np.ndarray]:
    """Return mean queues by sampling interval, and ratios of deviations (shorter / next longer)."""
    samples: dict[str, np.ndarray] = {}
    before: tuple[str, np.ndarray] | None = None
    for name, runs in by_options(studies["exp1-interval"]).items():
        interval = name.partition("interval=")[2]
        std = runs.sample("queue_std_bytes")
        samples[f"queue_kB.interval={interval}"] = runs.sample("queue_mean_bytes") / 1e3
        if before is not None:
            samples[f"std_shorter_over_longer.{before[0]}_{interval}"] = before[1] / std
        before = interval, std
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw, for each algorithm, one seed's queue in windows of 0.25 s, with means in the titles."""
    runs = algorithms(studies)
    rows = {name: {"": runs[name].row("queue")[0] / 1e3} for name in ALGORITHMS}
    means = {name: runs[name].sample("queue_mean_bytes") / 1e3 for name in ALGORITHMS}
    buffer = _BUFFER_BYTES / 1e3, "buffer"
    six_panels(figure, rows, means, "queue [kB]", buffer, from_zero=True)
