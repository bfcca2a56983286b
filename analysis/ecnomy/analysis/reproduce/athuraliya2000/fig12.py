# SPDX-License-Identifier: Apache-2.0
"""Figure 12: a long connection over n links, with n times the utility of a short connection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.chains import (
    by_length,
    draw_shares,
    shares,
    slope_of_shares,
)
from ecnomy.analysis.reproduce.athuraliya2000.forms import SOURCES, of_form
from ecnomy.analysis.reproduce.athuraliya2000.series import RecordedSeries, cv
from ecnomy.analysis.reproduce.curve_style import band
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "steadiness"]

LINKS: Final = 10
STUDIES: Final = {"plain": "fig12", "smoothed": "fig12-smoothed"}
MARKING: Final = "network.links.shared-1.marking"


def steadiness(results: Path) -> dict[str, float]:
    """Return coefficients of variation: the long connection's window, the first link's marking."""
    recorded = RecordedSeries(results)
    start, end = recorded.measured_s
    variations = {}
    for name, (at, values) in {
        "long.window_cv": recorded.windows("long"),
        "shared-1.probability_cv": recorded.marking("shared-1"),
    }.items():
        variations[name] = cv(values[(at > start) & (at <= end)])
    return variations


def figures(studies: Studies) -> Samples:
    """Return shares and utilisation with plain and with smoothed sources, and effects of alpha."""
    samples: dict[str, Sample] = {}
    for form, study in STUDIES.items():
        samples |= of_form(form, _figures(by_length(studies[study])))
    laws = _by_alpha(studies["fig12-alpha"])
    low, high = laws[0.1], laws[1.0]
    for column in ("long.window_cv", "shared-1.probability_cv"):
        samples[f"alpha.{column}.low_minus_high"] = low.sample(column) - high.sample(column)
    samples["alpha.use.low_minus_high"] = _use(low) - _use(high)
    return samples


def _figures(lengths: dict[int, Runs]) -> dict[str, Sample]:
    points = {n: shares(runs, n) for n, runs in lengths.items()}
    samples: dict[str, Sample] = {"slope_of_share": slope_of_shares(points)}
    for n, runs in lengths.items():
        samples |= {f"share_over_half.n={n}.link={i}": 2 * s for i, s in enumerate(points[n], 1)}
        for i in range(1, n + 1):
            samples[f"use.n={n}.link={i}"] = runs.sample(f"shared-{i}.utilization")
        samples[f"mean_use.n={n}"] = _use(runs, n)
        samples[f"mean_share_over_half.n={n}"] = 2 * np.mean(points[n], axis=0)
    return samples


def _by_alpha(runs: Runs) -> dict[float, Runs]:
    return {
        float(msgspec.json.decode(value)["alpha"]): runs.at({MARKING: value})
        for value in runs.values(MARKING)
    }


def _use(runs: Runs, links: int = LINKS) -> np.ndarray:
    own = [runs.sample(f"shared-{i}.utilization") for i in range(1, links + 1)]
    return np.asarray(np.mean(own, axis=0))


def draw(studies: Studies, figure: Figure) -> None:
    """Draw shares and utilisation against n, with plain and with smoothed sources."""
    figure.set_size_inches(10, 8)
    rows = figure.subplots(2, 2, sharex=True, sharey="col")
    for (left, right), (form, study) in zip(rows, STUDIES.items(), strict=True):
        lengths = by_length(studies[study])
        points = {n: shares(runs, n) for n, runs in lengths.items()}
        draw_shares(left, points, dict.fromkeys(points, 0.5))
        left.set_ylim(0, 1)
        use = [
            [100 * runs.sample(f"shared-{i}.utilization") for i in range(1, n + 1)]
            for n, runs in lengths.items()
        ]
        band(right, list(lengths), [np.max(own, axis=0) for own in use], 0, "largest over links")
        band(right, list(lengths), [np.min(own, axis=0) for own in use], 2, "smallest over links")
        right.set(xlabel="links of the long connection", ylabel="utilization, %")
        right.set_xticks(list(lengths))
        right.legend()
        for axis in (left, right):
            axis.set_title(SOURCES[form])
