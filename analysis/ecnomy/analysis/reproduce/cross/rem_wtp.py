# SPDX-License-Identifier: Apache-2.0
"""WTP competes with REM of equal utility: x = w ln phi / m against x = w ln phi / -ln(1 - m)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["advantage", "draw", "figures"]

MARKING: Final = "network.links.bottleneck.marking"
FEW: Final = 0.1
MANY: Final = 0.5


def advantage(marked: npt.ArrayLike) -> Floats:
    """Return WTP's rate / REM's, -ln(1 - m) / m, if both receive the same share of marks m."""
    m = np.asarray(marked, dtype=np.float64)
    return np.asarray(-np.log1p(-m) / m)


def _points(studies: Studies) -> dict[float, Runs]:
    runs = studies["rem-wtp"]
    return {
        float(msgspec.json.decode(value)["phi"]): runs.at({MARKING: value})
        for value in runs.values(MARKING)
    }


def _ratio(runs: Runs) -> Floats:
    return runs.sample("wtp.goodput_bps") / runs.sample("rem.goodput_bps")


def figures(studies: Studies) -> Samples:
    """Return WTP's rate / REM's, per seed, and this ratio divided by its theoretical value."""
    samples: dict[str, Floats | float] = {}
    for phi, runs in _points(studies).items():
        marked = runs.sample("bottleneck.marking_probability")
        kind = "few" if marked.mean() <= FEW else "many" if marked.mean() > MANY else "between"
        name = f"{kind}.phi={phi:.4g}"
        samples[f"marked.{name}"] = marked
        samples[f"wtp_over_rem.{name}"] = _ratio(runs)
        samples[f"wtp_over_rem_over_theory.{name}"] = _ratio(runs) / advantage(marked)
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the ratio of rates against the share of packets marked."""
    axis = figure.subplots()
    points = _points(studies).values()
    at = [float(runs.sample("bottleneck.marking_probability").mean()) for runs in points]
    band(axis, at, [_ratio(runs) for runs in points], 0, "measured")
    grid = np.linspace(0.01, 0.95, 95)
    theory_line(axis, grid, advantage(grid), "-ln(1 - m) / m")
    axis.set(
        xlabel="share of packets marked", ylabel="rate of WTP over that of REM", ylim=(0, None)
    )
    axis.legend()
