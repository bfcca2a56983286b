# SPDX-License-Identifier: Apache-2.0
"""`ecnomy report gsp` of a sweep of configs/examples/gsp.yaml: its answer and its layout.

ECNOMY_SCREENSHOTS=DIR keeps pictures of it: DIR/report.png, report-phone.png, report-grey.png and
report.pdf.
"""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from chromium import Tab, in_browser
from ecnomy.analysis import open_sweep
from ecnomy.analysis.gsp_report.page import write_gsp_page
from ecnomy.markets.results.rawrun import open_raw
from page_reader import PageReader, answers_of
from sweep_world import go
from tiers import full, in_full

# A run's length and warm-up, and runs per point.
MINUTES, WARM_S, REPLICATES = (6, 60, 3) if in_full() else (1, 20, 2)
CONFIG = Path(__file__).parents[2] / "configs" / "examples" / "gsp.yaml"
SWEEP = f"""
version: 1
title: Calls beside few and many surfers
scenario: {CONFIG}
set: {{duration: {MINUTES} min, warmup: {WARM_S} s, sources.callers.traffic.idle: 100 s, sources.callers.traffic.call: 20 s,
  sources.rush.start: {20 * MINUTES} s, sources.rush.stop: {30 * MINUTES} s, sources.surfers.rows: together}}
parameters:
  grid:
    sources.surfers.count: [30, 60, 250]
    market.agents.gsp.tariff.price: [0.005 money, 0.05 money]
replicates: {REPLICATES}
"""  # noqa: E501


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sweep, with its page."""
    home = tmp_path_factory.mktemp("report")
    (home / "sweep.yaml").write_text(SWEEP + "keep: results\n")
    _, _, watcher = go(home / "sweep.yaml", home / "out")
    assert not watcher.failures
    write_gsp_page([home / "out"], home / "out" / "report.html", ["ecnomy", "report", "gsp", "out"])
    return home / "out"


@pytest.fixture(scope="module")
def read(made: Path) -> PageReader:
    """The contents of the page."""
    return PageReader(made / "report.html")


def _profits(made: Path, price: float) -> pd.DataFrame:
    """Profit per call of each run at a price, from the balances."""
    frame = open_sweep(made)
    own = frame[frame["market.agents.gsp.tariff.price"] == price].copy()
    own["call"] = own["balance.gsp"] / own["gsp.calls_sold"]
    return own


def test_the_answer_is_that_of_the_balances(made: Path, read: PageReader) -> None:
    """Mean, interval and verdict of the expensive tariff with 60 surfers equal scipy's."""
    at = _profits(made, 0.05)
    values = at[at["sources.surfers.count"] == 60]["call"]
    low, high = stats.t.interval(0.95, REPLICATES - 1, values.mean(), stats.sem(values))
    shown = [float(str(a.value)) for a in read.amounts[:3]]
    assert shown == pytest.approx([values.mean(), low, high])
    word = "profitable" if low > 0 else "loses money" if high < 0 else "not decided"
    assert f"{word}: " in read.words
    assert f"Open the business: {'yes' if low > 0 else 'no'}" in read.words


def test_the_limit_is_where_the_measured_curve_crosses(made: Path, read: PageReader) -> None:
    """The number of surfers at which profit ends, by lines through means; likewise the price."""
    means = _profits(made, 0.05).groupby("sources.surfers.count")["call"].mean()
    assert means.iloc[0] > 0 > means.iloc[-1]
    crossing = float(np.interp(0, -means.to_numpy(), means.index.to_numpy()))
    assert f"up to {crossing:.3g} surfers" in read.words
    frame = open_sweep(made)
    at = frame[frame["sources.surfers.count"] == 60]
    call = at["balance.gsp"] / at["gsp.calls_sold"]
    by_price = call.groupby(at["market.agents.gsp.tariff.price"]).mean()
    assert by_price.iloc[0] < 0 < by_price.iloc[1]
    even = float(np.interp(0, by_price.to_numpy(), by_price.index.to_numpy()))
    (measured,) = {float(str(a.value)) for a in read.amounts if a.by and "measured" in a.by}
    assert measured == pytest.approx(even)
    assert "measured, between the prices that were swept" in read.words


def test_amounts_and_statement_are_the_ledgers(made: Path, read: PageReader) -> None:
    """Every amount equals its query; the statement's profit sums three balances exactly."""
    given = answers_of(read)
    for amount in read.amounts:
        if amount.by:
            continue
        value = given[str(amount.query)][amount.at[0]][amount.at[1]]
        assert value is None or float(value) == pytest.approx(float(str(amount.value)), rel=1e-12)
    points = [made / "runs" / folder.name for folder in (made / "runs").iterdir()]
    connection = duckdb.connect()
    connection.execute(read.prelude)
    numbers = {Path(f): n for n, f in connection.execute("select run, folder from runs").fetchall()}
    assert set(numbers) == set(points)
    at = _profits(made, 0.05)
    whole = round(at[at["sources.surfers.count"] == 60]["balance.gsp"].sum() * 1e6)
    profit = read.tables["gsp-statement"][-1][1].replace("\u2212", "-")
    assert round(float(profit.replace(",", "").replace("+", "")) * 1e6) == whole
    for folder, number in list(numbers.items())[:3]:
        (own,) = connection.execute(
            f"select profit_micro from accounts where run = {number}"
        ).fetchall()
        assert own[0] == (open_raw(folder).manifest.balances_micro or {})["gsp"]
    connection.close()


