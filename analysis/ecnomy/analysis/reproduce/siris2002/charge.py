# SPDX-License-Identifier: Apache-2.0
"""Charge of a flow: as many marks per round trip as its willingness to pay w, under any law."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.laws import LABELS, WEIGHT, by_law
from ecnomy.analysis.reproduce.siris2002.ratios import FIRST, LONG, cases, spread
from ecnomy.analysis.reproduce.studies import Runs, Studies
from ecnomy.analysis.theory.wtp import wtp_floor_bias

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_LEAST_WINDOW: Final = 3.0  # packets; below this, the floor of one packet in flight dominates
_ACKS_S: Final = {  # delay of the return path, without queues
    "fig3": {"light": 0.1, "heavy": 0.1},
    "fig4": {"light": 0.1, "heavy": 0.1},
    "fig5a": {"short": 0.1, "long": 0.15},
    "fig5b": {"short": 0.05, "long": 0.1},
}


class _Point(msgspec.Struct, frozen=True, eq=False):
    name: str
    law: str
    r: float
    window: Floats  # in packets
    marks_per_s: Floats
    per_round: Floats  # marks in a mean round trip / w


def _points(studies: Studies) -> Iterator[_Point]:
    laws: dict[str, tuple[str, dict[str, Runs]]] = {
        name: (WEIGHT, by_law(studies[name])) for name in ("fig3", "fig4")
    }
    for case, runs in cases(studies["fig5"]).items():
        laws[f"fig5{case}"] = (LONG, by_law(runs, FIRST))
    for name, (parameter, each) in laws.items():
        for law, runs in each.items():
            for r in sorted(runs.values(parameter)):
                own = runs.at({parameter: r})
                for source, back_s in _ACKS_S[name].items():
                    weight = r if source in ("heavy", "long") else 1.0
                    yield _point(own, f"{name}.{source}", law, r, weight, source, back_s)


def _point(
    own: Runs, name: str, law: str, r: float, weight: float, source: str, back_s: float
) -> _Point:
    marks = own.sample(f"{source}.marks_per_s")
    rtt_s = own.sample(f"{source}.mean_delay_s") + back_s
    window = own.sample(f"{source}.mean_cwnd")
    return _Point(name, law, r, window, marks, marks * rtt_s / weight)


def figures(studies: Studies) -> Samples:
    """Return marks per round trip / w, corrected for the window's floor, and spreads of marks."""
    measures: dict[str, Floats] = {}
    same: dict[str, list[Floats]] = {}
    fair: dict[str, list[Floats]] = {}
    for point in _points(studies):
        window = float(point.window.mean())
        if window >= _LEAST_WINDOW:
            name = f"marks_per_round.{point.name}.{point.law}.r={point.r:g}"
            measures[name] = point.per_round / wtp_floor_bias(window)
        name = f"{point.name}.r={point.r:g}"
        same.setdefault(name, []).append(point.marks_per_s)
        if window >= _LEAST_WINDOW:
            fair.setdefault(name, []).append(point.per_round / wtp_floor_bias(window))
    for name, samples in same.items():
        measures[f"spread.{name}"] = spread(samples)
    for name, samples in fair.items():
        measures[f"control.spread_without_floor_and_queues.{name}"] = spread(samples)
    return measures


def draw(studies: Studies, figure: Figure) -> None:
    """Draw marks per round trip / w against the window, with the bias due to the floor."""
    axis = figure.subplots()
    points = list(_points(studies))
    for index, law in enumerate(LABELS):
        own = [point for point in points if point.law == law]
        style = {**look(index), "linestyle": "none"}
        axis.plot(
            [point.window.mean() for point in own],
            [point.per_round.mean() for point in own],
            label=LABELS[law],
            alpha=0.8,
            **style,
        )
    at = np.geomspace(1.5, max(float(point.window.mean()) for point in points), 200)
    bias = [wtp_floor_bias(window) for window in at]
    axis.plot(at, bias, color="black", linewidth=0.9, linestyle="--", label="1 - 0.5 / W")
    axis.set_xscale("log")
    axis.set_xticks([2, 5, 10, 20, 50, 100], ["2", "5", "10", "20", "50", "100"])
    axis.set(xlabel="mean window W, packets", ylabel="marks of a round trip / weight")
    axis.legend()
