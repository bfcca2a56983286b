# SPDX-License-Identifier: Apache-2.0
"""The page on providers with several tariffs, files and rivals, against their ledgers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ecnomy.analysis.gsp_report import business_plots
from ecnomy.analysis.gsp_report.business_plots import style_of
from ecnomy.analysis.gsp_report.database import LINES
from ecnomy.analysis.gsp_report.page import write_gsp_page
from ecnomy.markets import load, run
from guarantee_world import BACK_MICRO, LEDGER, PRICE_MICRO, PROFIT_MICRO, write_run, write_two_rows
from page_reader import PageReader

pytestmark = pytest.mark.usefixtures("undrawn")
MINUS = "\u2212"
EXAMPLES = Path(__file__).parents[3] / "configs" / "examples"
SHORT = (
    "duration=240 s", "warmup=20 s", "sources.callers.traffic.idle=40 s",
    "sources.callers.traffic.call=6 s", "sources.rush.start=100 s", "sources.rush.stop=160 s",
    "market.agents.gsp.strategy.sample=10 s", "market.agents.gsp.strategy.learning=4",
)  # fmt: skip


def _page(folders: list[Path], file: Path) -> PageReader:
    write_gsp_page(folders, file, ["ecnomy", "report", "gsp"])
    return PageReader(file)


def test_calls_and_files_of_one_provider(tmp_path: Path) -> None:
    """Postings belong to the tariff of their flow's call or file; parts add up to the balance."""
    laboratory = "sources.laboratory.traffic"
    short = (f"{laboratory}.packets=1000 packets", f"{laboratory}.pause=5 s")
    scenario = load(EXAMPLES / "gsp-files.yaml", overrides=(*SHORT, *short))
    result = run(scenario, out=tmp_path / "run")
    read = _page([result.folder], tmp_path / "page.html")
    rows = {row[0]: row[1:] for row in read.files["gsp-by-tariff.csv"]}
    head = rows.pop("tariff")
    assert set(rows) == {"voice", "files", "pages", "shared"}
    ledger, source = result.raw.ledger, result.raw.flows.set_index("flow").source

    def booked(kind: str, of: str, side: str) -> int:
        own = ledger[(ledger[side] == "gsp") & (ledger.kind == kind)]
        return int(own.amount_micro[own.flow.map(source) == of].sum())

    for name, of in (("files", "laboratory"), ("pages", "kiosk")):
        at = dict(zip(head, map(int, rows[name]), strict=True))
        assert at["files"] == booked("transfer", of, "credit") > 0
        assert at["marks of files"] == -booked("marks", of, "debit") < 0
    assert int(rows["voice"][head.index("calls")]) == booked("call", "callers", "credit") > 0
    profit = json.loads((result.folder / "manifest.json").read_text())["balances_micro"]["gsp"]
    assert sum(int(v) for row in rows.values() for v in row) == profit


def test_two_providers_of_the_same_callers(tmp_path: Path) -> None:
    """Each has its own calls, refusals of the calls that requested it, and its own balance."""
    more = (
        "market.agents.people.strategy.worth=0.3 money",
        "market.agents.gsp.strategy.quantile=0.5",
    )
    scenario = load(EXAMPLES / "two-gsps.yaml", overrides=(*SHORT, *more))
    result = run(scenario, out=tmp_path / "run")
    read = _page([result.folder], tmp_path / "page.html")
    balances = json.loads((result.folder / "manifest.json").read_text())["balances_micro"]
    calls = result.calls
    for number, name in enumerate(("gsp", "handy")):
        lines = {row[0]: row[1] for row in read.tables[f"{name}-statement"]}
        profit = f"{balances[name] / 1e6:+.6f}".replace("-", MINUS)
        assert lines["profit"].replace(",", "") == profit
        sold = int((calls.tariff == number).sum())
        requested = sold + int((calls.refused_by & (1 << number) > 0).sum())
        away = [row for row in read.tables[f"{name}-promises-table"] if "turned away" in row[0]]
        assert [row[2] for row in away] == [f"{requested:,} asked"] and sold > 0
    assert (calls.refused_by > 0).any()


def test_a_call_that_is_billed_twice_is_one_call(tmp_path: Path) -> None:
    """The prices of a call and of its time are two postings; the statement counts calls sold."""
    minutes = (18, "source:phones", "gsp", 10_000, "call", 0, 1)
    ledger = sorted([*LEDGER, minutes])
    folder = write_run(tmp_path, ledger=ledger, balance_micro=PROFIT_MICRO + 10_000)
    read = _page([folder], tmp_path / "page.html")
    lines = {row[0]: row[1] for row in read.tables["gsp-statement"]}
    assert lines["4 calls"] == "+0.610000"
    assert "The 1 runs" not in (tmp_path / "page.html").read_text()


