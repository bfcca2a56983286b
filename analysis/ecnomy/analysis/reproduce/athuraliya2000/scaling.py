# SPDX-License-Identifier: Apache-2.0
"""Figures 9 to 11: rate, utilization, loss and backlog as something is scaled up tenfold."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.pictures import band, theory_line
from ecnomy.analysis.reproduce.studies import Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["controls", "draw_scaled", "scaled"]

COLUMNS: Final = {"use": "utilization", "loss": "loss", "backlog": "mean_queue_packets"}
SACK: Final = "sources.rem.transport.sack"
VARIANTS: Final = {"plain": "False", "unlimited": "True"}  # by SACK, in the sweeps of controls
Points = dict[float, Runs]


def scaled(points: Points, theory: Callable[[float], float]) -> dict[str, np.ndarray | float]:
    """Rate over theory, and how well the link does, per seed.

    Args:
        points: x -> runs.
        theory: rate of a source at x, packets/ms.
    """
    found: dict[str, np.ndarray | float] = {}
    for x, runs in points.items():
        found[f"rate_over_theory.x={x:g}"] = _rate(runs) / theory(x)
        found |= {
            f"{name}.x={x:g}": runs.sample(f"bottleneck.{column}")
            for name, column in COLUMNS.items()
        }
    return found


def controls(
    runs: Runs, points: Callable[[Runs], Points], theory: Callable[[float], float]
) -> dict[str, np.ndarray | float]:
    """`scaled` of the controls, by what they change.

    `plain`: sources as in the pseudocode; `unlimited`: such ones, a buffer that never overflows.
    """
    found: dict[str, np.ndarray | float] = {}
    for name, sack in VARIANTS.items():
        if sack in runs.values(SACK):
            own = scaled(points(runs.at({SACK: sack})), theory)
            found |= {f"control.{name}.{key}": value for key, value in own.items()}
    return found


def _rate(runs: Runs) -> np.ndarray:
    """Packets/ms of one source that are delivered, those sent again included.

    Goodput would show repairs of the losses at the start, which the paper's sources do not make.
    """
    return np.asarray(runs.sample("rem.delivered_pps") / 1000)


def draw_scaled(
    figure: Figure, points: Points, theory: Callable[[float], float], label: str
) -> None:
    """(a) rate, (b) utilization, (c) loss, (d) backlog."""
    figure.set_size_inches(9, 6.5)
    (rate, use), (loss, backlog) = figure.subplots(2, 2, sharex=True)
    at = list(points)
    band(rate, at, [_rate(runs) for runs in points.values()], 0, "measured")
    theory_line(rate, at, [theory(x) for x in at], "theory")
    rate.legend()
    rate.set(ylabel="rate of a source, packets/ms", title="(a)", ylim=(0, None))
    panels = (
        (use, "utilization", 100, "utilization, %", "(b)"),
        (loss, "loss", 100, "loss, %", "(c)"),
        (backlog, "mean_queue_packets", 1, "mean backlog, packets", "(d)"),
    )
    for axis, column, factor, name, title in panels:
        samples = [factor * runs.sample(f"bottleneck.{column}") for runs in points.values()]
        band(axis, at, samples, 0, "measured")
        axis.set(ylabel=name, title=title)
        if axis is not use:
            axis.set_ylim(bottom=0)
    for axis in (loss, backlog):
        axis.set_xlabel(label)
