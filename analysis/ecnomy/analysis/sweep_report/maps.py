# SPDX-License-Identifier: Apache-2.0
"""Sections of a sweep's page: maps of outcomes over two parameters, and Pareto fronts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ecnomy.analysis.pages.parts import Block, Section, Words
from ecnomy.analysis.sweep_report import sweep_plots
from ecnomy.analysis.sweep_report.blocks import MOST_ROWS, picture_of, scales_of
from ecnomy.analysis.sweep_report.findings import SweepFindings
from ecnomy.analysis.sweep_report.fronts import front_of
from ecnomy.analysis.sweep_report.points import Swept, Varied, moments
from ecnomy.analysis.sweep_report.scales import scale_of
from ecnomy.analysis.sweeps.outcome_names import called

__all__ = ["front_section", "maps_section"]

_MAP_LEVELS: Final = 40
_BINS: Final = 8  # number of bins of samples in a map
_OF_CELL: Final = 4  # aim for this mean number of runs per cell
_FRONT: Final = 8  # number of points of a front that are named


def maps_section(swept: Swept, findings: SweepFindings) -> Section | None:
    """Return maps of the outcomes over two parameters; None if fewer than two vary."""
    pair = _mapped(swept, findings)
    if pair is None:
        return None
    down, across = pair
    scales = scales_of(swept)
    blocks: list[Block] = []
    ups, downs = _bins(down), _bins(across)
    shape = (len(ups[1]), len(downs[1]))
    for outcome in swept.outcomes[:4]:
        cell = ups[0] * shape[1] + downs[0]
        mean, _, n = moments(swept.of(outcome), cell, shape[0] * shape[1])
        known = mean[np.isfinite(mean)]
        if not known.size:
            continue
        axes = (down.axis, across.axis)
        figure = sweep_plots.heat(mean.reshape(shape), ups[1], downs[1], axes, scales[outcome])
        rows = [
            (a, b, mean[i * shape[1] + j], int(n[i * shape[1] + j]))
            for i, a in enumerate(ups[1])
            for j, b in enumerate(downs[1])
        ]
        caption = f"{called(outcome)} over {down.factor.name} and {across.factor.name}"
        ends = [scales[outcome].number(float(v)) for v in (known.min(), known.max())]
        alt = f"A map of {caption}, from {ends[0]} to {ends[1]}."
        head = (down.axis, across.axis, outcome, "n")
        blocks.append(picture_of(f"map-{len(blocks)}", caption, alt, figure, head, rows))
    note = "Means over the runs of each cell and over all other parameters."
    return Section("maps", "Two parameters at once", (Words.of(note), *blocks))


def _mapped(swept: Swept, findings: SweepFindings) -> tuple[Varied, Varied] | None:
    """Return the two factors of a map, numeric factors first; None if fewer than two vary.

    Sampled factors are ordered by their shares of the variance, and other factors by their numbers
    of levels, the largest first.
    """
    matters = findings.matters[0] if findings.matters else None
    shares = [one.mean for one in (matters.total or matters.alone)] if matters else []

    def rank(number: int) -> tuple[bool, float, int]:
        varied = swept.varied[number]
        share = shares[number] if varied.factor.sampled and shares else 0.0
        return not varied.is_number, -share, -len(np.unique(varied.codes))

    fit = (v.is_number or len(v.factor.labels) <= _MAP_LEVELS for v in swept.varied)
    order = sorted((number for number, one in enumerate(fit) if one), key=rank)
    return (swept.varied[order[0]], swept.varied[order[1]]) if len(order) > 1 else None


def _bins(varied: Varied) -> tuple[Any, list[str]]:
    if not varied.factor.sampled and len(varied.factor.labels) <= _MAP_LEVELS:
        order = np.argsort(varied.factor.values, kind="stable") if varied.factor.values else None
        if order is None:
            return varied.codes, list(varied.factor.labels)
        rank = np.argsort(order)
        values = np.array(varied.factor.values)[order]
        return rank[varied.codes], [f"{value:.4g}" for value in values]
    distinct = np.unique(varied.x)
    if len(distinct) <= _BINS:  # levels of Morris's method
        codes = np.searchsorted(distinct, varied.x)
        return codes, [f"{value:.4g}" for value in distinct]
    count = int(np.clip(math.sqrt(len(varied.x) / _OF_CELL), 3, _BINS))
    edges = np.quantile(varied.x, np.linspace(0, 1, count + 1))
    bins = np.clip(np.searchsorted(edges, varied.x, side="right") - 1, 0, count - 1)
    middles = (edges[:-1] + edges[1:]) / 2
    return bins, [f"{value:.3g}" for value in middles]


def front_section(swept: Swept) -> Section | None:
    """Return the section on the trade-off between two outcomes; None without a front."""
    drawn = front_of(swept)
    if drawn is None:
        return None
    x, y = (scale_of(name, swept.of(name)) for name in (drawn.x, drawn.y))
    on = [int(i) for i in np.flatnonzero(drawn.on)]
    figure = sweep_plots.front(drawn, swept.labels, x, y)
    rows = [
        (swept.labels[i], *drawn.means[i], *drawn.halves[i], bool(drawn.on[i]))
        for i in ([*on, *np.flatnonzero(~drawn.on)][:MOST_ROWS])
    ]
    caption = f"{called(drawn.y)} against {called(drawn.x)}"
    alt = f"{caption}: {len(on)} of {swept.points} points are on the Pareto front."
    head = ("point", drawn.x, drawn.y, f"{drawn.x} half-width", f"{drawn.y} half-width", "front")
    kept = int((~drawn.beaten & ~drawn.on).sum())
    text = _on_front([swept.labels[i] for i in on])
    if kept:
        text += f" {kept} more may be on it: they are dominated, but not significantly."
    picture = picture_of("front", caption, alt, figure, head, rows)
    return Section("trade-off", "Trade-offs", (Words.of(text), picture))


def _on_front(labels: Sequence[str]) -> str:
    opens = "On the Pareto front, not dominated in both outcomes"
    if max(map(len, labels)) > sweep_plots.LABEL:
        return f"{opens}: {len(labels)} points; the CSV lists their values."
    more = f" and {len(labels) - _FRONT} more" if len(labels) > _FRONT else ""
    return f"{opens}: {'; '.join(labels[:_FRONT])}{more}."
