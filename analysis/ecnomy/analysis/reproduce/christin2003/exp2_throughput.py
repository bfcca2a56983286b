# SPDX-License-Identifier: Apache-2.0
"""Figure 8: throughputs of the classes with and without regulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.christin2003.classes import CLASSES
from ecnomy.analysis.reproduce.christin2003.exp2 import LABELS, by_regulation, draw_classes
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_RATE_BPS: Final = 45e6


def figures(studies: Studies) -> Samples:
    """Return the classes' throughputs and their variation over windows of 0.25 s after 5 s."""
    samples: dict[str, np.ndarray] = {}
    runs = by_regulation(studies["exp2"])
    for kind, own in runs.items():
        samples[f"windows_below_bound.{kind}"] = 1 - own.sample("windows_at_bound")
        samples[f"windows_at_bound.{kind}"] = own.sample("windows_at_bound")
        samples[f"throughput_share.{kind}"] = own.sample("throughput_bps") / _RATE_BPS
        for number in CLASSES:
            samples[f"cv.{kind}.class-{number}"] = own.sample(f"throughput_cv.{number}")
            rate = own.sample(f"throughput_bps.{number}")
            samples[f"throughput_Mbps.{kind}.class-{number}"] = rate / 1e6
    ratios = [
        samples[f"cv.unregulated.class-{n}"] / samples[f"cv.regulated.class-{n}"] for n in CLASSES
    ]
    samples["cv_over_regulated"] = np.mean(ratios, axis=0)
    shares = samples["throughput_share.regulated"], samples["throughput_share.unregulated"]
    samples["points_of_utilization_lost"] = 100 * (shares[1] - shares[0])
    for number in CLASSES:
        samples[f"marks.regulated.class-{number}"] = runs["regulated"].sample(f"marks.{number}")
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw one seed's throughputs in windows of 0.5 s, with and without regulation."""
    figure.set_size_inches(9, 7)
    panels = figure.subplots(2, 1, sharex=True, sharey=True)
    for axis, (kind, runs) in zip(panels, by_regulation(studies["exp2"]).items(), strict=True):
        draw_classes(axis, runs, "throughput", 1e-6)
        axis.axhline(5, color="black", linewidth=0.8, linestyle=":", label="Class 1's bound")
        axis.set(title=LABELS[kind], ylabel="throughput [Mbps]", ylim=(0, 32))
    panels[0].set_xlabel("")
    panels[0].legend(ncols=5, loc="upper center", fontsize="small")