def test_a_statement_counts_pieces_and_no_time(tmp_path: Path) -> None:
    """A premium per hour has a quantity in ps, which is not a count; one item is singular."""
    premium = (50, "gsp", "outside", 7_000, "premium", -1, 240 * 10**12)
    ledger = sorted([*LEDGER, premium])
    folder = write_run(tmp_path, ledger=ledger, balance_micro=PROFIT_MICRO - 7_000)
    read = _page([folder], tmp_path / "page.html")
    lines = {row[0]: row[1] for row in read.tables["gsp-statement"]}
    assert lines["premium"] == f"{MINUS}0.007000"
    assert "1 reimbursement" in lines and "4 calls" in lines and "8 marks of calls" in lines


def test_the_map_is_the_statement_at_the_case_as_it_was(tmp_path: Path) -> None:
    """The map also includes refunds for claims of kept promises, whatever the promise."""
    claim = (25, "gsp", "source:phones", BACK_MICRO, "reimbursement", 0, 1)  # of a kept promise
    profit = PROFIT_MICRO - BACK_MICRO
    folder = write_run(tmp_path, ledger=sorted([*LEDGER, claim]), balance_micro=profit)
    read = _page([folder], tmp_path / "page.html")
    rows = {row[0]: row[4] for row in read.files["gsp-quality-table.csv"]}
    assert float(rows["1.0 %"]) == pytest.approx(profit / 1e6 * 60)
    assert float(rows["5.0 %"]) == pytest.approx((profit + BACK_MICRO) / 1e6 * 60)


def test_the_map_of_rows_with_promises_of_their_own(tmp_path: Path) -> None:
    """One row of the map is the actual case; prices change refunds that are tied to them."""
    folder, profit = write_two_rows(tmp_path)
    read = _page([folder], tmp_path / "page.html")
    rows = {row[0]: row[1:] for row in read.files["gsp-quality-table.csv"]}
    assert float(rows["each its own"][3]) == pytest.approx(profit / 1e6 * 60)
    # at twice the price: four calls at home, two in the shop that are refunded
    assert float(rows["each its own"][6]) == pytest.approx((profit + 4 * 150_000) / 1e6 * 60)
    # only the claim is left at 5 %
    more = profit + BACK_MICRO + 30_000
    assert float(rows["5.0 %"][3]) == pytest.approx(more / 1e6 * 60)
    assert "follow the price on shop and stay unchanged on home." in read.words
    assert "the simulated case is framed" in read.words


def test_the_first_screen_says_which_rows_earn(tmp_path: Path) -> None:
    """By hand, one row makes a profit and the other a loss. Neither includes shared costs."""
    folder, _ = write_two_rows(tmp_path)
    read = _page([folder], tmp_path / "page.html")
    home = (4 * 150_000 - BACK_MICRO - (3 + 5) * PRICE_MICRO) / 1e6 * 60
    shop = -90 * PRICE_MICRO / 1e6 * 60
    opening = "Row by row, without test streams and fixed costs: home earns "
    at = read.words.index(opening)
    assert at < read.words.index("Profit and risk of a call")
    sentence = read.words[at : read.words.index("money per hour.", at)]
    values = [a for a in read.amounts if a.query and "as an_hour" in read.queries[a.query]]
    assert ", shop loses" in sentence and len(values) == 2
    assert [float(str(a.value)) for a in values] == pytest.approx([home, shop])
    assert "Row by row" not in _page([_one_row(tmp_path)], tmp_path / "one.html").words


def _one_row(home: Path) -> Path:
    (home / "one").mkdir()
    return write_run(home / "one")


def test_losses_are_striped_so_that_grey_tells_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Losses have dark stripes on pale cells and light ones on dark cells, profits have none."""
    drawn: list[tuple[int, int, bool]] = []
    hatched = business_plots._hatched

    def kept(row: int, column: int, *, dark: bool) -> object:
        drawn.append((row, column, dark))
        return hatched(row, column, dark=dark)

    monkeypatch.setattr(business_plots, "_hatched", kept)
    business_plots.heat(np.array([[-10.0, -1.0, 4.0]]), ["a"], ["x", "y", "z"], ("", ""), None)
    assert drawn == [(0, 0, True), (0, 1, False)]
    light, dark = (np.array(hatched(0, 0, dark=d).get_edgecolor()) for d in (True, False))
    assert light[:3].min() == 1 and dark[:3].max() == 0


def test_no_two_rows_look_alike() -> None:
    """The lines of three rows have different hatches, so they differ in grey prints."""
    rows = ("home)", "shop)", "night)")
    for line in (*LINES, "other"):
        hatches = [style_of(f"{line} ({row}", rows).get("hatch") for row in rows]
        assert len(set(hatches)) == 3, line
    styles = [style_of(f"{line} ({row}", rows) for line in LINES for row in rows]
    assert len({(one["facecolor"], one.get("hatch")) for one in styles}) == len(styles)
