# SPDX-License-Identifier: Apache-2.0
"""The page on a provider with quiet times: periods without postings count as zero."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from ecnomy.analysis.gsp_report import risk
from ecnomy.analysis.gsp_report.page import write_gsp_page
from ecnomy.analysis.gsp_report.risk import drawn_hours, tail
from guarantee_world import LEDGER, PRICE_MICRO, PROFIT_MICRO, PS, write_run
from page_reader import PageReader, answers_of

pytestmark = pytest.mark.usefixtures("undrawn")
HOUR_S = 3600


def _page(folder: Path, to_s: int, ledger: list[Any] = LEDGER) -> PageReader:
    balance = sum(row[3] if row[2] == "gsp" else -row[3] for row in ledger if "gsp" in row)
    write_run(folder, ledger=ledger, balance_micro=balance, to_ps=to_s * PS)
    write_gsp_page([folder], folder / "page.html", ["ecnomy", "report", "gsp"])
    return PageReader(folder / "page.html")


def test_quiet_blocks_are_drawn_too(tmp_path: Path) -> None:
    """All postings are in the first of 20 blocks, but an hour's bounds come from all blocks.

    A separate bootstrap draws blocks of the printed query. The mean lies in the interval,
    and a draw without the first block earns nothing.
    """
    read = _page(tmp_path, HOUR_S)
    hourly = [a for a in read.amounts if a.by == "block bootstrap"]
    rows = next(
        r for name, r in answers_of(read).items() if name in {a.query for a in hourly} and r
    )
    assert [row[0] for row in rows] == list(range(20))
    assert [row[3] for row in rows] == [PROFIT_MICRO] + [0] * 19
    rng = np.random.Generator(np.random.Philox(key=1979))
    drawn = np.array([float(row[3]) for row in rows])[(rng.random((2000, 20)) * 20).astype(int)]
    low, high = np.quantile(drawn.sum(axis=1) / 1e6, [0.025, 0.975])
    shown = {float(str(a.value)) for a in hourly}
    assert low == 0 and any(value == pytest.approx(high) for value in shown) and 0.0 in shown
    assert low < PROFIT_MICRO / 1e6 < high < 5 * PROFIT_MICRO / 1e6


def test_quiet_pieces_make_quiet_hours(tmp_path: Path) -> None:
    """An hour has 12 pieces, 11 of them empty; the mean of drawn hours is near its profit."""
    read = _page(tmp_path, HOUR_S)
    amounts = [a for a in read.amounts if a.by == "drawn hours"]
    rows = answers_of(read)[str(amounts[0].query)]
    assert [row[1:] for row in rows] == [(0, PROFIT_MICRO)] + [(i, 0) for i in range(1, 12)]
    hours = drawn_hours(np.array([PROFIT_MICRO / 1e6] + [0.0] * 11))
    wanted = (hours.mean(), *tail(hours))
    assert [float(str(a.value)) for a in amounts] == pytest.approx(wanted)
    assert float(str(amounts[0].value)) == pytest.approx(PROFIT_MICRO / 1e6, rel=0.05)


def test_a_posting_at_an_end_belongs_to_what_ends(tmp_path: Path) -> None:
    """A posting at the end of a block, a piece or the run belongs to it."""
    marks = {0: 1, 180: 2, 300: 4, 301: 8, HOUR_S: 16}
    more = [(t_s, "gsp", "isp", n * PRICE_MICRO, "marks", 0, n) for t_s, n in marks.items()]
    read = _page(tmp_path, HOUR_S, [*LEDGER, *more])
    pieces, blocks = [PROFIT_MICRO, *[0] * 11], [PROFIT_MICRO, *[0] * 19]
    for sums, counts in ((pieces, {0: 7, 1: 8, -1: 16}), (blocks, {0: 3, 1: 12, -1: 16})):
        for part, count in counts.items():
            sums[part] -= count * PRICE_MICRO
    for by, column, sums in (("drawn hours", 2, pieces), ("block bootstrap", 3, blocks)):
        queries = {str(a.query) for a in read.amounts if a.by == by}
        found = {tuple(r[column] for r in answers_of(read)[q]) for q in queries}
        assert tuple(sums) in found


def test_quiet_hours_are_hours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of three full hours are empty: mean, value at risk and shortfall are over all three."""
    monkeypatch.setattr(risk, "_ENOUGH_HOURS", 3)
    late = [(HOUR_S + t, *rest) for t, *rest in LEDGER]  # the second hour; half an hour follows
    read = _page(tmp_path, 3 * HOUR_S + HOUR_S // 2, late)
    assert read.tables["gsp-risk"][2][4] == "3"
    (rows,) = [
        answers_of(read)[name]
        for name, sql in read.queries.items()
        if "row_number" in sql and "range" in sql
    ]
    assert rows == [(pytest.approx(PROFIT_MICRO / 3e6), 0.0, 0.0, 3)]


def test_quiet_periods_have_a_row_and_a_place_on_the_axis(tmp_path: Path) -> None:
    """If only the first minute of half an hour has postings, every period still has its bar."""
    quarter = (900, "gsp", "isp", 5 * PRICE_MICRO, "marks", 0, 5)
    read = _page(tmp_path, 1800, [*LEDGER, quarter])
    rows = read.tables["gsp-by-time"][1:]
    assert [row[0] for row in rows] == [f"{5 * i} to {5 * i + 5} min" for i in range(6)]
    profits = [row[3] for row in rows]
    assert profits[1] == profits[3] == "+0.000000" and profits[2] == "\u22120.005005"
    words = read.pictures["gsp-by-time-drawn"]
    assert "smallest from 10 to 15 min" in words and "largest from 0 to 5 min" in words


@pytest.mark.parametrize("n", [1, 20, 21, 30, 47])
def test_the_query_takes_the_tail_that_the_function_takes(n: int) -> None:
    """Value at risk and shortfall of n calls use the worst twentieth, rounded up."""
    values = np.random.default_rng(n).permutation(np.arange(n)) - 3
    rows = f"select unnest({(values * 1_000_000).tolist()}) as micro"
    ((mean, worst, shortfall, count),) = duckdb.sql(risk._ranked(rows)).fetchall()
    assert (mean, count) == (pytest.approx(values.mean()), n)
    assert (worst, shortfall) == pytest.approx(tail(values.astype(np.float64)))
