# SPDX-License-Identifier: Apache-2.0
"""Section 5, short flows: page times of Gold and Silver, with and without remembered prices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.judge import Samples, interval_of
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_STRATEGY: Final = "market.agents.gold-readers.strategy"
_WINDOW: Final = "sources.gold.transport.initial_window"
_NAMES: Final = {"price-memory": "remembered", "constant-charge": "fee"}
_LABELS: Final = {"remembered": "4 and 1 Mbps at\nremembered prices", "fee": "1 and 0.25 money/s"}
_COLOURS: Final = {"gold": "#c9a227", "silver": "#8a8f98"}


def _kinds(studies: Studies) -> dict[str, Runs]:
    """Return the runs by form of payment; `control.` stands for the larger initial window."""
    runs, by_kind = studies["short-flows"], {}
    windows = runs.values(_WINDOW)
    for value in runs.values(_STRATEGY):
        kind = _NAMES[msgspec.json.decode(value)["kind"]]
        for window in windows:
            ending = kind if window == min(windows) else f"control.{kind}"
            by_kind[ending] = runs.at({_STRATEGY: value, _WINDOW: window})
    return by_kind


def figures(studies: Studies) -> Samples:
    """Return mean page times, their ratio (Gold / Silver), and charges, by form of payment."""
    samples: dict[str, np.ndarray | float] = {}
    for kind, runs in _kinds(studies).items():
        gold, silver = (runs.sample(f"{name}.page_s") for name in ("gold", "silver"))
        samples[f"time.gold_over_silver.{kind}"] = gold / silver
        samples[f"time.gold.{kind}"], samples[f"time.silver.{kind}"] = gold, silver
        for name in ("gold", "silver"):
            samples[f"charge.{name}.{kind}"] = runs.sample(f"{name}.charge_per_s")
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw mean page times with their intervals."""
    figure.set_size_inches(6.5, 4.5)
    axis = figure.subplots()
    samples = figures(studies)
    for place, kind in enumerate(_LABELS):
        for side, name in enumerate(("gold", "silver")):
            interval = interval_of(samples[f"time.{name}.{kind}"])
            if interval is None:
                continue
            label = name.capitalize() if not place else None
            error = 1e3 * (interval.high - interval.mean)
            x = place + 0.36 * (side - 0.5)
            style: dict[str, Any] = {"color": _COLOURS[name], "edgecolor": "black"}
            axis.bar(
                x,
                1e3 * interval.mean,
                0.32,
                yerr=error,
                capsize=4,
                label=label,
                linewidth=0.6,
                **style,
            )
    axis.set_xticks(range(len(_LABELS)), list(_LABELS.values()))
    axis.set(ylabel="time of a page of 10 kB [ms]")
    axis.legend()
