# SPDX-License-Identifier: Apache-2.0
"""Formats a comparison for the terminal: a table, a sentence, and the cost of the runs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from ecnomy.analysis.compare.comparison import Comparison
from ecnomy.analysis.compare.verdicts import (
    DIFFERENT,
    EQUIVALENT,
    NOT_JUDGED,
    UNDECIDED,
    Bound,
    Compared,
)
from ecnomy.analysis.support.number_text import significant

if TYPE_CHECKING:
    from rich.table import Table

    from ecnomy.analysis.statistics.intervals import Interval

__all__ = ["bound_text", "comparison_table", "cost_line", "sentence", "shown"]

# quantity -> (name in tables and pictures, factor to its unit)
_SHOWN: Final = {
    "goodput_bps": ("goodput, Mbit/s", 1e-6),
    "goodput_share": ("goodput share, %", 100.0),
    "throughput_bps": ("throughput, Mbit/s", 1e-6),
    "marks_per_s": ("marks/s", 1.0),
    "marking_probability": ("marking probability, %", 100.0),
    "drop_probability": ("drops, %", 100.0),
    "mean_delay_s": ("mean one-way delay, ms", 1e3),
    "mean_queue_packets": ("mean queue, packets", 1.0),
    "money_per_s": ("money/s", 1.0),
    "money_share": ("share of all money, %", 100.0),
}
_STYLES: Final = {EQUIVALENT: "green", DIFFERENT: "bold red", UNDECIDED: "yellow"}


def shown(quantity: str) -> tuple[str, float]:
    """Return the name of a quantity with its unit, and the factor to that unit."""
    return _SHOWN[quantity]


def bound_text(bound: Bound | None, reference: float, factor: float = 1.0) -> str:
    """Return a bound in words, given the mean of the reference and the factor to the unit."""
    if bound is None:
        return ""
    if bound.is_absolute(reference):
        return f"± {factor * bound.absolute:g}"
    return f"± {100 * bound.relative:g} %"


def comparison_table(comparison: Comparison) -> Table:
    """Return the table of all rows: means and ratio with intervals, bound, and verdict."""
    from rich import box
    from rich.table import Table

    first, second = comparison.engines
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for heading in ("of", "quantity"):
        table.add_column(heading, no_wrap=True)
    for heading in (first, second, f"{second} / {first}", "bound"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    before = ""
    for row in comparison.rows:
        if before and row.row.subject != before:
            table.add_section()
        subject = "" if row.row.subject == before else row.row.subject
        before = row.row.subject
        table.add_row(subject, *_cells(row))
    return table


def _cells(row: Compared) -> list[str]:
    name, factor = _SHOWN[row.row.quantity]
    reference = row.means[0].mean if row.means[0] is not None else 0.0
    verdict = row.verdict
    if verdict != NOT_JUDGED:
        verdict = f"[{_STYLES[verdict]}]{verdict}[/]"
    ratio = "-"
    if row.ratio is not None:
        low, high = row.ratio.low, row.ratio.high
        ratio = f"{row.ratio.mean:.3f}  {low:.3f} to {high:.3f}"
    means = [_mean(interval, factor) for interval in row.means]
    return [name, *means, ratio, bound_text(row.bound, reference, factor), verdict]


def _mean(interval: Interval | None, factor: float) -> str:
    if interval is None:
        return "-"
    mean = significant(factor * interval.mean)
    return f"{mean} ± {significant(factor * interval.half_width)}"


def sentence(comparison: Comparison) -> str:
    """Return a sentence with the number of rows per verdict."""
    count = Counter(row.verdict for row in comparison.rows if row.verdict != NOT_JUDGED)
    words = ", ".join(f"{count[one]} {one}" for one in (EQUIVALENT, DIFFERENT, UNDECIDED))
    return (
        f"{sum(count.values())} rows judged over {len(comparison.seeds)} seeds at "
        f"{100 * comparison.level:g} %: {words}"
    )


def cost_line(comparison: Comparison) -> str:
    """Return the mean CPU time of a run on each engine, and their ratio."""
    first, second = comparison.costs
    words = [f"{cost.engine} {cost.cpu_s:.3g} s" for cost in (first, second)]
    ratio = f", ratio {second.cpu_s / first.cpu_s:.3g}" if first.cpu_s > 0 else ""
    return f"CPU time of a run: {', '.join(words)}{ratio}"
