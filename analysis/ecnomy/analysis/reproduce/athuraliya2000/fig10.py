# SPDX-License-Identifier: Apache-2.0
"""Figure 10: twenty REM sources as the capacity rises from 10 to 100 packets/ms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ecnomy.analysis.reproduce.athuraliya2000.forms import of_form
from ecnomy.analysis.reproduce.athuraliya2000.scaling import (
    BASE,
    controls,
    draw_scaled,
    in_forms,
    scaled,
)
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

SWEPT: Final = "network.links.bottleneck.rate"


def theory(x: float) -> float:
    """Return the theoretical rate of a source, packets/ms."""
    return x / 20


def points(runs: Runs) -> dict[float, Runs]:
    """Return the runs by capacity, packets/ms."""
    return {float(value) / 8: runs.at({SWEPT: value}) for value in runs.values(SWEPT)}


def figures(studies: Studies) -> Samples:
    """Return the measures of scaling.scaled, also with another gamma and for controls."""
    samples: dict[str, Sample] = {}
    for form, runs in in_forms(studies["fig10"], studies["fig10-losses"]).items():
        samples |= of_form(form, scaled(points(runs), theory))
    small = of_form(BASE, scaled(points(studies["fig10-gamma"]), theory))
    samples |= {f"control.gamma.{name}": value for name, value in small.items()}
    return samples | controls(studies["fig10-control"], points, theory)


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the plots of scaling.draw_scaled against the capacity."""
    runs = in_forms(studies["fig10"], studies["fig10-losses"])
    forms = {form: points(own) for form, own in runs.items()}
    draw_scaled(figure, forms, theory, "capacity, packets/ms")