def test_maps_and_sensitivity_have_what_was_swept(made: Path, read: PageReader) -> None:
    """The measured map has the means of the table; both keys are in the tornado's table."""
    frame = open_sweep(made)
    hourly = frame["balance.gsp"] * 60 / MINUTES
    keys = [frame["sources.surfers.count"], frame["market.agents.gsp.tariff.price"]]
    means = hourly.groupby(keys).mean()
    rows = read.files["gsp-price-table.csv"][1:]
    for row in rows:
        for price, text in zip((0.005, 0.05), row[1:], strict=True):
            assert float(text) == pytest.approx(means[float(row[0]), price])
    assert len(rows) == 3
    varied = {row[0] for row in read.tables["gsp-sensitivity-table"][1:]}
    assert varied == {"surfers", "gsp.tariff.price [money]"}


@full
def test_a_sweep_that_kept_nothing_has_a_page(tmp_path: Path) -> None:
    """The table alone gives an answer without a statement, and the page says what is missing."""
    few = SWEEP.replace("[30, 60, 250]", "[30, 60]").replace(
        f"{MINUTES} min, warmup", f"{min(4, MINUTES)} min, warmup"
    )
    few = few.replace("[0.005 money, 0.05 money]", "[0.05 money]")
    few = few.replace(f"es: {REPLICATES}", "es: 2")
    (tmp_path / "sweep.yaml").write_text(few)
    go(tmp_path / "sweep.yaml", tmp_path / "out")
    write_gsp_page([tmp_path / "out"], tmp_path / "page.html", ["ecnomy"])
    bare, at = PageReader(tmp_path / "page.html"), _profits(tmp_path / "out", 0.05)
    mean = at[at["sources.surfers.count"] == 60]["call"].mean()
    assert float(str(bare.amounts[0].value)) == pytest.approx(mean)
    assert "The sweep kept no results" in bare.words and "gsp-statement" not in bare.tables
    given = answers_of(bare)
    for amount in (a for a in bare.amounts if not a.by):
        value = given[str(amount.query)][amount.at[0]][amount.at[1]]
        assert value is None or float(value) == pytest.approx(float(str(amount.value)))


OVERLAPS = """(() => {
  const boxes = [...document.querySelectorAll('h1, h2, p, figure > img, table, figcaption, nav')]
    .filter(e => e.offsetParent && !e.closest('details:not([open])'))
    .map(e => [e, e.getBoundingClientRect()]);
  const found = [];
  for (const [a, x] of boxes) for (const [b, y] of boxes)
    if (a !== b && !a.contains(b) && !b.contains(a) && x.left < y.right - 1 && y.left < x.right - 1
        && x.top < y.bottom - 1 && y.top < x.bottom - 1) found.push(a.tagName + ' ' + b.tagName);
  return found.join('; ');
})()"""


@in_browser
def test_the_page_fits_desk_and_telephone(made: Path, tmp_path: Path) -> None:
    """There is no overflow or overlap at 1280 and 390 px, and the verdict is visible at once."""
    shots = os.environ.get("ECNOMY_SCREENSHOTS")
    with Tab(tmp_path / "profile") as tab:
        for name, width, height in (("report", 1280, 800), ("report-phone", 390, 844)):
            tab.size(width, height, phone=width < 500)
            tab.go((made / "report.html").as_uri())
            tab.wait("document.readyState === 'complete' && [...document.images].length > 5")
            assert tab.ask("document.documentElement.scrollWidth") <= width
            assert tab.ask(OVERLAPS) == ""
            for part in ("h1", ".sentence", ".facts"):
                box = f"document.querySelector('{part}').getBoundingClientRect()"
                assert 0 <= tab.ask(f"{box}.top") and tab.ask(f"{box}.bottom") <= height, part
            pictures = "[...document.images].every(i => i.naturalWidth > 100)"
            assert tab.ask(pictures)
            if shots:
                tab.picture(Path(shots) / f"{name}.png")
        tab.size(1280, 800)
        if shots:
            tab.media(grey=True)
            tab.picture(Path(shots) / "report-grey.png")
        tab.paper(Path(shots or tmp_path) / "report.pdf")


@in_browser
def test_queries_are_open_on_paper(made: Path, tmp_path: Path) -> None:
    """Queries are closed on the screen and open in print, with no line wider than the sheet."""
    with Tab(tmp_path / "profile") as tab:
        tab.size(1280, 800)
        tab.go((made / "report.html").as_uri())
        tab.wait(
            "document.readyState === 'complete' && document.querySelectorAll('pre').length > 5"
        )
        shown = (
            "document.querySelector('.answer pre').checkVisibility({contentVisibilityAuto: true})"
        )
        assert tab.ask(shown) is False
        tab.size(703, 1000)  # A4 less its margins
        tab.media("print")
        tab.wait(shown)
        assert tab.ask("document.documentElement.scrollWidth") <= 703
        assert tab.ask(OVERLAPS) == ""
