# SPDX-License-Identifier: Apache-2.0
"""Prints what `ecnomy show` reports on a sweep: findings, points, and earnings of providers.

A point assigns a value to each parameter. Outcomes are means over the runs of a point, with the
half-width of a 95 % interval (Student's t over replicates). The profit of a guaranteed stream
provider is marked `profit` or `loss` if its whole interval is above or below 0, and `open`
otherwise.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ecnomy.analysis.support.number_text import percent, significant
from ecnomy.analysis.sweeps.value_words import words_of

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.table import Table

__all__ = ["guarantee_values", "guarantors_in", "mark_of", "print_sweep", "values_words"]

_SOLD = ".calls_sold"
_CALLS = ("calls_asked", "calls_sold", "calls_blocked", "calls_broken", "revenue", "cost")
_LONG = 20  # longest value in characters that is not wrapped
_MANY = 12  # largest number of values to list


def guarantors_in(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the names of the guaranteed stream providers in a sweep's table."""
    names = [str(name) for name in frame.columns]
    return tuple(name.removesuffix(_SOLD) for name in names if name.endswith(_SOLD))


def mark_of(profits: list[float]) -> tuple[str, float]:
    """Return `profit`, `loss` or `open`, and the half-width of the interval (NaN for one run)."""
    from ecnomy.analysis.statistics.intervals import LEVEL, t_interval

    if len(profits) < 2:
        return "open", math.nan
    interval = t_interval(profits, LEVEL)
    word = "profit" if interval.low > 0 else "loss" if interval.high < 0 else "open"
    return word, interval.half_width


def print_sweep(folder: Path, console: Console, picture: Path | None = None) -> None:
    """Print the findings, the points and the earnings of a sweep.

    Args:
        folder: the folder of the sweep.
        console: the console to print to.
        picture: the file for the sweep's plot; None to draw nothing.

    Raises:
        ResultsError: the sweep does not exist or has no run yet, or a shard is unreadable.
        InputError: DuckDB is not installed.
    """
    from ecnomy.analysis.statistics.intervals import LEVEL
    from ecnomy.analysis.sweeps.open_sweep import open_sweep, parameter_units
    from ecnomy.markets.sweep.head import head_of

    head, frame, units = head_of(folder), open_sweep(folder, partial=True), parameter_units(folder)
    console.print(head.get("title") or folder.name, style="bold", markup=False)
    done = frame[frame["status"] == "done"]
    words = f"{len(done)} of {len(head['points'])} runs done, {len(frame) - len(done)} failed"
    console.print(words, markup=False)
    paths = [path for path in head["kinds"] if path in frame]
    for path in paths:
        unit = f" [{units[path]}]" if units.get(path) else ""
        console.print(f"  {path}{unit}: {values_words(done[path])}", markup=False, soft_wrap=True)
    if not done.empty:
        _print_found(folder, console, picture)
    providers = guarantors_in(done)
    for provider in providers:
        console.print()
        console.print(_table(done, paths, provider))
    if providers:
        console.print(
            "means over the runs of a point, with the money of the whole run; profit, loss: the "
            f"entire {100 * LEVEL:g} % interval is above or below 0",
            markup=False,
        )
        console.print(
            f"page on providers: ecnomy report gsp {folder}", soft_wrap=True, markup=False
        )
    console.print(f"page: ecnomy report {folder}", soft_wrap=True, markup=False)
    console.print(f"columns: ecnomy query {folder}", soft_wrap=True, markup=False)


def values_words(column: pd.Series) -> str:
    """Return the values of a parameter in words; for many numbers, only their count and range."""
    values = list(column.dropna().unique())
    numbers = all(isinstance(value, int | float) for value in values)
    if len(values) <= _MANY:
        return ", ".join(words_of(sorted(values) if numbers else values).values())
    if numbers:
        return f"{len(values)} values from {min(values):.5g} to {max(values):.5g}"
    some = list(words_of(values).values())[:_MANY]
    return f"{', '.join(some)} and {len(values) - _MANY} more"


def _print_found(folder: Path, console: Console, picture: Path | None) -> None:
    from ecnomy.analysis.sweep_report.findings import findings_of
    from ecnomy.analysis.sweep_report.points import open_swept
    from ecnomy.analysis.sweep_report.table import points_table, sweep_picture

    swept = open_swept(folder)
    findings = findings_of(swept)
    console.print()
    console.print(points_table(swept))
    console.print()
    for number, line in enumerate(
        (findings.headline, findings.detail, *findings.more, *swept.notes)
    ):
        style = "bold" if not number else None
        if line:
            console.print(line, style=style, markup=False, soft_wrap=True)
    if picture is not None and sweep_picture(swept, findings, picture):
        console.print(f"picture: {picture}", soft_wrap=True, markup=False)


def _table(done: pd.DataFrame, paths: list[str], provider: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    texts = [words_of(list(done[path].unique())) for path in paths]
    for path, words in zip(paths, texts, strict=True):
        table.add_column(_short(path), no_wrap=max(map(len, words.values())) <= _LONG)
    for name in ("runs", "asked", "sold", "blocked", "broken", "revenue", "cost"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(f"profit\n{provider}", justify="right", no_wrap=True)
    table.add_column("\u00b1", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    groups = done.groupby(paths, sort=False) if paths else [((), done)]
    for values, rows in groups:
        named = [words[value] for words, value in zip(texts, values, strict=True)]
        table.add_row(*named, *_row(rows, provider))
    return table


def guarantee_values(folder: Path) -> list[dict[str, Any]]:
    """Return the mean sales and earnings of each provider at each point, as plain values."""
    from ecnomy.analysis.sweeps.open_sweep import open_sweep

    frame = open_sweep(folder, partial=True)
    done = frame[frame["status"] == "done"]
    guarantees = []
    for provider in guarantors_in(done):
        for point, rows in done.groupby("point"):
            mean, profit, half, word = _sold(rows, provider)
            ends = {"mean": profit, "low": profit - half, "high": profit + half}
            place = {"provider": provider, "point": point, "label": rows["label"].iloc[0]}
            guarantees.append({**place, **mean, "profit": ends, "verdict": word})
    return guarantees


def _sold(rows: pd.DataFrame, provider: str) -> tuple[dict[str, float], float, float, str]:
    """Return means of calls and money, and the profit: its mean, half-width and mark."""
    mean = {name: float(rows[f"{provider}.{name}"].mean()) for name in _CALLS}
    profits = [float(v) for v in rows[f"{provider}.profit"] if math.isfinite(v)]
    word, half = mark_of(profits)
    return mean, sum(profits) / len(profits) if profits else math.nan, half, word


def _row(rows: pd.DataFrame, provider: str) -> list[str]:
    mean, profit, half, word = _sold(rows, provider)
    return [
        str(len(rows)),
        *(_count(mean[name]) for name in _CALLS[:2]),
        _share(mean["calls_blocked"], mean["calls_asked"]),
        _share(mean["calls_broken"], mean["calls_sold"]),
        *(significant(mean[name]) for name in _CALLS[4:]),
        significant(profit, 2, "+"),
        significant(half),
        word,
    ]


def _count(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:,.0f}"


def _share(part: float, whole: float) -> str:
    return percent(part / whole if whole > 0 else math.nan)


def _short(path: str) -> str:
    parts = path.split(".")
    return "\n".join(parts[-2:])
