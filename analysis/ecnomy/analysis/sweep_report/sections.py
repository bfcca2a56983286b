# SPDX-License-Identifier: Apache-2.0
"""The sections of a sweep's page: comparisons, points, curves, parameters and seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.analysis.draw.panels import shortened
from ecnomy.analysis.pages.parts import Block, Cell, Picture, Section, Table, Words
from ecnomy.analysis.support.number_text import minus
from ecnomy.analysis.sweep_report import sweep_plots
from ecnomy.analysis.sweep_report.blocks import (
    MOST_ROWS,
    OF,
    picture_of,
    scales_of,
    text_cell,
)
from ecnomy.analysis.sweep_report.contrasts import Contrast, level_rows, units_of
from ecnomy.analysis.sweep_report.curves import curves_of
from ecnomy.analysis.sweep_report.findings import Q, SweepFindings
from ecnomy.analysis.sweep_report.maps import front_section, maps_section
from ecnomy.analysis.sweep_report.points import Swept, half_widths, moments
from ecnomy.analysis.sweep_report.scales import OutcomeScale, percent_of, q_text, scale_of
from ecnomy.analysis.sweep_report.searched import best_first
from ecnomy.analysis.sweeps.outcome_names import called
from ecnomy.markets.sweep.main_outcomes import better

if TYPE_CHECKING:
    pass

__all__ = ["kind_picture", "sections_of"]

_CURVES: Final = 12
_PAIRS: Final = 10


def sections_of(swept: Swept, findings: SweepFindings) -> list[Section]:
    """Return the sections for which the sweep has data."""
    made = [
        _comparisons(swept, findings),
        _points(swept),
        _curves(swept, findings),
        maps_section(swept, findings),
        front_section(swept),
        _matters(swept, findings),
        _seeds(swept, findings),
    ]
    return [section for section in made if section is not None]


def kind_picture(swept: Swept, number: int, outcome: str) -> Picture:
    """Draw the means of an outcome for each value of a categorical factor."""
    varied, scale = swept.varied[number], scale_of(outcome, swept.of(outcome))
    rows = level_rows(varied, swept.of(outcome), units_of(swept, varied)[0])
    levels = np.repeat(np.arange(len(rows)), rows.shape[1])
    mean, spread, n = moments(rows.ravel(), levels, len(rows))
    half = half_widths(spread, n, swept.level)
    sign = better(outcome) or 1
    order = np.argsort(-sign * np.where(np.isfinite(mean), mean, -sign * np.inf), kind="stable")
    names = [varied.factor.labels[i] for i in order]
    means_text = "; ".join(
        f"{varied.factor.labels[i]} {scale.between(mean[i], half[i])}" for i in order
    )
    table = [(varied.factor.labels[i], mean[i], half[i], int(n[i])) for i in order]
    figure = sweep_plots.dots(names, mean[order], half[order], scale, 0)
    caption = f"{called(outcome)} with each {varied.factor.name}"
    head = ("value", outcome, "half-width", "n")
    return picture_of(f"kind-{number}", caption, f"{caption}: {means_text}.", figure, head, table)


def _comparisons(swept: Swept, findings: SweepFindings) -> Section | None:
    if not findings.contrasts:
        return None
    scales = scales_of(swept)
    order = sorted(findings.contrasts, key=lambda c: swept.outcomes.index(c.outcome))
    rows = tuple(_comparison(swept, c, scales[c.outcome]) for c in order[:MOST_ROWS])
    strong = tuple(i for i, c in enumerate(order[:MOST_ROWS]) if c.q <= Q)
    level = f"{100 * swept.level:.3g} % interval"
    seeds = "seeds are paired" if swept.paired else "seeds are independent"
    left = len(order) - len(rows)
    note = (
        f"Second value minus first value; {seeds}. Effect: Hedges' g, the difference of means "
        f"divided by the standard deviation of individual runs. q: over all {len(order)} "
        f"comparisons, bold at {Q:g} or less. One in twenty of the values in bold is "
        "expected to be chance."
    ) + (f" {left} more are not shown." if left > 0 else "")
    head = ("outcome", "values compared", "difference", level, "effect", "q", "n")
    table = Table("comparisons", "Pairwise comparisons", OF, head, rows,
                  strong=strong, note=note, wide=True)  # fmt: skip
    return Section("compared", "Differences", (table,))


def _comparison(swept: Swept, c: Contrast, scale: OutcomeScale) -> tuple[Cell, ...]:
    varied, between = swept.varied[c.varied], c.compared.difference
    half, names = between.half_width, varied.factor.labels
    unit = f" [{scale.unit}]" if scale.unit else ""
    values = f"{names[c.second]} less {names[c.first]}"
    if len(swept.varied) > 1:
        values = f"{varied.factor.name}: {values}"
    effect = c.compared.effect
    span = f"{scale.number(between.low, half)} to {scale.number(between.high, half)}"
    shown = minus(f"{effect:+.2f}") if math.isfinite(effect) else minus(f"{effect:+}")
    return (
        Cell(f"{called(c.outcome)}{unit}"),
        Cell(values),
        text_cell(scale.number(between.mean, half, "+"), between.mean),
        Cell(span),
        text_cell(shown, effect),
        text_cell(q_text(c.q), c.q),
        text_cell(str(between.n), between.n),
    )


def _points(swept: Swept) -> Section:
    scales, main = scales_of(swept), swept.outcomes[0]
    tables = {name: swept.table(name) for name in swept.outcomes}
    halves = {n: half_widths(spread, k, swept.level) for n, (_, spread, k) in tables.items()}
    order = best_first(swept)
    some = order[:MOST_ROWS]
    if swept.points <= MOST_ROWS and swept.search is None:
        some = np.arange(swept.points)
    rows = []
    for i in some:
        cells = [
            text_cell(scales[n].between(tables[n][0][i], halves[n][i]), tables[n][0][i])
            for n in swept.outcomes
        ]
        rows.append((Cell(swept.labels[i] or "all"), *cells, Cell(str(int(tables[main][2][i])))))
    strong = tuple(i for i, place in enumerate(some) if place == order[0])
    word = "highest" if (better(main) or 1) > 0 else "lowest"
    bold = "the best one" if swept.search is not None else f"{word} {main}"
    note = f"Means and half-widths of {100 * swept.level:.3g} % intervals; bold: {bold}."
    if swept.points > MOST_ROWS:
        note += (
            f" The best {MOST_ROWS} of {swept.points:,} points are shown; for all, use "
            "ecnomy query."
        )
    head = ("point", *(scales[name].axis for name in swept.outcomes), "runs")
    caption = f"{swept.points:,} points"
    table = Table("points", caption, OF, head, tuple(rows), strong=strong, note=note, wide=True)
    return Section("all-points", "All points", (table,))


def _curves(swept: Swept, findings: SweepFindings) -> Section | None:
    scales = scales_of(swept)
    blocks: list[Block] = []
    for number, varied in enumerate(swept.varied):
        if not varied.is_number:
            continue
        for outcome in swept.outcomes[: max(1, _CURVES // len(swept.varied))]:
            drawn = curves_of(swept, varied, outcome)
            best = findings.bests.get((number, outcome))
            at = best.at if best is not None and best.inner else None
            figure = sweep_plots.curves(drawn, varied.axis, scales[outcome], at)
            rows = [
                (c.name, *row) for c in drawn for row in zip(c.x, c.mean, c.half, c.n, strict=True)
            ]
            caption = f"{called(outcome)} along {varied.factor.name}"
            ends_text = "; ".join(
                f"{c.name} from {scales[outcome].number(c.mean[0])} to "
                f"{scales[outcome].number(c.mean[-1])}".strip()
                for c in drawn
                if c.mean
            )
            head = ("curve", varied.axis, outcome, "half-width", "n")
            blocks.append(
                picture_of(
                    f"curve-{number}-{len(blocks)}",
                    caption,
                    f"{caption}: {ends_text}.",
                    figure,
                    head,
                    rows,
                )
            )
    if not blocks:
        return None
    bands = f"Bands are {100 * swept.level:.3g} % intervals of the mean"
    bands += "; dashed: the best value." if any(b.inner for b in findings.bests.values()) else "."
    return Section("curves", "Response curves", (Words.of(bands), *blocks))


def _matters(swept: Swept, findings: SweepFindings) -> Section | None:
    if not findings.matters or len(swept.varied) < 2:
        return None
    first = findings.matters[0]
    blocks: list[Block] = []
    names, order = [v.factor.name for v in swept.varied], first.order()[:12]
    shares = first.total or first.alone
    alone = np.array([max(first.alone[i].mean, 0.0) for i in order])
    whole = np.array([max(shares[i].mean, 0.0) for i in order])
    parts = [np.minimum(alone, whole), np.maximum(whole - alone, 0)] if first.grid else [alone]
    error = np.array([
        [max(m - s.low, 0) if math.isfinite(s.low) else 0 for m, s in _shown(shares, order)],
        [max(s.high - m, 0) if math.isfinite(s.high) else 0 for m, s in _shown(shares, order)],
    ])  # fmt: skip
    kinds = ("alone", "with others") if first.grid else ("alone",)
    figure = sweep_plots.bars([names[i] for i in order], parts, kinds, error)
    rows = [(names[i], shares[i].mean, shares[i].low, shares[i].high) for i in order]
    shares_text = ", ".join(f"{names[i]} {percent_of(shares[i].mean)}" for i in order)
    caption = f"{called(first.outcome)}, by parameter"
    blocks.append(picture_of("matters-picture", caption, f"{caption}: {shares_text}.", figure,
                           ("parameter", "share", "from", "to"), rows))  # fmt: skip
    blocks.append(_matters_table(swept, findings))
    how = (
        "Shares of the variance over the points of the grid. “With others” includes interactions "
        "with other parameters."
        if first.grid
        else "Shares of the variance over the samples that a rank regression explains only with "
        "the parameter."
    )
    return Section("matters", "Which parameters matter", (Words.of(how), *blocks))


def _shown(shares: Sequence[Any], order: Sequence[int]) -> list[tuple[float, Any]]:
    return [(max(shares[i].mean, 0.0), shares[i]) for i in order]


def _matters_table(swept: Swept, findings: SweepFindings) -> Table:
    rows = []
    for one in findings.matters:
        shares = one.total or one.alone
        cells = [
            text_cell(
                percent_of(s.mean)
                + (f" ({100 * s.low:.0f} to {100 * s.high:.0f})" if s.n > 2 else ""),
                s.mean,
            )
            for s in shares
        ]
        chance = one.chance if one.grid else one.rest
        rows.append((Cell(called(one.outcome)), *cells, text_cell(percent_of(chance), chance)))
    names = tuple(_breakable(v.factor.name) for v in swept.varied)
    last = "chance" if findings.matters[0].grid else "chance and interactions"
    note = "Including all interactions, so shares can add up to more than 100 %."
    return Table(
        "matters-table", f"Share of variance ({100 * swept.level:.3g} % interval)", OF,
        ("outcome", *names, last), tuple(rows), note=note if findings.matters[0].grid else "",
        wide=len(names) > 2,
    )  # fmt: skip


def _breakable(name: str) -> str:
    """Return a path that can wrap after each dot, so that columns stay narrow."""
    return name.replace(".", ".\u200b")


def _seeds(swept: Swept, findings: SweepFindings) -> Section | None:
    known = [c for c in findings.contrasts if math.isfinite(c.ratio)]
    if not known or not swept.paired:
        return None
    kinds = [c for c in known if not swept.varied[c.varied].is_number] or known
    shown = kinds[:_PAIRS]
    blocks: list[Block] = []
    names, rows = [], []
    for c in shown:
        labels = swept.varied[c.varied].factor.labels
        names.append(
            f"{called(c.outcome)}\n{shortened(f'{labels[c.second]} less {labels[c.first]}', 34)}"
        )
        rows.append((c.outcome, labels[c.first], labels[c.second], c.ratio, c.ratio**2))
    figure = sweep_plots.pairs(names, np.array([c.ratio for c in shown]))
    middle = float(np.median([c.ratio for c in known]))
    caption = "Benefit of paired seeds"
    alt = (
        f"{caption}: standard errors of differences are {middle:.2f} times as large as with "
        "independent seeds (median)."
    )
    head = ("outcome", "first", "second", "standard error ratio", "variance ratio")
    blocks.append(picture_of("pairing", caption, alt, figure, head, rows))
    text = (
        f"Every point has the same seeds. The variance of a difference is {middle**2:.2f} times "
        f"as large as with independent seeds (median of {len(known)} comparisons, "
        f"{sum(c.ratio < 1 for c in known)} of them below 1)."
    )
    return Section("seeds", "Seeds", (Words.of(text), *blocks))
