# SPDX-License-Identifier: Apache-2.0
"""Figure 3: the topology, and whether a virtual buffer marks early enough to prevent losses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_BUFFER: Final = "network.links.bottleneck.buffer"
_VIRTUAL: Final = "network.links.bottleneck.marking.buffer"
_KEYS: Final = (
    *("network.links.bottleneck.rate", "sources.light.count", "sources.light.transport.gain"),
    *("sources.heavy.transport.weight", _VIRTUAL, _BUFFER),
)


def _settings(runs: Runs) -> dict[str, tuple[Runs, float]]:
    by_setting = {}
    for row in runs.frame[list(_KEYS)].drop_duplicates().to_dict("records"):
        values = {str(key): value for key, value in row.items()}
        by_setting[_name(values)] = (runs.at(values), float(values[_VIRTUAL]))
    return by_setting


def _name(row: Mapping[str, Any]) -> str:
    weight, gain = row["sources.heavy.transport.weight"], row["sources.light.transport.gain"]
    size = "unlimited" if row[_BUFFER] != row[_VIRTUAL] else "of_B"
    if row["network.links.bottleneck.rate"] == 10:
        figure = f"fig5.r={weight:g}" if row["sources.light.count"] == 1 else "fig4"
    else:
        figure = "fig9.r=10" if row["sources.light.count"] == 1 else f"fig7.gain={gain:g}"
    return f"{size}.{figure}"


def figures(studies: Studies) -> Samples:
    """Return drops per run, and the queue / B when marking begins, by buffer and setting."""
    samples: dict[str, np.ndarray | float] = {}
    for name, (runs, virtual) in _settings(studies["drops"]).items():
        samples[f"dropped.{name}"] = runs.sample("dropped")
        samples[f"late.{name}"] = runs.sample("dropped_late")
        if name.startswith("unlimited"):
            longest = runs.sample("longest_at_start")
            samples[f"waiting_over_B.{name}"] = longest / virtual
            samples[f"largest_waiting_minus_B.{name}"] = float(longest.max() - virtual)
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw dropped packets by setting, and the longest queue when a marking period begins."""
    figure.set_size_inches(9.5, 4.0)
    left, right = figure.subplots(1, 2, sharey=True)
    settings = _settings(studies["drops"])
    labels = [name.removeprefix("of_B.") for name in settings if name.startswith("of_B")]
    places = np.arange(len(labels))
    styles = {"of_B": ("0.35", "", -0.2), "unlimited": ("white", "///", 0.2)}
    for size, (colour, hatch, shift) in styles.items():
        dropped = [settings[f"{size}.{name}"][0].sample("dropped").mean() for name in labels]
        text = "physical buffer B" if size == "of_B" else "unlimited physical buffer"
        style = {"color": colour, "hatch": hatch, "edgecolor": "black"}
        left.barh(places + shift, dropped, height=0.38, label=text, **style)
    waiting = [_longest(settings[f"unlimited.{name}"]) for name in labels]
    right.barh(places, waiting, height=0.5, color="0.35")
    right.axvline(1, color="black", linestyle="--", label="B")
    left.set_yticks(places, labels)
    left.set(xlabel="packets dropped in 60 s", title="losses")
    right.set(xlabel="longest queue as marking begins / B", title="early warning")
    left.legend()
    right.legend()


def _longest(setting: tuple[Runs, float]) -> float:
    runs, virtual = setting
    return float(runs.sample("longest_at_start").max() / virtual)
