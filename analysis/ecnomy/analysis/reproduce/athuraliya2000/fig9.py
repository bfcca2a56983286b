# SPDX-License-Identifier: Apache-2.0
"""Figure 9: REM as the number of sources rises from 10 to 100."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.forms import of_form
from ecnomy.analysis.reproduce.athuraliya2000.scaling import (
    controls,
    draw_scaled,
    in_forms,
    scaled,
)
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.ranks import rank_correlation
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

SWEPT: Final = "sources.rem.count"


def theory(x: float) -> float:
    """Return the theoretical rate of a source, packets/ms."""
    return 25 / x


def points(runs: Runs) -> dict[float, Runs]:
    """Return the runs by number of sources."""
    return {float(value): runs.at({SWEPT: value}) for value in runs.values(SWEPT)}


def figures(studies: Studies) -> Samples:
    """Return the measures of scaling.scaled, and correlations of backlog and marks with load."""
    samples: dict[str, Sample] = {}
    for form, runs in in_forms(studies["fig9"], studies["fig9-losses"]).items():
        samples |= of_form(form, _figures(points(runs)))
    return samples | controls(studies["fig9-control"], points, theory)


def _figures(runs: dict[float, Runs]) -> dict[str, Sample]:
    samples = scaled(runs, theory)
    backlog = [own.sample("bottleneck.mean_queue_packets") for own in runs.values()]
    samples["correlation.backlog"] = _correlation(list(runs), backlog)
    marked = [own.sample("bottleneck.marked") for own in runs.values()]
    samples["price_rank"] = rank_correlation(dict(zip(runs, marked, strict=True)))
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the plots of scaling.draw_scaled against the number of sources."""
    runs = in_forms(studies["fig9"], studies["fig9-losses"])
    forms = {form: points(own) for form, own in runs.items()}
    draw_scaled(figure, forms, theory, "number of sources")


def _correlation(n: list[float], samples: list[np.ndarray]) -> np.ndarray:
    values = np.asarray(samples)
    return np.asarray([np.corrcoef(n, values[:, seed])[0, 1] for seed in range(values.shape[1])])
