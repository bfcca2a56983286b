# SPDX-License-Identifier: Apache-2.0
"""Figures 13 and 14: marking and delay rates of three-minute samples, together and over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.andreassen2002.mixes import mixes, ranks
from ecnomy.analysis.reproduce.andreassen2002.samples import LONG_S
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies
from ecnomy.analysis.statistics.intervals import correlation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "lowered_by"]

_STREAM: Final = "stream-3"
_REJECTED: Final = 0.1


def _of_example(runs: Runs) -> Runs:
    """Return the runs of the mix 700/30 at its lowest threshold, 360 packets."""
    mix = next(iter(mixes(runs).values()))
    return next(iter(mix.values()))


def lowered_by(marking: Floats, late: Floats) -> float:
    """Return the relative fall of the mean delay rate without the most marked tenth of samples."""
    rejected = max(1, round(_REJECTED * len(marking)))
    kept = np.argsort(marking, kind="stable")[:-rejected]
    return float(1 - late[kept].mean() / late.mean())


def _of_runs(runs: Runs) -> dict[str, Floats | float]:
    marking = runs.row(f"sample.marking.{_STREAM}")
    late = runs.row(f"sample.late.{_STREAM}")
    pairs = list(zip(marking, late, strict=True))
    factors = [own[1][own[0] > 0] / own[0][own[0] > 0] for own in pairs]
    return {
        "correlation": np.array([correlation(*pair) for pair in pairs]),
        "lowered_by": np.array([lowered_by(*pair) for pair in pairs]),
        "spearman": ranks(marking.T, late.T),
        "factor.variation": np.array([row.std(ddof=1) / row.mean() for row in factors]),
        "samples": float(marking.shape[1]),
        "marks": runs.sample(f"marks.{_STREAM}") / marking.shape[1],
        "late": late.mean(axis=1),
        "late.variation": late.std(axis=1, ddof=1) / late.mean(axis=1),
        "marking.variation": marking.std(axis=1, ddof=1) / marking.mean(axis=1),
    }


def figures(studies: Studies) -> Samples:
    """Return correlations and ratios of marking and delay rates, and the effect of rejection."""
    narrow = _of_runs(_of_example(studies["narrow-streams"]))
    controls = {f"control.{name}": row for name, row in narrow.items()}
    return _of_runs(_of_example(studies["streams"])) | controls


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the first seed's delay rates against its marking rates, and both over time."""
    figure.set_size_inches(10, 4.5)
    left, right = figure.subplots(1, 2)
    runs = _of_example(studies["streams"])
    marking = runs.row(f"sample.marking.{_STREAM}")[0]
    late = runs.row(f"sample.late.{_STREAM}")[0]
    left.plot(marking, late, **(look(0) | {"linestyle": "none"}))
    bound = float(np.quantile(marking, 1 - _REJECTED))
    left.axvline(bound, color="black", linewidth=0.9, linestyle="--", label="a tenth is beyond")
    left.set(xlabel="marking rate of a sample", ylabel="delay rate (15 ms) of the sample")
    left.set_xlim(left=0)
    left.set_ylim(bottom=0)
    left.legend()
    minutes = (np.arange(len(marking)) + 0.5) * LONG_S / 60
    for index, (row, label) in enumerate(((marking, "marking rate"), (late, "delay rate"))):
        right.plot(minutes, row / row.mean(), label=label, **look(index))
    right.set(xlabel="time since warm-up [min]", ylabel="over its mean")
    right.set_ylim(bottom=0)
    right.legend()
