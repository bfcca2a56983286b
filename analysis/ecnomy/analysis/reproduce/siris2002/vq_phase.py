# SPDX-License-Identifier: Apache-2.0
"""Section 4.2: phase effects of the virtual queue and of RED, by pattern of start times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.judge import Samples, interval_of
from ecnomy.analysis.reproduce.siris2002.laws import LABELS, by_law
from ecnomy.analysis.reproduce.studies import Studies
from ecnomy.analysis.statistics.intervals import jain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_KEYS: Final = tuple(f"sources.flows.{key}" for key in ("spread", "stagger", "send_overhead"))


def _patterns(studies: Studies, study: str = "vq-phase") -> dict[str, dict[str, Floats]]:
    patterns: dict[str, dict[str, Floats]] = {}
    for law, runs in by_law(studies[study]).items():
        rows = runs.frame[list(_KEYS)].drop_duplicates()
        for row in rows.itertuples(index=False):
            spread, stagger, overhead = (str(value) for value in row)
            name = f"stagger={stagger}" if spread.startswith("0") else "random"
            name += "" if overhead == "none" else "+overhead"
            own = runs.at(dict(zip(_KEYS, row, strict=True)))
            patterns.setdefault(law, {})[name] = own.row("goodput")
    return patterns


def figures(studies: Studies) -> Samples:
    """Return the largest throughput / the smallest of ten equal flows, and Jain's index."""
    samples: dict[str, Floats] = {}
    for law, patterns in _patterns(studies).items():
        apart = {name: rows.max(axis=1) / rows.min(axis=1) for name, rows in patterns.items()}
        for name, rows in patterns.items():
            samples[f"largest_over_smallest.{law}.{name}"] = apart[name]
            samples[f"jain.{law}.{name}"] = np.array([jain(row) for row in rows])
        worst = max(apart, key=lambda name: float(apart[name].mean()))
        samples[f"worst.largest_over_smallest.{law}"] = apart[worst]
    for name, rows in _patterns(studies, "vq-phase-reno")["vq"].items():
        samples[f"control.reno.largest_over_smallest.{name}"] = rows.max(axis=1) / rows.min(axis=1)
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the largest throughput divided by the smallest, by pattern of start times."""
    axis = figure.subplots()
    for index, (law, patterns) in enumerate(_patterns(studies).items()):
        intervals = [interval_of(rows.max(axis=1) / rows.min(axis=1)) for rows in patterns.values()]
        at = np.arange(len(intervals)) + 0.4 * index - 0.2
        axis.bar(
            at,
            [i.mean if i else np.nan for i in intervals],
            0.38,
            yerr=[i.half_width if i else 0 for i in intervals],
            label=LABELS[law],
            color=("0.8", "0.4")[index],
            hatch=("", "//")[index],
            edgecolor="black",
            capsize=3,
        )
    axis.set_xticks(range(len(patterns)), list(patterns), rotation=20, ha="right", fontsize=8)
    axis.set(ylabel="largest over smallest throughput")
    axis.set_ylim(0, 1.2 * axis.get_ylim()[1])
    axis.legend()
