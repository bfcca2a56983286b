# SPDX-License-Identifier: Apache-2.0
"""Figure 8b: the share of a connection over n links beside one over each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.chains import by_length, draw_shares, shares
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]


def figures(studies: Studies) -> Samples:
    """Shares at each link over 1 / (n + 1), and how they fall with n, per seed."""
    found: dict[str, np.ndarray | float] = {}
    points = {n: shares(runs, n) for n, runs in by_length(studies["fig8b"]).items()}
    for n, own in points.items():
        found |= {f"share_over_theory.n={n}.link={i}": s * (n + 1) for i, s in enumerate(own, 1)}
    mean = {n: np.mean(own, axis=0) for n, own in points.items()}
    order = sorted(mean)
    for less, more in zip(order, order[1:], strict=False):
        found[f"fall.n={less}_to_{more}"] = mean[less] - mean[more]
    for name in ("smoothed", "phi"):
        for n, runs in by_length(studies[f"fig8b-{name}"]).items():
            share = np.mean(shares(runs, n), axis=0)
            found[f"control.{name}.share_over_theory.n={n}"] = share * (n + 1)
            found[f"control.{name}.long_marked.n={n}"] = runs.sample("long.marking_rate")
    for n, runs in by_length(studies["fig8b"]).items():
        found[f"control.plain.long_marked.n={n}"] = runs.sample("long.marking_rate")
    return found


def draw(studies: Studies, figure: Figure) -> None:
    """Shares against n."""
    points = {n: shares(runs, n) for n, runs in by_length(studies["fig8b"]).items()}
    draw_shares(figure.subplots(), points, {n: 1 / (n + 1) for n in points})
