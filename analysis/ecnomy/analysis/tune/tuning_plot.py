# SPDX-License-Identifier: Apache-2.0
"""Draws a tuning: the outcome against each parameter, and over the course of the search."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.draw.panels import COLOURS, panel_style, save
from ecnomy.analysis.tune.best_values import Tried, TuningAnswer
from ecnomy.markets.sweep.config import Sweep
from ecnomy.markets.sweep.tuning import TARGET, Tuning

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["tuning_picture"]

_COLUMNS: Final = 3
_INCHES: Final = (3.6, 2.9)
_BEST, _TRIED, _SAME = COLOURS[5], COLOURS[1], COLOURS[2]
_OUT: Final = "0.6"  # grey for violated constraints


def tuning_picture(sweep: Sweep, answer: TuningAnswer, file: str | Path) -> None:
    """Draw a panel per parameter and one for the course of the search, as a PNG of 150 dpi.

    Args:
        sweep: a sweep with `tune`.
        answer: the answer of the search.
        file: the PNG file to write.
    """
    import matplotlib.pyplot as plt

    assert sweep.tune is not None
    tuning, count = sweep.tune, len(sweep.tune.paths) + 1
    columns = min(count, _COLUMNS)
    rows = math.ceil(count / columns)
    size = (_INCHES[0] * max(columns, 2), _INCHES[1] * rows + 0.5)
    with panel_style():
        figure, axes = plt.subplots(
            rows, columns, figsize=size, squeeze=False, layout="constrained"
        )
        panels = list(axes.flat)
        for index, axis in enumerate(panels[: count - 1]):
            _response(axis, tuning, answer, index)
        _course(panels[count - 1], tuning, answer)
        for axis in panels[count:]:
            axis.set_visible(False)
        legends = [axis.get_legend_handles_labels() for axis in panels[:count]]
        named = {
            label: handle
            for handles, labels in legends
            for handle, label in zip(handles, labels, strict=True)
        }
        figure.legend(
            named.values(), named.keys(), loc="outside lower center", ncols=4, frameon=False
        )
        figure.suptitle(sweep.title or tuning.outcome, fontsize=10)
        save(figure, file)
        plt.close(figure)


def _groups(answer: TuningAnswer) -> list[tuple[str, str, list[int]]]:
    kinds = {_kind(each): colour for each in answer.tried for colour in (_colour(each),)}
    return [
        (kind, colour, [i for i, each in enumerate(answer.tried) if _kind(each) == kind])
        for kind, colour in sorted(kinds.items())
    ]


def _kind(each: Tried) -> str:
    if not each.kept:
        return "constraints not kept"
    return "as good as the best" if each.same else "tried"


def _colour(each: Tried) -> str:
    return _OUT if not each.kept else _SAME if each.same else _TRIED


def _response(axis: Axes, tuning: Tuning, answer: TuningAnswer, index: int) -> None:
    for label, colour, members in _groups(answer):
        x = [answer.tried[i].values[index] for i in members]
        _bars(axis, answer, x, members, label, colour)
    _check(axis, answer, answer.values[index])
    _target(axis, tuning)
    r = tuning.ranges[index]
    if r.log:
        from matplotlib.ticker import NullFormatter

        axis.set_xscale("log")
        axis.xaxis.set_minor_formatter(NullFormatter())
        ticks = np.geomspace(r.low, r.high, 4)
        axis.set_xticks(ticks, [f"{tick:.3g}" for tick in ticks])
    path = tuning.paths[index]
    unit = f" [{r.unit}]" if r.unit else ""
    axis.set_xlabel(f"{'.'.join(path.split('.')[-2:])}{unit}")
    axis.set_ylabel(tuning.outcome)


def _course(axis: Axes, tuning: Tuning, answer: TuningAnswer) -> None:
    for label, colour, members in _groups(answer):
        _bars(axis, answer, [i + 1.0 for i in members], members, label, colour)
    losses = [tuning.loss(each.mean) if each.kept else math.inf for each in answer.tried]
    losses = [loss if math.isfinite(loss) else math.inf for loss in losses]
    best = [min(range(i + 1), key=losses.__getitem__) for i in range(len(losses))]
    so_far = [answer.tried[i].mean if math.isfinite(losses[i]) else math.nan for i in best]
    axis.step(range(1, len(best) + 1), so_far, where="post", color="0.3", lw=1, label="best so far")
    if tuning.first < len(answer.tried):
        axis.axvline(tuning.first + 0.5, color="0.6", lw=0.8, ls=":")
    _target(axis, tuning)
    axis.set_xlabel("values in the order of the search")
    axis.set_ylabel(tuning.outcome)


def _bars(
    axis: Axes, answer: TuningAnswer, x: list[float], members: list[int], label: str, colour: str
) -> None:
    y = np.array([answer.tried[i].mean for i in members])
    low = np.array([answer.tried[i].low for i in members])
    high = np.array([answer.tried[i].high for i in members])
    ends = np.nan_to_num(np.array([y - low, high - y]))
    axis.errorbar(x, y, ends, fmt="o", ms=3, lw=0.8, color=colour, label=label, zorder=2)


def _check(axis: Axes, answer: TuningAnswer, x: float) -> None:
    there = answer.outcome
    ends = [[there.mean - there.low], [there.high - there.mean]]
    label = "the best, with new seeds"
    axis.errorbar(
        [x], [there.mean], ends, fmt="D", ms=5, lw=1.6, color=_BEST, label=label, zorder=3
    )


def _target(axis: Axes, tuning: Tuning) -> None:
    if tuning.aim == TARGET:
        axis.axhline(tuning.target, color="black", lw=0.8, ls="--", label="target")
