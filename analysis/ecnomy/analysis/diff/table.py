# SPDX-License-Identifier: Apache-2.0
"""Formats a diff for the terminal: settings, outcomes, and sentences about profits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ecnomy.analysis.diff.difference import SURE, Diff, OutcomeDifference
from ecnomy.analysis.support.number_text import significant

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["MOST_ROWS", "heading", "legend", "outcome_table", "sentences", "settings_lines"]

MOST_ROWS: Final = 40
_MOST_SETTINGS: Final = 20
_MOST_SELLERS: Final = 6
_LEAST_SHOWN: Final = 0.001


def heading(comparison: Diff) -> str:
    """Return the names of the groups, their numbers of runs, and the number of pairs."""
    a, b = comparison.first, comparison.second
    runs = f"{a.name}: {_runs(len(a.members))}; {b.name}: {_runs(len(b.members))}"
    if comparison.single and not comparison.pairs:
        return runs
    if comparison.why_unpaired:
        return f"{runs}; not paired: {comparison.why_unpaired}"
    unpaired = len(a.members) + len(b.members) - 2 * comparison.pairs
    rest = f" ({_runs(unpaired)} without a partner left out)" if unpaired else ""
    return (
        f"{runs}; {comparison.pairs} {'pair' if comparison.pairs == 1 else 'pairs'} by seed{rest}"
    )


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"


def settings_lines(comparison: Diff) -> Iterator[str]:
    """Yield lines about the differences between the scenarios."""
    settings = comparison.settings
    if settings.unknown:
        yield f"settings: not compared, {_runs(settings.unknown)} did not save their scenario"
        return
    if not settings.differs and not settings.varies:
        yield "settings: equal except for seeds"
        return
    for one in settings.differs[:_MOST_SETTINGS]:
        yield f"  {one.path}"
        yield f"      in {comparison.first.name}: {one.first}"
        yield f"      in {comparison.second.name}: {one.second}"
    if (more := len(settings.differs) - _MOST_SETTINGS) > 0:
        word = "setting" if more == 1 else "settings"
        yield f"  ... and {more} more {word} (--json has all)"
    for one in settings.varies[:_MOST_SETTINGS]:
        yield f"  {one.path}: varies within a group ({one.first} | {one.second})"


def outcome_table(comparison: Diff, most: int = MOST_ROWS) -> Table:
    """Return a table of outcomes that vary between runs; those that differ come first."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    a, b = comparison.first.name, comparison.second.name
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    table.add_column("of", no_wrap=True)
    table.add_column("what", no_wrap=True)
    heads = [a, b, f"{b} - {a}"]
    heads += ["change"] if comparison.single else ["95 % interval", "effect", "q", "differs"]
    for head in heads:
        table.add_column(escape(head), justify="right", no_wrap=head not in (a, b, heads[2]))
    for one in comparison.outcomes[:most]:
        style = "bold" if one.differs else None
        labels = (one.named.subject, escape(one.named.words))
        table.add_row(*labels, *_cells(one, comparison.single), style=style)
    return table


def _cells(one: OutcomeDifference, single: bool) -> list[str]:
    means = [significant(one.first), significant(one.second), significant(one.difference, 2, "+")]
    if single:
        return [*means, f"{100 * one.difference / abs(one.first):+.1f} %" if one.first else "-"]
    if math.isnan(one.low):
        return [*means, "-", "-", "-", "one pair"]
    interval = f"{significant(one.low, 2, '+')} to {significant(one.high, 2, '+')}"
    effect = f"{one.effect:+.2f}" if math.isfinite(one.effect) else f"{one.effect:+}"
    return [*means, interval, effect, _q(one.q), "yes" if one.differs else "not sure"]


def _q(q: float) -> str:
    return f"< {_LEAST_SHOWN:g}" if q < _LEAST_SHOWN else f"{q:.3f}"


def legend(comparison: Diff) -> Iterator[str]:
    """Yield lines that explain the columns, and count the outcomes outside the table."""
    if comparison.single:
        yield "one run each: no interval; run several seeds for intervals"
    else:
        b, a = comparison.second.name, comparison.first.name
        how = "Student's t over pairs of one seed" if comparison.pairs else "Welch's t"
        yield (
            f"{b} - {a}: difference of means, with its 95 % interval ({how}). effect: Hedges' g, "
            f"the difference of means divided by the standard deviation of individual runs."
        )
        yield (
            "q: the expected share of chance differences among rows with at most this q "
            f"(Benjamini, Hochberg, over {len(comparison.outcomes)} rows). "
            f"differs: q up to {SURE:g}."
        )
    yield (
        "Profit and balances are money received minus money paid over the whole run. Other rows "
        "are means over the measured window."
    )
    if comparison.same:
        yield f"not shown: {_outcomes(len(comparison.same))} with the same value in all runs"
    if comparison.missing:
        names = ", ".join(comparison.missing[:4]) + (" ..." if len(comparison.missing) > 4 else "")
        yield f"not shown: {_outcomes(len(comparison.missing))} missing on one side ({names})"


def _outcomes(count: int) -> str:
    return "1 outcome" if count == 1 else f"{count} outcomes"


def sentences(comparison: Diff) -> Iterator[str]:
    """Yield a sentence about each seller, with the group in which it earns more."""
    by_column = {one.column: one for one in comparison.outcomes}
    for seller in comparison.sellers[:_MOST_SELLERS]:
        one = by_column.get(f"balance.{seller}")
        if one is not None:
            yield _earns(seller, one, comparison)


def _earns(seller: str, one: OutcomeDifference, comparison: Diff) -> str:
    a, b = comparison.first.name, comparison.second.name
    more = "more" if one.difference > 0 else "less"
    amount = significant(abs(one.difference))
    means = f"{significant(one.second)} against {significant(one.first)}"
    if math.isnan(one.low):
        return (
            f"{seller} earns {amount} money {more} with {b} than with {a} ({means}): one run each"
        )
    interval = f"{significant(one.low, 2, '+')} to {significant(one.high, 2, '+')}"
    runs = f"{one.runs} {'pairs' if comparison.pairs else 'runs'}"
    how = f"95 % interval {interval}, q {_q(one.q)}, {runs}"
    if not one.differs:
        return (
            f"{seller}: no significant difference in profit; {amount} money {more} with {b} than "
            f"with {a} ({means}; {how})"
        )
    return f"{seller} earns {amount} money {more} with {b} than with {a} ({means}; {how})"
