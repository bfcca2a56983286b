# SPDX-License-Identifier: Apache-2.0
"""Robustness to packet loss, announced in section V: utilisation and shares over lossy wires."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.fig5 import RTT_MS
from ecnomy.analysis.reproduce.curve_style import band
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_LOSS: Final = "network.links.bottleneck.loss"


def _by_loss(runs: Runs) -> dict[int, Runs]:
    return {
        round(1000 * float(loss)): runs.at({_LOSS: loss})
        for loss in sorted(runs.values(_LOSS), key=float)
    }


def _shares(runs: Runs) -> dict[int, np.ndarray]:
    rates = {s: runs.sample(f"s{s}.goodput_bps") for s in RTT_MS}
    total = np.sum(list(rates.values()), axis=0)
    return {s: rate / total for s, rate in rates.items()}


def figures(studies: Studies) -> Samples:
    """Return utilisation, its decrease due to losses, and shares / those without losses."""
    by_loss = _by_loss(studies["losses"])
    use = {loss: runs.sample("bottleneck.utilization") for loss, runs in by_loss.items()}
    shares = {loss: _shares(runs) for loss, runs in by_loss.items()}
    samples: dict[str, np.ndarray | float] = {}
    for loss, runs in by_loss.items():
        name = f"{loss}_of_1000"
        samples[f"use.{name}"] = use[loss]
        samples[f"backlog.{name}"] = runs.sample("bottleneck.mean_queue_packets")
        if loss == 0:
            continue
        samples[f"fall.{name}"] = use[0] - use[loss]
        for s in RTT_MS:
            samples[f"share_over_lossless.{name}.s{s}"] = shares[loss][s] / shares[0][s]
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw utilisation and the sources' shares against the loss rate of the wire."""
    by_loss = _by_loss(studies["losses"])
    left, right = figure.subplots(1, 2)
    percent = [loss / 10 for loss in by_loss]
    use = [runs.sample("bottleneck.utilization") for runs in by_loss.values()]
    band(left, percent, use, 0, "REM PC3")
    for s in RTT_MS:
        shares = [_shares(runs)[s] for runs in by_loss.values()]
        band(right, percent, shares, s - 1, f"S{s}, {RTT_MS[s]} ms")
    left.set(ylabel="utilization", ylim=(0, 1.02))
    right.set(ylabel="share of the goodput", ylim=(0, None))
    for axis in (left, right):
        axis.set_xlabel("packets lost on the wire, %")
    right.legend(fontsize="small")
