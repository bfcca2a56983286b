# SPDX-License-Identifier: Apache-2.0
"""Figure 4: throughput and goodput at the receivers of experiment 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.christin2003.laws import ALGORITHMS, algorithms
from ecnomy.analysis.reproduce.christin2003.panels import six_panels
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_RATE_BPS: Final = 10e6
_AVOIDS: Final = ("pi-exact", "reference", "heuristic")
_LOSES: Final = ("drop-tail", "red", "pi-approximate")


def figures(studies: Studies) -> Samples:
    """Return throughput / capacity and goodput / throughput, with controls, per seed."""
    runs = algorithms(studies)
    samples: dict[str, np.ndarray] = {}
    for name in ALGORITHMS:
        samples[f"throughput_share.{name}"] = runs[name].sample("throughput_bps") / _RATE_BPS
        kind = "avoids" if name in _AVOIDS else "loses"
        samples[f"goodput_share.{kind}.{name}"] = runs[name].sample("goodput_share")
    for bad in _LOSES:
        for good in _AVOIDS:
            gap = samples[f"goodput_share.loses.{bad}"] - samples[f"goodput_share.avoids.{good}"]
            samples[f"goodput_gap.{bad}_minus_{good}"] = gap
    for name in ALGORITHMS:
        samples[f"loss.{name}"] = runs[name].sample("loss_share")
        samples[f"timeouts_per_s.{name}"] = runs[name].sample("timeouts_per_s")
    marked, tahoe = studies["exp1-overmarked"], studies["exp1-tahoe"]
    samples["control.overmarked.throughput_share"] = marked.sample("throughput_bps") / _RATE_BPS
    samples["control.tahoe.goodput_share"] = tahoe.sample("goodput_share")
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw, for each algorithm, one seed's rates in windows of 0.25 s, with the mean goodput."""
    runs = algorithms(studies)
    rows = {
        name: {kind: runs[name].row(kind)[0] / 1e6 for kind in ("throughput", "goodput")}
        for name in ALGORITHMS
    }
    means = {name: runs[name].sample("goodput_bps") / 1e6 for name in ALGORITHMS}
    six_panels(figure, rows, means, "rate [Mbps]")
