# SPDX-License-Identifier: Apache-2.0
"""Figure 3: web users' states (idle, reading, downloading), and their closed downloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.andreassen2002 import readers
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_PAGES: Final = "sources.surfers.traffic.sessions.pages"
_IDLE_S, _READING_S, _VARIATION = 1800.0, 42.8, 2.9
_WINDOW_S: Final = 30_000.0  # measured window, from surfers.yaml
_SIGNIFICANT: Final = 1.95  # sqrt(n) times the distance that one sample in a thousand exceeds


def figures(studies: Studies) -> Samples:
    """Return the errors of idle and reading times, and the measures of readers.figures."""
    return dict(readers.figures(studies)) | _states(studies["surfers"])


def _states(runs: Runs) -> dict[str, np.ndarray | float]:
    few, endless = sorted(runs.values(_PAGES), key=float)
    own, sessions = runs.at({_PAGES: endless}), runs.at({_PAGES: few})
    samples: dict[str, np.ndarray | float] = {
        "errors_off.idle": _errors_off(own, "idle_s", _IDLE_S),
        "errors_off.idle_variation": _errors_off(own, "idle_cv", 1.0),
        "errors_off.reading": _errors_off(own, "reading_s", _READING_S),
        "errors_off.reading_variation": _errors_off(own, "reading_cv", _VARIATION),
        "readings": float(own.sample("readings").sum()),
        "idle_s": own.sample("idle_s"),
        "reading_s": own.sample("reading_s"),
        "reading_variation": own.sample("reading_cv"),
    }
    distance = own.sample("reading_distance") * np.sqrt(own.sample("readings"))
    samples["branches.distance_over_critical"] = distance / _SIGNIFICANT
    pages = float(few)
    wanted = _WINDOW_S * pages / (_IDLE_S + pages * _READING_S)
    samples["errors_off.pages"] = _errors_off(sessions, "pages_per_user", wanted)
    return samples


def _errors_off(runs: Runs, column: str, wanted: float) -> float:
    values, errors = runs.sample(column), runs.sample(f"{column}_se")
    pooled = float(np.sqrt((errors**2).sum())) / len(values)
    return (float(values.mean()) - wanted) / pooled


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the same plots as readers.draw."""
    readers.draw(studies, figure)
