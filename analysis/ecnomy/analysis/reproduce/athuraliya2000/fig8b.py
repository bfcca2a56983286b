# SPDX-License-Identifier: Apache-2.0
"""Figure 8b: the share of a connection over n links, with another connection over each link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.chains import by_length, draw_shares, shares
from ecnomy.analysis.reproduce.athuraliya2000.forms import SOURCES, of_form
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

STUDIES: Final = {"plain": "fig8b", "smoothed": "fig8b-smoothed", "few-marks": "fig8b-phi"}
TITLES: Final = SOURCES | {"few-marks": "plain, φ 1.1"}


def figures(studies: Studies) -> Samples:
    """Return the shares of plain and smoothed sources, and of plain sources with smaller phi."""
    samples: dict[str, Sample] = {}
    for form, study in STUDIES.items():
        samples |= of_form(form, _figures(by_length(studies[study])))
    return samples


def _figures(lengths: dict[int, Runs]) -> dict[str, Sample]:
    samples: dict[str, Sample] = {}
    points = {n: shares(runs, n) for n, runs in lengths.items()}
    for n, own in points.items():
        samples |= {f"share_over_theory.n={n}.link={i}": s * (n + 1) for i, s in enumerate(own, 1)}
    mean = {n: np.mean(own, axis=0) for n, own in points.items()}
    order = sorted(mean)
    for less, more in zip(order, order[1:], strict=False):
        samples[f"fall.n={less}_to_{more}"] = mean[less] - mean[more]
    samples |= {f"mean_share_over_theory.n={n}": own * (n + 1) for n, own in mean.items()}
    for n, runs in lengths.items():
        samples[f"long_marked.n={n}"] = runs.sample("long.marking_rate")
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw shares against n, with one panel per form of source."""
    figure.set_size_inches(12, 4.5)
    axes = figure.subplots(1, len(STUDIES), sharey=True)
    for axis, (form, study) in zip(axes, STUDIES.items(), strict=True):
        points = {n: shares(runs, n) for n, runs in by_length(studies[study]).items()}
        draw_shares(axis, points, {n: 1 / (n + 1) for n in points})
        axis.set_title(TITLES[form])
