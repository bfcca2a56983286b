# SPDX-License-Identifier: Apache-2.0
"""Figure 10: the effect of theta and B on the virtual queue's marking."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.controls import curve_controls
from ecnomy.analysis.reproduce.siris2002.curves import (
    MarkingCurve,
    axes_of_curves,
    curve_of,
    differences,
    draw_curve,
    load_at,
    pseudo_values,
    slope,
)
from ecnomy.analysis.reproduce.siris2002.laws import MARKING
from ecnomy.analysis.reproduce.studies import Runs, Studies
from ecnomy.analysis.theory.virtual_queue import virtual_queue_probability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

Curves = dict[str, MarkingCurve]


def _curves(runs: Runs) -> tuple[Curves, Curves]:
    """Return the curves by theta at B = 30, and the curves by B at theta = 0.95."""
    curves = {}
    for value in runs.values(MARKING):
        law = msgspec.json.decode(value)
        buffer = float(str(law["buffer"]).split()[0])
        curves[float(law["theta"]), buffer] = curve_of(runs.at({MARKING: value}))
    thetas = {
        f"{theta:g}": curves[theta, buffer] for theta, buffer in sorted(curves) if buffer == 30
    }
    keys = sorted(curves, key=lambda key: key[1])
    buffers = {f"{buffer:g}": curves[theta, buffer] for theta, buffer in keys if theta == 0.95}
    return thetas, buffers


def figures(studies: Studies) -> Samples:
    """Return loads at p = 0.1 and slopes by theta and B, and distances between the curves of B."""
    thetas, buffers = _curves(studies["fig10"])
    loads = {theta: pseudo_values(load_at(0.1), curve) for theta, curve in thetas.items()}
    slopes = {theta: pseudo_values(slope, curve) for theta, curve in thetas.items()}
    steep = {buffer: pseudo_values(slope, curve) for buffer, curve in buffers.items()}
    apart = pseudo_values(_slope_spread, *thetas.values())
    samples: dict[str, Floats | float] = {"theta.slope_spread": apart}
    samples |= {f"theta.slope.{theta}": own for theta, own in slopes.items()}
    for level in (0.2, 0.3):
        others = {t: pseudo_values(load_at(level), curve) for t, curve in thetas.items()}
        rises = differences(others)
        samples |= {f"control.load_rises_at_p={level:g}.{name}": d for name, d in rises.items()}
    samples |= {f"theta.load_rises.{name}": rise for name, rise in differences(loads).items()}
    samples |= {f"buffer.slope_rises.{name}": rise for name, rise in differences(steep).items()}
    names = list(buffers)
    least, most = buffers[names[0]], buffers[names[-1]]
    samples["buffer.small_minus_large.at_low_load"] = pseudo_values(_apart(0), least, most)
    samples["buffer.large_minus_small.at_high_load"] = -pseudo_values(_apart(-1), least, most)
    samples |= _of_poisson()
    samples |= _small_gain(studies["fig10-controls"])
    return samples | curve_controls(studies["curve-controls"])


def _small_gain(runs: Runs) -> dict[str, Floats]:
    thetas, _ = _curves(runs)
    loads = {theta: pseudo_values(load_at(0.1), curve) for theta, curve in thetas.items()}
    samples = {f"load_rises.{name}": rise for name, rise in differences(loads).items()}
    samples["slope_spread"] = pseudo_values(_slope_spread, *thetas.values())
    for theta, curve in thetas.items():
        samples[f"slope.{theta}"] = pseudo_values(slope, curve)
    return {f"control.small_gain.{name}": value for name, value in samples.items()}


def _slope_spread(*rows: Floats) -> float:
    """Return (largest - smallest) / mean of the slopes of curves, given load and p of each."""
    slopes = [slope(load, p) for load, p in zip(rows[::2], rows[1::2], strict=True)]
    return float(np.ptp(slopes) / np.mean(slopes))


def _of_poisson() -> dict[str, float]:
    """Return exact slopes by B and loads at p = 0.1 by theta, for Poisson arrivals."""
    measures = {}
    for buffer in (10.0, 30.0, 60.0):
        loads = np.linspace(0.5, 0.95, 46)
        measures[f"slope.B={buffer:g}"] = slope(loads, _poisson_curve(loads, 0.95, buffer))
    for theta in (0.85, 0.90, 0.95, 1.0):
        loads = theta * np.linspace(0.5, 1.1, 121)
        at = load_at(0.1)(loads, _poisson_curve(loads, theta, 30))
        measures[f"load_at_p=0.1.theta={theta:g}"] = at
    return {f"theory.poisson.{name}": value for name, value in measures.items()}


def _poisson_curve(loads: Floats, theta: float, buffer: float) -> Floats:
    return np.array([virtual_queue_probability(load, theta, buffer) for load in loads])


def _apart(end: int) -> Callable[[Floats, Floats, Floats, Floats], float]:
    """Return a statistic: the difference of p at the lowest (0) or highest (-1) common load."""

    def statistic(load: Floats, p: Floats, other_load: Floats, other_p: Floats) -> float:
        one, other = np.argsort(load), np.argsort(other_load)
        common = (max(load.min(), other_load.min()), min(load.max(), other_load.max()))
        at = common[end]
        return float(
            np.interp(at, load[one], p[one]) - np.interp(at, other_load[other], other_p[other])
        )

    return statistic


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the curves (a) by theta and (b) by B."""
    axes = figure.subplots(1, 2, sharey=True)
    for axis, title, what, curves in zip(
        axes,
        ("(a) B = 30", "(b) theta = 0.95"),
        ("theta", "B"),
        _curves(studies["fig10"]),
        strict=True,
    ):
        for index, (name, curve) in enumerate(curves.items()):
            draw_curve(axis, curve, index, f"{what} = {name}")
        axes_of_curves(axis, title)
    loads = np.linspace(0.5, 1, 40)
    exact = [virtual_queue_probability(load, 0.95, 30) for load in loads]
    axes[1].plot(loads, exact, "k--", linewidth=0.9, label="B = 30, Poisson arrivals (theory)")
    axes[1].legend()
    axes[1].set(ylabel="")
