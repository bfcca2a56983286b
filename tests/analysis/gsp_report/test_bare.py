# SPDX-License-Identifier: Apache-2.0
"""The page on a provider with little data: text replaces missing numbers."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from ecnomy.analysis.gsp_report import business_plots
from ecnomy.analysis.gsp_report.page import write_gsp_page
from ecnomy.analysis.gsp_report.scatter import LEAST, fisher
from ecnomy.analysis.run.guarantees import guarantees_of
from ecnomy.analysis.show.guarantees_tables import print_guarantee
from ecnomy.markets.results.rawrun import open_raw
from guarantee_world import BACK_MICRO, LEDGER, PRICE_MICRO, PROFIT_MICRO, PS, write_run
from page_reader import PageReader

pytestmark = pytest.mark.usefixtures("undrawn")
REFUSED = [(0, 5, 5, 0, 1, 0, 0, 0, 0), (1, 31, 31, 0, 1, 0, 0, 0, 0)]
BEGUN = [(2, 40, 60, 1, 0, 50, 0, 5, 0)]
MARKS = [(60, "gsp", "isp", 5 * PRICE_MICRO, "marks", 4, 5)]


def _page(folder: Path) -> PageReader:
    write_gsp_page([folder], folder / "page.html", ["ecnomy", "report", "gsp"])
    return PageReader(folder / "page.html")


@pytest.mark.parametrize("calls", [[], REFUSED], ids=["asked", "refused"])
@pytest.mark.parametrize("to_ps", [60 * PS, 0], ids=["a-minute", "broken-off-at-0"])
def test_a_provider_that_booked_nothing_has_a_page(
    tmp_path: Path, calls: list[tuple[int, ...]], to_ps: int
) -> None:
    """Without sales and costs, text replaces pictures and maps."""
    read = _page(write_run(tmp_path, ledger=[], calls=calls, balance_micro=0, to_ps=to_ps))
    assert "not decided; no call was sold." in read.words
    assert "Without calls there is no break-even price." in read.words
    assert "Nothing was booked on its account" in read.words
    assert "No call that was sold has ended" in read.words
    assert "no call was sold, so there is no map" in read.words
    assert ("No call was requested" in read.words) == (calls == [])
    assert [row[:2] for row in read.tables["gsp-statement"][1:]] == [["profit", "+0.000000"]]
    drawn = {"gsp-by-time-drawn", "gsp-profits", "gsp-quality-map", "gsp-waterfall"}
    assert not drawn & set(read.pictures)
    assert not {"nan", "None"} & set(read.words.split())


def test_a_provider_that_sold_nothing_still_has_its_costs(tmp_path: Path) -> None:
    """The costs of test streams are in the statement and over time; the map has no row."""
    read = _page(write_run(tmp_path, ledger=MARKS, calls=REFUSED, balance_micro=-5 * PRICE_MICRO))
    assert "sold no call" in read.words
    assert "gsp-by-time-drawn" in read.pictures and "gsp-quality-map" not in read.pictures
    assert read.tables["gsp-statement"][-1][1] == "\u22120.005005"


def test_a_call_under_way_is_sold_but_has_no_profit_yet(tmp_path: Path) -> None:
    """The histogram counts calls that ended; the map counts calls sold."""
    paid = [(40, "source:phones", "gsp", 150_000, "call", 2, 1)]
    read = _page(write_run(tmp_path, ledger=paid, calls=BEGUN, balance_micro=150_000))
    assert "No call that was sold has ended" in read.words
    assert "gsp-quality-map" in read.pictures and "gsp-profits" not in read.pictures


def test_one_share_of_promises_is_broken(tmp_path: Path) -> None:
    """Three of four sold calls ended, one of them broken: first screen, table and `show` agree."""
    folder = write_run(tmp_path)
    read, out = _page(folder), io.StringIO()
    assert "33.3 % promises broken, of calls that ended" in read.words
    (row,) = [row for row in read.tables["gsp-promises-table"] if "broken" in row[0]]
    assert row[1:4] == ["1", "3 ended", "33.3 %"]
    (one,) = guarantees_of(open_raw(folder))
    print_guarantee(one, Console(file=out, width=120))
    assert "33.3 % of ended" in out.getvalue()


def test_claims_of_kept_promises_are_explained(tmp_path: Path) -> None:
    """A sentence appears only for reimbursements beyond the broken promises."""
    assert "reimbursed nevertheless" not in _page(write_run(tmp_path)).words
    claim = (25, "gsp", "source:phones", BACK_MICRO, "reimbursement", 0, 1)
    ledger = sorted([*LEDGER, claim])
    read = _page(write_run(tmp_path, ledger=ledger, balance_micro=PROFIT_MICRO - BACK_MICRO))
    clause = "1 promise that was kept by this measure was reimbursed nevertheless"
    assert f"{clause}: subscribers claimed reimbursements (quality_seen_by)." in read.words
    silent = [row for row in LEDGER if row[4] != "reimbursement"]
    read = _page(write_run(tmp_path, ledger=silent, balance_micro=PROFIT_MICRO + BACK_MICRO))
    assert "1 broken promise was not: " in read.words


def test_one_run_is_called_one(tmp_path: Path) -> None:
    """The page on one run does not say "the runs"."""
    words = _page(write_run(tmp_path)).words
    assert "The run as simulated." in words and "The runs as simulated" not in words


def test_a_threshold_is_missed_only_where_there_could_be_one(tmp_path: Path) -> None:
    """`expected-profit` never has a threshold; `marking-quantile` may not have learnt one."""

    def shown(kind: str) -> str:
        manifest = write_run(tmp_path, agents=[]) / "manifest.json"
        old = '"tariff":{'
        text = manifest.read_text().replace(old, f'"strategy":{{"kind":"{kind}"}},{old}')
        manifest.write_text(text)
        out = io.StringIO()
        (one,) = guarantees_of(open_raw(tmp_path))
        print_guarantee(one, Console(file=out, width=120))
        return out.getvalue()

    assert "never had a blocking threshold" in shown("marking-quantile")
    other = shown("expected-profit")
    assert "had a blocking threshold" not in other
    assert "Calls are admitted by expected-profit, without a threshold of M." in other


def test_correlations_have_fishers_interval() -> None:
    """The interval for r = 0.5 of 28 samples is the textbook's. Few samples have no interval."""
    assert fisher(0.5, 28) == pytest.approx((0.1556, 0.7361), abs=1e-3)
    assert all(math.isnan(v) for v in (*fisher(0.5, LEAST - 1), *fisher(1.0, 30)))


def test_a_few_samples_tell_of_no_correlation(tmp_path: Path) -> None:
    """With fewer than ten samples in a minute, the page gives no figure and says so."""
    read = _page(write_run(tmp_path))
    rows = read.tables["gsp-calls-streams"][1:]
    assert rows and all(int(row[1]) < LEAST and row[4] == row[8] == "-" for row in rows)
    assert "Fewer than 10 samples give no correlation" in read.words


def test_points_far_below_the_promise_do_not_lie_on_the_axis(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With samples of 0.01 % and a promise of 1 %, the axis follows the samples."""
    limits: list[tuple[float, float]] = []
    whole = business_plots._Canvas.svg

    def svg(canvas: business_plots._Canvas) -> bytes:
        limits.append(canvas.axes[0].get_ylim())
        return whole(canvas)

    monkeypatch.setattr(business_plots._Canvas, "svg", svg)
    marked = np.array([0.1, 0.2])
    for bad in (np.array([0.0, 1e-4]), np.array([0.0, 0.02]), np.zeros(2)):
        business_plots.points({"probe": (marked, bad)}, 0.01, None)
    (low, high), (_, broken), (least, most) = limits
    assert low < 0 and 0.01 < high < 0.02
    assert broken > 2 and least < 0 and most > 1
