# SPDX-License-Identifier: Apache-2.0
"""Figure 12: the ideal case, in which the delay rate L follows from the marking rate M.

M has a Beta distribution as in guaranteed.py, and L = 4 M (1 + N) with N uniform within 10 %. From
random samples, the provider estimates the mean factor L / M and the largest deviation from it. It
discards samples whose M is so large that this deviation would raise L above the guarantee. The
control has the same L but an independent M.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis import theory
from ecnomy.analysis.reproduce.andreassen2002.guaranteed import SEEDS
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["blocking_point", "draw", "figures"]

_DRAWS: Final = 20_000
_SHOWN: Final = 41  # number of samples in figure 13
_MEAN: Final = 1.2e-3
_DEVIATION: Final = 6e-4
_SLOPE: Final = 4.0
_NOISE: Final = 0.1
_LATE: Final = 0.01  # L^G
_KEY: Final = 12


def _draw(rng: np.random.Generator, *, related: bool) -> tuple[Floats, Floats]:
    fit = theory.BetaMarking.of_moments(_MEAN, _DEVIATION**2)
    cause = rng.beta(fit.a, fit.b, _DRAWS)
    late = _SLOPE * cause * (1 + rng.uniform(-_NOISE, _NOISE, _DRAWS))
    return (cause if related else rng.beta(fit.a, fit.b, _DRAWS)), late


def blocking_point(marking: Floats, late: Floats, guarantee: float) -> float:
    """Return guarantee / max(L / M), the largest M at which no L / M seen breaks the guarantee."""
    slope = float(np.mean(late / marking))
    largest = float(np.max(late / marking)) / slope - 1
    return guarantee / (slope * (1 + largest))


def figures(studies: Studies) -> Samples:
    """Return the largest delay rates / the guarantee, and the share of samples discarded."""
    by_name: dict[str, list[float]] = {}
    for name, related in (("", True), ("control.", False)):
        for seed in SEEDS:
            rng = np.random.Generator(np.random.Philox(key=[seed, _KEY]))
            point = blocking_point(*_draw(rng, related=True), _LATE)
            marking, late = _draw(rng, related=related)
            accepted = late[marking <= point]
            by_name.setdefault(f"{name}most_accepted", []).append(float(accepted.max()) / _LATE)
            by_name.setdefault(f"{name}most", []).append(float(late.max()) / _LATE)
            by_name.setdefault(f"{name}discarded", []).append(float((marking > point).mean()))
    return {name: np.array(row) for name, row in by_name.items()}


def draw(studies: Studies, figure: Figure) -> None:
    """Draw as many samples as Figure 13 has, and the blocking point."""
    axis = figure.subplots()
    rng = np.random.Generator(np.random.Philox(key=[SEEDS[0], _KEY]))
    learnt = _draw(rng, related=True)
    point = blocking_point(*learnt, _LATE)
    marking, late = (row[:_SHOWN] for row in learnt)
    kept = marking <= point
    axis.plot(marking[kept], late[kept], label="accepted", **(look(0) | {"linestyle": "none"}))
    style = look(1) | {"linestyle": "none", "fillstyle": "none"}
    axis.plot(marking[~kept], late[~kept], label="discarded", **style)
    axis.axvline(point, color="black", linewidth=0.9, linestyle="--", label="blocking point")
    axis.axhline(_LATE, color="black", linewidth=0.9, linestyle=":", label="guarantee")
    axis.set(xlabel="marking rate of a sample", ylabel="delay rate of the sample")
    axis.set_xlim(left=0)
    axis.set_ylim(bottom=0)
    axis.legend()
