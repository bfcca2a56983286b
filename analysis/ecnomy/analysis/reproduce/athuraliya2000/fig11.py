# SPDX-License-Identifier: Apache-2.0
"""Figure 11: twenty REM sources as the round trip rises from 10 to 100 ms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ecnomy.analysis.reproduce.athuraliya2000.scaling import (
    BASE,
    controls,
    draw_scaled,
    scaled,
)
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

SWEPT: Final = "network.links.access.delay"


def theory(x: float) -> float:
    """Return the theoretical rate of a source, packets/ms."""
    return 1.0


def points(runs: Runs) -> dict[float, Runs]:
    """Return the runs by round-trip propagation delay, ms."""
    return {2 * float(value): runs.at({SWEPT: value}) for value in runs.values(SWEPT)}


def figures(studies: Studies) -> Samples:
    """Return the measures of scaling.scaled, also for controls."""
    return controls(studies["fig11-control"], points, theory) | scaled(
        points(studies["fig11"]), theory
    )


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the plots of scaling.draw_scaled against the round-trip propagation delay."""
    draw_scaled(figure, {BASE: points(studies["fig11"])}, theory, "round-trip propagation, ms")
