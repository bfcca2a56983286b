# SPDX-License-Identifier: Apache-2.0
"""The table of a run's rates and payments, and the display of a run in notebooks."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Final, Protocol

from ecnomy.agents.errors import ResultsError
from ecnomy.markets.results.rawrun import RawRun

if TYPE_CHECKING:
    import pandas as pd

    from ecnomy.markets.plan import Plan
    from ecnomy.markets.results.manifest import Manifest

__all__ = ["results_page", "summary_frame"]

_UNITS: Final = {
    "flows": "flows",
    "goodput_mbps": "Mbps per flow",
    "marks_per_s": "marks/s per flow",
    "fee_per_s": "money/s per flow",
    "charge_per_s": "money/s per flow",
    "price_per_mark": "money/mark",
}
_MOST_ROWS: Final = 24
_HINTS: Final = (
    ('timeseries("goodput", by="{by}")', "per interval, in Mbps"),
    ('payments("{who}")', "payments, with payees and reasons"),
    ("plot()", "the plot"),
    ("flows, links, ledger, agents", "the tables"),
)
_CELL: Final = "text-align:right;padding:2px 10px"
_NAME: Final = "text-align:left;padding:2px 10px"


def summary_frame(raw: RawRun) -> pd.DataFrame:
    """See Results.summary."""
    import pandas as pd

    rows = raw.groups()
    frame = pd.DataFrame(
        {
            "flows": [one.flows for one in rows],
            "goodput_mbps": [one.goodput_bps / 1e6 for one in rows],
            "marks_per_s": [one.marks_per_s for one in rows],
            "fee_per_s": [one.fee_per_s for one in rows],
            "charge_per_s": [one.charge_per_s for one in rows],
            "price_per_mark": [
                math.nan if one.paid_per_mark is None else one.paid_per_mark for one in rows
            ],
        },
        index=pd.Index([one.name for one in rows], name="who"),
    )
    frame.attrs["units"] = dict(_UNITS)
    return frame


class Shown(Protocol):
    """The part of `Results` that `results_page` needs."""

    @property
    def raw(self) -> RawRun:
        """Return the tables as stored on disk."""

    @property
    def manifest(self) -> Manifest:
        """Return the manifest of the run."""

    @property
    def plan(self) -> Plan:
        """Return the plan of the run."""

    @property
    def title(self) -> str:
        """Return the scenario's title."""

    @property
    def seed(self) -> int:
        """Return the seed of the run."""

    @property
    def note(self) -> str | None:
        """Return a line that explains why the run is partial, or None for a complete run."""

    @property
    def window_s(self) -> tuple[float, float]:
        """Return the measured window in seconds."""

    @property
    def summary(self) -> pd.DataFrame:
        """Return the mean rates and payments of each group of flows."""

    @property
    def balances(self) -> pd.Series:
        """Return the balance of each account at the end of the run."""


def results_page(results: Shown) -> str:
    """Return HTML for notebooks: title, seed, window, rates, balances and example queries."""
    try:
        low, high = results.window_s
        state = results.note or "complete"
        span = f"seed {results.seed}, measured from {low:g} s to {high:g} s, {state}"
        parts = [
            f"<div><strong>{_text(results.title)}</strong><br>{_text(span)}<br>"
            f"<code>{_text(results.raw.path)}</code></div>",
            _summary(results.summary),
            _balances(results),
            _hints(results),
        ]
    except ResultsError as error:
        return f"<div>{_text(error)}</div>"
    return f'<div class="ecnomy-results" style="max-width:60em">{"".join(parts)}</div>'


def _summary(frame: pd.DataFrame) -> str:
    if frame.empty:
        return "<p>The run ended before the measured window began.</p>"
    heads = ["who", "flows"]
    heads += [f"{_word(name)}<br><small>{_UNITS[name]}</small>" for name in frame.columns[1:]]
    rows = [[str(who), *(_number(value) for value in row)] for who, *row in frame.itertuples()]
    more = len(rows) - _MOST_ROWS
    rest = f"<p>and {more} more: <code>summary</code></p>" if more > 0 else ""
    return _table("Rates and payments", heads, rows[:_MOST_ROWS]) + rest


def _balances(results: Shown) -> str:
    accounts = results.balances
    if accounts.empty:
        return "<p>There were no payments.</p>"
    rows = [[str(name), f"{value:,.6g}"] for name, value in accounts.items()]
    more = len(rows) - _MOST_ROWS
    rest = f"<p>and {more} more: <code>balances</code></p>" if more > 0 else ""
    heads = ["account", "balance<br><small>money</small>"]
    return _table("Accounts at the end of the run", heads, rows[:_MOST_ROWS]) + rest


def _hints(results: Shown) -> str:
    classes, sources = results.manifest.classes, results.plan.sources
    by, known = ("class", classes) if classes else ("source", sources)
    who = known[0].name if known else ""
    hints = [
        f"<code>{_text(call.format(who=who, by=by))}</code> {_text(what)}" for call, what in _HINTS
    ]
    return f"<p>See also: {'; '.join(hints)}.</p>"


def _table(title: str, heads: list[str], rows: list[list[str]]) -> str:
    head = "".join(
        f'<th style="{_CELL if i else _NAME}">{cell}</th>' for i, cell in enumerate(heads)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="{_CELL if i else _NAME}">{_text(cell)}</td>' for i, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    caption = f'<caption style="text-align:left;padding:8px 10px 2px">{title}</caption>'
    table = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div style="overflow-x:auto">{table}</div>'


def _word(column: str) -> str:
    words = column.removesuffix("_mbps").removesuffix("_per_s")
    return {"charge": "for marks", "price_per_mark": "price of a mark"}.get(words, words)


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4g}"


def _text(value: object) -> str:
    return html.escape(str(value))
