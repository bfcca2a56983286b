# SPDX-License-Identifier: Apache-2.0
"""Figure 13: one connection over twenty links, and another connection over each link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.chains import shares
from ecnomy.analysis.reproduce.athuraliya2000.forms import SOURCES, of_form
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

STUDIES: Final = {"smoothed": "fig13", "plain": "fig13-plain"}
LINKS: Final = 20
SHORT_RTT_MS: Final = 7
LONG_RTT_MS: Final = 2 * LINKS + 3


def figures(studies: Studies) -> Samples:
    """Return shares, marks and windows with smoothed and with plain sources, per seed."""
    samples: dict[str, Sample] = {}
    for form, study in STUDIES.items():
        samples |= of_form(form, _figures(studies[study]))
    return samples


def _figures(runs: Runs) -> dict[str, Sample]:
    own = shares(runs, LINKS)
    samples: dict[str, Sample] = {
        f"share_over_theory.link={i}": share * (LINKS + 1) for i, share in enumerate(own, 1)
    }
    samples["mean_share"] = np.asarray(np.mean(own, axis=0)) * (LINKS + 1)
    samples["marked.long"] = runs.sample("long.marking_rate")
    short = [runs.sample(f"short-{i}.marking_rate") for i in range(1, LINKS + 1)]
    samples["marked.short"] = np.asarray(np.mean(short, axis=0))
    windows = [runs.sample(f"short-{i}.mean_cwnd") for i in range(1, LINKS + 1)]
    long = runs.sample("long.mean_cwnd")
    samples["window.long_over_smallest_short"] = long / np.min(windows, axis=0)
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the long connection's share, windows and marks by link, one row per form of source."""
    figure.set_size_inches(11, 7.2)
    rows = figure.subplots(2, 3, sharex=True, sharey="col")
    for axes, (form, study) in zip(rows, STUDIES.items(), strict=True):
        _draw(studies[study], *axes)
        axes[0].set_title(SOURCES[form])
    for axis in rows[-1]:
        axis.set_xlabel("link")
    for axis in rows[0]:
        axis.legend()


def _draw(runs: Runs, left: Axes, middle: Axes, right: Axes) -> None:
    at = list(range(1, LINKS + 1))
    band(left, at, shares(runs, LINKS), 0, "long connection")
    theory_line(left, [1, LINKS], [1 / (LINKS + 1)] * 2, "1/21")
    left.set(ylabel="its share of the link", ylim=(0, None))
    capacity = 12 / (LINKS + 1)
    for axis, column in ((middle, "mean_cwnd"), (right, "marking_rate")):
        band(axis, at, [runs.sample(f"short-{i}.{column}") for i in at], 0, "short connections")
        band(axis, at, [runs.sample(f"long.{column}")] * LINKS, 1, "long connection")
    theory_line(middle, [1, LINKS], [capacity * LINKS * SHORT_RTT_MS] * 2, "theory")
    theory_line(middle, [1, LINKS], [capacity * LONG_RTT_MS] * 2, "_nolegend_")
    middle.set(ylabel="mean window, packets", ylim=(0, None))
    right.set(ylabel="share of packets marked", ylim=(0, 1.02))
