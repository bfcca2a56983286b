# SPDX-License-Identifier: Apache-2.0
"""Guaranteed streams over four marking algorithms: tariffs, and correlations of marks and delays.

Andreassen 2002, 4.4, asks how much the correlation of marking rate M and delay rate L depends on
the algorithm. The tariff is that of andreassen2002/tariff.py. Algorithms differ in the delays that
they allow, so the guarantee is the delay rate that 90 % of the learnt samples do not exceed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.andreassen2002.stream_table import STREAMS
from ecnomy.analysis.reproduce.andreassen2002.tariff import charge_for, profit_off
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies
from ecnomy.analysis.statistics.intervals import correlation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["apart", "draw", "figures"]

LINK: Final = "network.links.bottleneck.marking"
_KEPT: Final = 0.9


def _laws(studies: Studies) -> dict[str, Runs]:
    runs = studies["gsp-laws"]
    return {json.loads(link)["law"]: runs.at({LINK: link}) for link in runs.values(LINK)}


def _samples(runs: Runs, stream: str) -> list[tuple[Floats, Floats]]:
    """Return the samples (M, L) of each seed."""
    marking, late = (runs.row(f"sample.{name}.{stream}") for name in ("marking", "late"))
    return list(zip(marking, late, strict=True))


def apart(correlations: dict[str, Floats]) -> Floats:
    """Return, per seed, highest - lowest correlation, where laws are ranked by their means."""
    ranked = sorted(correlations.values(), key=lambda row: float(row.mean()))
    return np.asarray(ranked[-1] - ranked[0])


def figures(studies: Studies) -> Samples:
    """Return correlations by law, the difference between laws, and the resulting tariffs."""
    samples: dict[str, np.ndarray | float] = {}
    means: dict[str, Floats] = {}
    shorts: dict[str, Floats] = {}
    for law, runs in _laws(studies).items():
        rows = [[correlation(*pair) for pair in _samples(runs, stream)] for stream in STREAMS]
        means[law] = np.mean(rows, axis=0)
        shorts[law] = np.mean([runs.sample(f"short.both.{s}") for s in STREAMS], axis=0)
        samples[f"correlation.{law}"] = means[law]
        samples[f"control.short.correlation.{law}"] = shorts[law]
        for name in ("marking", "late"):
            samples[f"{name}.{law}"] = runs.sample(f"{name}.{STREAMS[-1]}")
        samples |= {f"{name}.{law}": row for name, row in _tariffs(runs).items()}
    return samples | {"apart": apart(means), "control.short.apart": apart(shorts)}


def _tariffs(runs: Runs) -> dict[str, Floats]:
    """Return V in marks per packet, and (profit - P) / mu if V is learnt in half of each run."""
    charges, profits = [], []
    for marking, late in _samples(runs, STREAMS[-1]):
        half = len(late) // 2
        learnt, sold = (marking[:half], late[:half]), (marking[half:], late[half:])
        guarantee = float(np.quantile(learnt[1], _KEPT))
        charges.append(charge_for(learnt, guarantee))
        profits.append(profit_off(learnt, sold, guarantee))
    return {"charge": np.array(charges), "profit_off": np.array(profits)}


def draw(studies: Studies, figure: Figure) -> None:
    """Draw samples of L against samples of M, each divided by its mean, with one panel per law."""
    figure.set_size_inches(9, 7)
    axes = figure.subplots(2, 2, sharex=True, sharey=True)
    for index, (axis, (law, runs)) in enumerate(
        zip(axes.flat, _laws(studies).items(), strict=True)
    ):
        pairs = _samples(runs, STREAMS[-1])
        marking = np.concatenate([m / m.mean() for m, _ in pairs])
        late = np.concatenate([late / late.mean() for _, late in pairs])
        style = look(index) | {"linestyle": "none", "markersize": 3}
        mean = np.mean([correlation(*pair) for pair in pairs])
        axis.plot(marking, late, label=f"{law}: correlation {mean:.2f}", **style)
        axis.legend(loc="upper left")
    axes[0, 0].set_xlim(left=0)
    axes[0, 0].set_ylim(bottom=0)
    for axis in axes[:, 0]:
        axis.set_ylabel("delay rate over its mean")
    for axis in axes[1]:
        axis.set_xlabel("marking rate of a sample over its mean")
